import CausewayModel
import CausewayObjectStore

extension MutableSet: _Persistable {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape {
        let element = Element._shape
        var shape = _PropertyShape(
            element.type, collection: .set, isOptional: element.isOptional && !Element._isRequiredMapped,
            target: element.target)
        shape.isCounter = element.isCounter
        return shape
    }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> MutableSet { MutableSet() }

    /// True: a managed object keeps the value from its first read on.
    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    /// Stops the program: a set is not a single stored value.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        misuse("A set is not a value that can be stored in a collection.")
    }

    /// A set is not a single stored value: always null.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _StoredValue(.null) }

    /// Reads the property of a managed object.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> MutableSet {
        MutableSet(state: .managed(ManagedSet(ManagedList(object, object._checkedAccess(), column))))
    }

    /// Assigning a set replaces the content of the property's own set.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: MutableSet) {
        let set = ManagedSet(ManagedList(object, object._writableAccess(), column))
        set.list.checkWritable()
        set.replaceAll(Array(value).map { $0._toStored(set.list.target).value })
    }

    /// Moves the content of `value` into the row when its unmanaged owner becomes managed.
    public static func _adopt(_ value: MutableSet, _ object: ObjectBase, _ column: Int) {
        guard let access = object._access else { return }
        let set = ManagedSet(ManagedList(object, access, column))
        let elements = Array(value)
        // The set becomes managed first, so that an element that links back to the owner finds it in place.
        if case .unmanaged = value.state { value.become(set) }
        if elements.isEmpty, set.list.count == 0 { return }
        set.replaceAll(elements.map { $0._toStored(set.list.target).value })
    }

    /// A value whose properties continue the recorded key path.
    public static func _tracing(_ recorder: _PathRecorder) -> MutableSet {
        MutableSet(state: .tracing(recorder))
    }
}

extension MutableSet: ListFilling {
    func fill(with elements: [Any], resolving: (Any) -> Any?) -> Bool {
        guard let converted: [Element] = convertedElements(elements, resolving) else { return false }
        removeAll()
        insert(objectsIn: converted)
        return true
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Reads the elements.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { insert(try container.decode(Element.self)) }
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Writes the elements.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}
