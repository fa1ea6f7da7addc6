import CausewayModel
import CausewayObjectStore

extension List: _Persistable {
    public static var _shape: _PropertyShape {
        let element = Element._shape
        return _PropertyShape(
            element.type, collection: .list, isOptional: element.isOptional, target: element.target)
    }

    public static func _zeroValue() -> List { List() }

    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        misuse("A list is not a value that can be stored in a collection.")
    }

    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _StoredValue(.null) }

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

    public static func _adopt(_ value: List, _ object: ObjectBase, _ column: Int) {
        guard let access = object._access else { return }
        let list = ManagedList(object, access, column)
        let elements = Array(value)
        // Managed first: an element that leads back here finds the list in place.
        if case .unmanaged = value.state { value.become(list) }
        if elements.isEmpty, list.count == 0 { return }
        let values = elements.map { $0._toStored(list.target).value }
        if access.table.listValues(object._key, column) != values { list.replaceAll(values) }
    }

    public static func _tracing(_ recorder: _PathRecorder) -> List {
        List(state: .tracing(recorder))
    }
}

extension List: ListFilling {
    func fill(with elements: [Any], resolving: (Any) -> Any?) -> Bool {
        guard let converted: [Element] = convertedElements(elements, resolving) else { return false }
        removeAll()
        append(objectsIn: converted)
        return true
    }
}

/// Elements of any types as those of a collection; nil when one of them does not fit.
func convertedElements<Element: RealmCollectionValue>(_ elements: [Any], _ resolving: (Any) -> Any?) -> [Element]? {
    var converted: [Element] = []
    for element in elements {
        guard let resolved = resolving(element) else {
            guard Element._shape.isOptional else { return nil }
            converted.append(Element._zeroValue())
            continue
        }
        if let element = resolved as? Element {
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

extension List: ListDescribing {
    func description(depth: Int) -> String { describeElements(self, "List", depth: depth) }
}

/// A collection within a description, all of it.
func describeElements<C: RealmCollection>(_ collection: C, _ name: String, depth: Int) -> String {
    guard depth > 0 else { return "<Maximum depth exceeded>" }
    var text = "\(name)<\(C.Element.self)> (\n"
    for (position, element) in collection.enumerated() {
        let line = describeElement(element, depth: depth - 1)
        text += "\t[\(position)] \(line.indentedAfterFirstLine),\n"
    }
    return text + ")"
}

extension List: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { append(try container.decode(Element.self)) }
    }
}

extension List: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}
