import CausewayModel
import CausewayObjectStore

extension List: _Persistable {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape {
        let element = Element._shape
        var shape = _PropertyShape(
            element.type, collection: .list, isOptional: element.isOptional && !Element._isRequiredMapped,
            target: element.target)
        shape.isCounter = element.isCounter
        return shape
    }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> List { List() }

    /// True: a managed object keeps the value from its first read on.
    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    /// Stops the program: a list is not a single stored value.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        misuse("A list is not a value that can be stored in a collection.")
    }

    /// A list is not a single stored value: always null.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _StoredValue(.null) }

    /// Reads the property of a managed object.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> List {
        List(state: .managed(ManagedList(object, object._checkedAccess(), column)))
    }

    /// Assigning a list replaces the content of the property's own list.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: List) {
        let list = ManagedList(object, object._writableAccess(), column)
        list.checkWritable()
        if let other = value.managed, other.key == list.key, other.column == column, other.access === list.access {
            return
        }
        list.replaceAll(Array(value).map { $0._toStored(list.target).value })
    }

    /// Moves the content of `value` into the row when its unmanaged owner becomes managed.
    public static func _adopt(_ value: List, _ object: ObjectBase, _ column: Int) {
        guard let access = object._access else { return }
        let list = ManagedList(object, access, column)
        let elements = Array(value)
        // The list becomes managed first, so that an element that links back to the owner finds it in place.
        if case .unmanaged = value.state { value.become(list) }
        if elements.isEmpty, list.count == 0 { return }
        if access.instance.updatePolicy == .modified, let elements = elements as? [AnyRealmValue],
            access.instance.keeps(access.table.listValues(object._key, column), for: elements, access)
        {
            return
        }
        if access.instance.updatePolicy == .modified, let target = list.target, target.isEmbedded {
            return access.instance.take(elements.compactMap(embeddedObject), in: list, target)
        }
        let values = elements.map { $0._toStored(list.target).value }
        if access.table.listValues(object._key, column) != values { list.replaceAll(values) }
    }

    /// A value whose properties continue the recorded key path.
    public static func _tracing(_ recorder: _PathRecorder) -> List {
        List(state: .tracing(recorder))
    }
}

extension RealmCollectionValue {
    /// Whether a value that is stored as an embedded object is always there: such an element is no optional link.
    static var _isRequiredMapped: Bool { _shape.isMapped && !(self is any OptionalType.Type) }
}

extension List: ListFilling {
    func fill(with elements: [Any], resolving: (Any) -> Any?) -> Bool {
        guard let converted: [Element] = convertedElements(elements, resolving) else { return false }
        removeAll()
        append(objectsIn: converted)
        return true
    }
}

/// Converts elements of any types to the element type of a collection; nil when one of them does not fit.
func convertedElements<Element: RealmCollectionValue>(_ elements: [Any], _ resolving: (Any) -> Any?) -> [Element]? {
    var converted: [Element] = []
    let isMapped = Element._shape.isMapped
    for element in elements {
        // Of a type that is stored as an embedded object: the value itself.
        if isMapped, let value = flattened(element), let element = value as? Element {
            converted.append(element)
            continue
        }
        guard let resolved = resolving(element) else {
            guard Element._shape.isOptional else { return nil }
            converted.append(Element._zeroValue())
            continue
        }
        if let element = resolved as? Element {
            converted.append(element)
        } else if isMapped, let object = resolved as? ObjectBase, let element: Element = mapped(object) {
            converted.append(element)
        } else if Element._shape.target == nil,
            let stored = storedValue(of: resolved)?
                .converted(to: Element._shape.type, isOptional: Element._shape.isOptional)
        {
            converted.append(Element._fromStored(_StoredValue(stored), nil))
        } else {
            return nil
        }
    }
    return converted
}

/// What an embedded object stands for; nil for an object of another class.
private func mapped<Element>(_ object: ObjectBase) -> Element? {
    let type = (Element.self as? any OptionalType.Type)?.wrappedType ?? Element.self
    return (type as? any _CustomPersistable.Type)?.value(of: object) as? Element
}

extension List: Decodable where Element: Decodable {
    /// Reads the elements.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { append(try container.decode(Element.self)) }
    }
}

extension List: Encodable where Element: Encodable {
    /// Writes the elements.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}
