import CausewayModel
import CausewayObjectStore

/// The properties that an observer observes, as a tree along links and inverse relations.
struct ObservedProperties {
    /// An observed inverse relation: the linking class and column, and what is observed beyond.
    struct Inverse {
        // Owned by its instance, which every observer retains.
        unowned let origin: _ClassAccess
        var column: Int
        var beyond = ObservedProperties()

        /// The objects that link to an object.
        func linkingObjects(to key: ObjectKey, of target: _ClassAccess) -> [ObjectKey] {
            target.linkingObjects(to: key, from: origin, column)
        }
    }

    /// By column, what is observed beyond the link. Empty where a path ends at the property.
    private(set) var columns: [Int: ObservedProperties] = [:]
    /// The inverse relations by name.
    private(set) var inverses: [String: Inverse] = [:]
    /// The class of these properties; nil at the end of a path.
    private var className: String?

    /// Makes the tree from dotted paths of public names. Stops the program for an unknown name.
    init(_ keyPaths: [String], of access: _ClassAccess) {
        for keyPath in keyPaths {
            add(keyPath.split(separator: ".").map(String.init)[...], access)
        }
    }

    private init() {}

    private mutating func add(_ names: ArraySlice<String>, _ access: _ClassAccess) {
        guard let name = names.first else { return }
        className = access.model.className
        if let inverse = access.model.inverse(named: name) {
            let (origin, column) = access.origin(of: inverse)
            inverses[name, default: Inverse(origin: origin, column: column)].beyond.add(names.dropFirst(), origin)
            return
        }
        guard let property = access.model.property(named: name) else {
            misuse("Invalid property name '\(name)' for class '\(access.model.className)'.")
        }
        let column = access.column(of: property)
        guard names.count > 1 else {
            if columns[column] == nil { columns[column] = ObservedProperties() }
            return
        }
        guard let target = access.target(column) else {
            misuse("Property '\(access.model.className).\(name)' is not a link: the key path cannot go beyond it.")
        }
        columns[column, default: ObservedProperties()].add(names.dropFirst(), target)
    }

    /// Whether all paths end here.
    var isEmpty: Bool { columns.isEmpty && inverses.isEmpty }

    /// Whether any path goes through an inverse relation.
    var hasInverses: Bool { !inverses.isEmpty || columns.values.contains(where: \.hasInverses) }

    /// The classes that the paths go through.
    var classes: Set<String> {
        var classes = Set(className.map { [$0] } ?? [])
        for beyond in columns.values { classes.formUnion(beyond.classes) }
        for inverse in inverses.values {
            classes.insert(inverse.origin.model.className)
            classes.formUnion(inverse.beyond.classes)
        }
        return classes
    }
}

extension Value {
    /// The target of a link; nil for other values.
    var linkedKey: ObjectKey? { if case .object(let key) = self { key } else { nil } }
}

extension _ClassAccess {
    /// The targets of a link or of a collection of links.
    func links(_ key: ObjectKey, _ column: Int) -> [ObjectKey] {
        let values =
            schema.properties[column].collection == .none ? [value(key, column)] : table.listValues(key, column)
        return values.compactMap(\.linkedKey)
    }

    /// The objects whose link in a column of their class leads to an object of this class.
    func linkingObjects(to key: ObjectKey, from origin: _ClassAccess, _ column: Int) -> [ObjectKey] {
        table.backlinks(to: key, from: origin.table, column).filter(origin.table.exists)
    }

    /// The class and the column that an inverse relation is computed from.
    func origin(of inverse: ObjectModel.Inverse) -> (access: _ClassAccess, column: Int) {
        let origin = instance.access(for: inverse.origin)
        guard let property = origin.model.property(named: inverse.property) else {
            misuse("Property '\(origin.model.className).\(inverse.property)' does not exist.")
        }
        return (origin, origin.column(of: property))
    }
}
