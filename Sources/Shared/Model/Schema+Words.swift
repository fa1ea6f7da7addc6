extension ClassKind {
    /// What a class of it is, for people.
    package var words: String {
        switch self {
        case .object: "a class of objects"
        case .embedded: "an embedded class"
        case .asymmetric: "a one-way class"
        }
    }
}

extension Property {
    /// Everything about it that cannot change later, for people.
    package var words: String {
        // Links and mixed values can always be null, whatever was once declared.
        var words = isOptional && type != .object && type != .mixed ? "optional \(type)" : "\(type)"
        if let target { words = "a link to “\(target)”" }
        if isCounter { words = "a counter" }
        switch collection {
        case .none: if isText { words = "a text" }
        case .list: words = "a list of \(words)"
        case .set: words = "a set of \(words)"
        case .map: words = "a map of \(words)"
        }
        if isPrimaryKey { words += ", the primary key" }
        return words
    }
}
