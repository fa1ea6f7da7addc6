import CausewayModel
import CausewayObjectStore

/// Which properties an observer cares about: a tree along the links and the inverse relations.
struct ObservedProperties {
    /// An inverse relation: the objects whose links in a column lead here, and what is observed of them.
    struct Inverse {
        // Owned by its instance, which every observer holds.
        unowned let origin: _ClassAccess
        var column: Int
        var beyond = ObservedProperties()

        /// The objects that link to one.
        func linkingObjects(to key: ObjectKey, of target: _ClassAccess) -> [ObjectKey] {
            target.linkingObjects(to: key, from: origin, column)
        }
    }

    /// By column; what is observed beyond the link, or nothing where the property itself is the end.
    private(set) var columns: [Int: ObservedProperties] = [:]
    /// By name.
    private(set) var inverses: [String: Inverse] = [:]
    /// The class whose properties these are; nil at the end of a path.
    private var className: String?

    /// The tree of dotted paths of public names.
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

    /// Whether a path ends here, and nothing is observed beyond.
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
    /// The object that a link leads to.
    var linkedKey: ObjectKey? { if case .object(let key) = self { key } else { nil } }
}

extension _ClassAccess {
    /// The objects that a link or a list of links leads to.
    func links(_ key: ObjectKey, _ column: Int) -> [ObjectKey] {
        let values =
            schema.properties[column].collection == .none ? [value(key, column)] : table.listValues(key, column)
        return values.compactMap(\.linkedKey)
    }

    /// The objects whose links in a column of their class lead to one of this class.
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
