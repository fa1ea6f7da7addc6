package import CausewayModel

extension JSONWriter {
    /// The members of a property that say what it is: its type, collection and target, and what is true of it.
    package mutating func members(of property: Property) {
        field("type", "\(property.type)")
        if property.collection != .none { field("collection", "\(property.collection)") }
        if let target = property.target { field("target", target) }
        for (name, isSet) in property.flags where isSet {
            self.name(name)
            write(true)
        }
    }
}

extension JSONWriter {
    /// The members of a class that say what it is to a person.
    package mutating func members(ofClass name: String, _ kind: ClassKind, objects: Int) {
        field("name", name)
        field("is", kind.words)
        field("kind", "\(kind)")
        field("objects", objects)
    }

    /// The same of a property.
    package mutating func membersForPeople(of property: Property) {
        field("name", property.name)
        field("is", property.words)
        members(of: property)
    }
}

extension Property {
    /// What may be true of a property besides its type, by the names that schemas in JSON have.
    package var flags: [(name: String, isSet: Bool)] {
        [
            ("optional", isOptional), ("primaryKey", isPrimaryKey), ("indexed", isIndexed),
            ("fullText", isFullTextIndexed), ("counter", isCounter), ("text", isText),
        ]
    }
}
