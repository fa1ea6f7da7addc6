import CausewayModel
import CausewayObjectStore

extension Map: _Persistable {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape {
        let value = Value._shape
        var shape = _PropertyShape(value.type, collection: .map, isOptional: value.isOptional, target: value.target)
        shape.isCounter = value.isCounter
        return shape
    }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Map { Map() }

    /// Whether a managed object keeps the value from its first read on.
    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    /// The value that the store holds, as this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        misuse("A map is not a value that can be stored in a collection.")
    }

    /// The value as the store holds it.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _StoredValue(.null) }

    /// Reads the property of a managed object.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Map {
        Map(state: .managed(ManagedMap(ManagedList(object, object._checkedAccess(), column))))
    }

    /// Assigning a map replaces the content of the property's own map.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Map) {
        let map = ManagedMap(ManagedList(object, object._writableAccess(), column))
        map.list.checkWritable()
        if let other = value.managed?.list, other.key == map.list.key, other.column == column,
            other.access === map.list.access
        {
            return
        }
        map.replaceAll(value.storedEntries(map))
    }

    /// Takes over what an unmanaged value holds when its owner becomes managed.
    public static func _adopt(_ value: Map, _ object: ObjectBase, _ column: Int) {
        guard let access = object._access else { return }
        let map = ManagedMap(ManagedList(object, access, column))
        let unmanaged = Map(
            state: .unmanaged(Dictionary(uniqueKeysWithValues: value.entries.map { (ExactKey($0.key), $0.value) })))
        // Managed first: a value that leads back here finds the map in place.
        if case .unmanaged = value.state { value.become(map) }
        if unmanaged.isEmpty, map.list.count == 0 { return }
        if access.instance.updatePolicy == .modified, let unmanaged = unmanaged as? Map<String, AnyRealmValue>,
            access.instance.keeps(map, for: unmanaged, access)
        {
            return
        }
        map.replaceAll(unmanaged.storedEntries(map))
    }

    private func storedEntries(_ map: ManagedMap) -> [(key: String, value: CausewayModel.Value)] {
        // In the order of the keys, so that objects that are added on the way get their rows in one order always.
        entries.sorted { $0.key._mapKey.precedes($1.key._mapKey) }.map { entry in
            (key: entry.key._mapKey, value: entry.value._toStored(map.list.target).value)
        }
    }

    /// A value whose own properties continue the recorded path.
    public static func _tracing(_ recorder: _PathRecorder) -> Map {
        Map(state: .tracing(recorder))
    }
}

extension Map: MapFilling {
    var namedValues: [(key: String, value: Any)] {
        entries.map { (key: $0.key._mapKey, value: $0.value as Any) }
    }

    func fill(with entries: [(key: String, value: Any)], resolving: (Any) -> Any?) -> Bool {
        guard let values: [Value] = convertedElements(entries.map(\.value), resolving) else { return false }
        removeAll()
        for (entry, value) in zip(entries, values) { updateValue(value, forKey: Key(_mapKey: entry.key)) }
        return true
    }
}

extension Map: Decodable where Key: Decodable, Value: Decodable {
    /// Reads the entries from an object whose names are the keys.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let entries = try decoder.singleValueContainer().decode([String: Value].self)
        for (key, value) in entries { updateValue(value, forKey: Key(_mapKey: key)) }
    }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
    /// Writes the entries as an object whose names are the keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // A Swift dictionary takes two spellings of a text for one key.
        try container.encode(Dictionary(entries.map { ($0.key._mapKey, $0.value) }, uniquingKeysWith: { $1 }))
    }
}
