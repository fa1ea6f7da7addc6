import CausewayModel

// Steps against a link. `@links.Club.members` names the objects of class Club whose property `members` links to the
// object, and `@links` alone all that link to it. A path holds either as one name, with its dots.

extension PropertyPath {
    package static let inverse = "@" + inverseWord
    static let inverseWord = "links"

    /// The name of a step against a link.
    package static func inverse(_ className: String, _ property: String) -> String {
        "\(inverse).\(className).\(property)"
    }

    /// The class and the property of a step against a link; nil for other names, and for the links from anywhere.
    package static func origin(of name: String) -> (className: String, property: String)? {
        // Every name of every path is asked, and hardly any is one.
        guard name.utf8.first == UInt8(ascii: "@") else { return nil }
        let parts = name.split(separator: ".", maxSplits: 2)
        guard parts.count == 3, parts[0] == inverse else { return nil }
        return (String(parts[1]), String(parts[2]))
    }
}

extension Binder {
    /// The step against a link, and the collection that it leads through as a list property; nil for other names.
    func inverseStep(
        _ name: String, from current: ClassSchema, isLast: Bool, _ aggregate: Aggregate?
    ) throws(QueryError) -> (step: BoundPath.Step, property: Property)? {
        if name == PropertyPath.inverse {
            guard isLast, aggregate == .count else {
                throw QueryError(
                    .property, "Invalid keypath: @links by itself can only be counted",
                    remedy: "Write @links.@count, or @links.Class.property to go on to what links here."
                )
            }
            let property = Property(name: name, type: .object, collection: .list)
            var step = BoundPath.Step(className: current.name, property: 0, of: property)
            step.direction = .backwardFromAnywhere
            return (step, property)
        }
        guard let (className, propertyName) = PropertyPath.origin(of: name) else { return nil }
        guard let origin = schema[className] else {
            throw QueryError(
                .property,
                "Invalid property name: Class '\(className)' of '\(name)' is not managed by the Realm",
                remedy: "Add the class to the configuration's objectTypes."
            )
        }
        guard let index = origin.index(of: propertyName) else {
            throw QueryError(
                .property,
                "Invalid property name: Property '\(propertyName)' not found in object of type '\(className)'",
                remedy: remedy(for: propertyName, in: origin)
            )
        }
        guard origin.properties[index].target == current.name else {
            throw QueryError(
                .property,
                "Invalid property name: Property '\(className).\(propertyName)' does not link to objects of type "
                    + "'\(current.name)'"
            )
        }
        let property = Property(name: name, type: .object, collection: .list, target: className)
        var step = BoundPath.Step(className: current.name, property: index, of: property)
        step.direction = .backward
        return (step, property)
    }
}
