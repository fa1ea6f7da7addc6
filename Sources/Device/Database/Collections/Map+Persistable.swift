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

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Map { Map() }

    /// True: a managed object keeps the value from its first read on.
    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    /// Stops the program: a map is not a single stored value.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        misuse("A map is not a value that can be stored in a collection.")
    }

    /// A map is not a single stored value: always null.
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

    /// Moves the content of `value` into the row when its unmanaged owner becomes managed.
    public static func _adopt(_ value: Map, _ object: ObjectBase, _ column: Int) {
        guard let access = object._access else { return }
        let map = ManagedMap(ManagedList(object, access, column))
        let unmanaged = Map(
            state: .unmanaged(Dictionary(uniqueKeysWithValues: value.entries.map { (ExactKey($0.key), $0.value) })))
        // The map becomes managed first, so that a value that links back to the owner finds it in place.
        if case .unmanaged = value.state { value.become(map) }
        if unmanaged.isEmpty, map.list.count == 0 { return }
        if access.instance.updatePolicy == .modified, let unmanaged = unmanaged as? Map<String, AnyRealmValue>,
            access.instance.keeps(map, for: unmanaged, access)
        {
            return
        }
        if access.instance.updatePolicy == .modified, let target = map.list.target, target.isEmbedded {
            let entries = unmanaged.orderedEntries.map { (key: $0.key._mapKey, value: embeddedObject($0.value)) }
            return access.instance.take(entries, in: map, target)
        }
        map.replaceAll(unmanaged.storedEntries(map))
    }

    /// In the order of the keys, so that objects that are added on the way get their rows in one order always.
    private var orderedEntries: [(key: Key, value: Value)] {
        entries.sorted { $0.key._mapKey.precedes($1.key._mapKey) }
    }

    private func storedEntries(_ map: ManagedMap) -> [(key: String, value: CausewayModel.Value)] {
        orderedEntries.map { (key: $0.key._mapKey, value: $0.value._toStored(map.list.target).value) }
    }

    /// A value whose properties continue the recorded key path.
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
        // A Swift dictionary treats two Unicode spellings of a text as one key.
        try container.encode(Dictionary(entries.map { ($0.key._mapKey, $0.value) }, uniquingKeysWith: { $1 }))
    }
}
