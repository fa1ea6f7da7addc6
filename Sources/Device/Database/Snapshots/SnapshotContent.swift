import CausewayModel

/// The content of a snapshot: the values of one object, in the order of its class's properties.
struct SnapshotContent: Sendable {
    let model: ObjectModel
    /// The primary key; null when the class has none.
    let primaryKey: Value
    /// The values; nil in a reference.
    let items: [SnapshotItem]?

    init(_ model: ObjectModel, items: [SnapshotItem]) {
        self.model = model
        self.items = items
        if let index = model.primaryKeyIndex, case .value(let value) = items[index] {
            primaryKey = value
        } else {
            primaryKey = .null
        }
    }

    init(_ model: ObjectModel, referenceTo primaryKey: Value) {
        self.model = model
        self.primaryKey = primaryKey
        items = nil
    }
}

/// The content of one property, or of one element of a collection.
enum SnapshotItem: Hashable, Sendable {
    /// A plain value. An empty link is null.
    case value(Value)
    indirect case object(SnapshotContent)
    /// The elements of a list, or of a set in the set's order.
    case elements([SnapshotItem])
    case entries([String: SnapshotItem])
}

extension SnapshotContent: Hashable {
    static func == (left: SnapshotContent, right: SnapshotContent) -> Bool {
        left.model.className == right.model.className && left.primaryKey == right.primaryKey
            && left.items == right.items
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(model.className)
        hasher.combine(primaryKey)
        hasher.combine(items)
    }
}

// MARK: - Reading

extension SnapshotContent {
    /// The item at a path of property names, which may go through links.
    func item(at path: String) -> SnapshotItem {
        var content = self
        var item = SnapshotItem.value(.null)
        var rest = path.split(separator: ".")[...]
        while let name = rest.popFirst() {
            item = content.item(named: String(name))
            if rest.isEmpty { break }
            guard case .object(let next) = item else { return .value(.null) }
            content = next
        }
        return item
    }

    private func item(named name: String) -> SnapshotItem {
        guard let position = model.position(of: name) else {
            misuse("Property '\(model.className).\(name)' is not in a snapshot: only stored properties are.")
        }
        if let items { return items[position] }
        if position == model.primaryKeyIndex { return .value(primaryKey) }
        misuse(
            "Property '\(model.className).\(name)' is not in this snapshot: of linked objects it holds the primary keys. "
                + "Take it with 'snapshot(depth:)' to have more of them.")
    }
}

extension SnapshotItem {
    var elements: [SnapshotItem] { if case .elements(let elements) = self { elements } else { [] } }

    var entries: [String: SnapshotItem] { if case .entries(let entries) = self { entries } else { [:] } }

    func snapshot<Target: ObjectBase>() -> Snapshot<Target>? {
        if case .object(let content) = self { Snapshot(content) } else { nil }
    }

    /// Converts the item to the type of a property.
    func typed<T: RealmCollectionValue>() -> T {
        switch self {
        case .value(let value): return T._fromStored(_StoredValue(value), nil)
        case .object(let content):
            let object = Draft().make(ObjectModel.of(content.model.type), from: content.values(in: nil))
            return typed(object)
        case .elements(let elements):
            if let value = AnyRealmValue.fromArray(elements.map { $0.typed() }) as? T { return value }
        case .entries(let entries):
            if let value = AnyRealmValue.fromDictionary(entries.mapValues { $0.typed() }) as? T { return value }
        }
        misuse("A collection of a snapshot was read as one value.")
    }

    private func typed<T: RealmCollectionValue>(_ object: ObjectBase) -> T {
        if let value = object as? T { return value }
        let type = (T.self as? any OptionalType.Type)?.wrappedType ?? T.self
        if let custom = type as? any _CustomPersistable.Type, let value = custom.value(of: object) as? T {
            return value
        }
        if let object = object as? Object, let value = AnyRealmValue.object(object) as? T { return value }
        return T._zeroValue()
    }
}

// MARK: - Describing

extension SnapshotContent: CustomStringConvertible {
    var description: String {
        guard let items else {
            return "\(model.className)(\(model.primaryKey.map { "\($0.name): \(primaryKey.shown)" } ?? ""))"
        }
        let parts = zip(model.properties, items).map { "\($0.name): \($1)" }
        return "\(model.className) { \(parts.joined(separator: ", ")) }"
    }
}

extension SnapshotItem: CustomStringConvertible {
    var description: String {
        switch self {
        case .value(let value): value.shown
        case .object(let content): content.description
        case .elements(let elements): "\(elements)"
        case .entries(let entries): "\(entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })"
        }
    }
}

extension Value {
    fileprivate var shown: String { "\(any ?? "nil")" }
}
