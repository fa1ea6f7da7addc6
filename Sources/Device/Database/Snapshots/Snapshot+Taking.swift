import CausewayModel
import CausewayObjectStore

extension _PersistableObject where Self: ObjectBase {
    /// The current values of the object, as a value that may leave the thread, the Realm and the process.
    ///
    /// ```swift
    /// let rex = dog.snapshot(depth: 1)
    /// ```
    ///
    /// Unmanaged and frozen objects have snapshots, too.
    ///
    /// - Parameter depth: How many links to follow. At 0 a linked object is a reference with its primary key. Embedded
    ///   objects are always included and do not count.
    /// - Complexity: O(values). With a depth, the snapshot may contain an object once for each path to it.
    public func snapshot(depth: Int = 0) -> Snapshot<Self> {
        Snapshot(SnapshotContent(of: self, depth: depth))
    }
}

extension RealmCollection where Element: _PersistableObject & ObjectBase {
    /// Snapshots of all elements, in their order.
    ///
    /// ```swift
    /// let adults = realm.objects(Person.self).where { $0.age >= 18 }.snapshots()
    /// await library.show(adults)
    /// ```
    ///
    /// - Parameter depth: How many links to follow from each element.
    /// - Complexity: O(values).
    public func snapshots(depth: Int = 0) -> [Snapshot<Element>] {
        map { $0.snapshot(depth: depth) }
    }
}

extension SnapshotContent {
    init(of object: ObjectBase, depth: Int) {
        if object._header == nil {
            self.init(unmanaged: object, depth: depth)
        } else {
            self = object._checkedAccess().snapshot(of: object._key, depth: depth)
        }
    }

    /// The content of a linked object: all of it if it is embedded or `depth` allows, otherwise a reference.
    private init(linked object: ObjectBase, depth: Int) {
        if type(of: object)._kind == .embedded || depth > 0 {
            self.init(of: object, depth: type(of: object)._kind == .embedded ? depth : depth - 1)
        } else if object._header != nil {
            self = object._checkedAccess().reference(to: object._key)
        } else {
            let model = ObjectModel.of(type(of: object))
            let base = Unmanaged.passUnretained(object).toOpaque()
            self.init(
                model,
                referenceTo: withExtendedLifetime(object) {
                    model.primaryKey.map { $0.wrapper.scalar(base + $0.offset) } ?? .null
                })
        }
    }

    private init(unmanaged object: ObjectBase, depth: Int) {
        let model = ObjectModel.of(type(of: object))
        let base = Unmanaged.passUnretained(object).toOpaque()
        let items = withExtendedLifetime(object) {
            model.properties.map { property in
                let wrapper = base + property.offset
                if property.isScalar { return SnapshotItem.value(property.wrapper.scalar(wrapper)) }
                let value = property.wrapper.read(object, wrapper)
                switch property.shape.collection {
                case .none: return Self.item(value, depth)
                case .list, .set:
                    return .elements((value as? any Sequence).map { Self.elements($0, depth) } ?? [])
                case .map:
                    let entries = (value as? any MapFilling)?.namedValues ?? []
                    return .entries(
                        Dictionary(entries.map { ($0.key, Self.item($0.value, depth)) }, uniquingKeysWith: { $1 }))
                }
            }
        }
        self.init(model, items: items)
    }

    private static func elements(_ sequence: some Sequence, _ depth: Int) -> [SnapshotItem] {
        sequence.map { item($0, depth) }
    }

    private static func item(_ any: Any, _ depth: Int) -> SnapshotItem {
        switch flattened(any) {
        case nil: .value(.null)
        case let object as ObjectBase: .object(SnapshotContent(linked: object, depth: depth))
        case let mixed as AnyRealmValue: item(mixed: mixed, depth)
        case let custom as any _CustomPersistable where custom.embeddedObject != nil:
            custom.embeddedObject.map { .object(SnapshotContent(linked: $0, depth: depth)) } ?? .value(.null)
        case let value?: .value(storedValue(of: value) ?? .null)
        }
    }
}

extension SnapshotContent {
    fileprivate static func item(mixed: AnyRealmValue, _ depth: Int) -> SnapshotItem {
        switch mixed {
        case .object(let object): .object(SnapshotContent(linked: object, depth: depth))
        case .list(let list): .elements(list.map { item(mixed: $0, depth) })
        case .dictionary(let map):
            .entries(Dictionary(map.map { ($0.key, item(mixed: $0.value, depth)) }, uniquingKeysWith: { $1 }))
        default: .value(mixed._toStored(nil).value)
        }
    }
}

// MARK: - Of managed objects

extension _ClassAccess {
    fileprivate func snapshot(of key: ObjectKey, depth: Int) -> SnapshotContent {
        SnapshotContent(
            model, items: model.properties.indices.map { item(model.properties[$0], columns[$0], key, depth) })
    }

    fileprivate func reference(to key: ObjectKey) -> SnapshotContent {
        SnapshotContent(model, referenceTo: table.primaryKey(of: key)?.value ?? .null)
    }

    private func item(
        _ property: ObjectModel.Property, _ column: Int, _ key: ObjectKey, _ depth: Int
    ) -> SnapshotItem {
        switch property.shape.collection {
        case .none: return item(table.value(key, column), column, depth)
        case .list, .set:
            let items = table.listValues(key, column).map { item($0, column, depth) }
            // A list omits objects that have not arrived here.
            guard property.shape.type == .object else { return .elements(items) }
            return .elements(items.filter { if case .object = $0 { true } else { false } })
        case .map:
            let entries = zip(table.mapKeys(key, column), table.listValues(key, column))
            return .entries(
                Dictionary(entries.map { ($0, item($1, column, depth)) }, uniquingKeysWith: { $1 }))
        }
    }

    private func item(_ value: Value, _ column: Int, _ depth: Int) -> SnapshotItem {
        switch value {
        case .object(let other):
            guard let target = target(column), target.exists(other) else { return .value(.null) }
            return .object(target.linked(other, depth))
        case .anyObject(let link):
            return instance.mixed(link).map { SnapshotContent.item(mixed: $0, depth) } ?? .value(.null)
        case .anyLink, .link: return .value(.null)
        default: return .value(value)
        }
    }

    private func linked(_ key: ObjectKey, _ depth: Int) -> SnapshotContent {
        if isEmbedded { return snapshot(of: key, depth: depth) }
        return depth > 0 ? snapshot(of: key, depth: depth - 1) : reference(to: key)
    }
}
