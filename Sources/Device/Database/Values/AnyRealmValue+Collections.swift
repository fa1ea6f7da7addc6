import CausewayModel
import CausewayObjectStore

// Lists and dictionaries inside of mixed values.

extension AnyRealmValue {
    /// A value that holds a list.
    ///
    /// ```swift
    /// event.details = .fromArray([.string("gate"), .int(12), .fromDictionary(["open": .bool(true)])])
    /// try realm.write { event.details.listValue?[1] = .int(14) }
    /// ```
    ///
    /// The list of a managed object is live: read it, and change it in place in write transactions. Giving the property
    /// another value ends the list. Storing it in a second place copies it there. Lists and dictionaries nest at most
    /// 100 levels deep.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }

    /// A value that holds a dictionary.
    ///
    /// ```swift
    /// event.details = .fromDictionary(["gate": .int(12), "tags": .fromArray([.string("late")])])
    /// try realm.write { event.details.dictionaryValue?["gate"] = .int(14) }
    /// ```
    ///
    /// The rules of ``fromArray(_:)`` hold here too.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// The list, or nil for a value of another type.
    ///
    /// ```swift
    /// for value in dog.companion.listValue ?? List() { print(value) }
    /// ```
    public var listValue: List<AnyRealmValue>? { if case .list(let value) = self { value } else { nil } }

    /// The dictionary, or nil for a value of another type.
    ///
    /// ```swift
    /// print(dog.companion.dictionaryValue?.keys ?? [])
    /// ```
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    var isCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }

    /// An array or a dictionary of any values as a collection of mixed ones; nil where a value cannot be a mixed one.
    static func collection(_ any: Any, _ element: (Any) -> AnyRealmValue?) -> AnyRealmValue? {
        switch any {
        case let list as List<AnyRealmValue>: return .list(list)
        case let map as Map<String, AnyRealmValue>: return .dictionary(map)
        case is String, is ObjectBase: return nil
        case let array as [Any]:
            let elements = array.compactMap(element)
            return elements.count == array.count ? fromArray(elements) : nil
        case let dictionary as [String: Any]:
            let elements = dictionary.compactMapValues(element)
            return elements.count == dictionary.count ? fromDictionary(elements) : nil
        default: return nil
        }
    }
}

// MARK: - Equality

extension AnyRealmValue: Hashable {
    /// Whether two values have the same type and are equal.
    ///
    /// ```swift
    /// dog.companion == .string("Fluffy the Cat")
    /// AnyRealmValue.int(1) == .double(1)    // false here; a query takes them for equal
    /// ```
    ///
    /// A collection of a managed object equals only itself. Others are equal when their content is.
    public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.int(let left), .int(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.objectId(let left), .objectId(let right)): left == right
        case (.decimal128(let left), .decimal128(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.list(let left), .list(let right)):
            left == right || left.managed == nil && right.managed == nil && Array(left) == Array(right)
        case (.dictionary(let left), .dictionary(let right)):
            left == right || left.managed == nil && right.managed == nil && left.contents == right.contents
        default: false
        }
    }

    /// Hashes the value. All lists have one hash, and all dictionaries another.
    ///
    /// ```swift
    /// let companions = Set(dogs.map(\.companion))    // calls hash(into:)
    /// ```
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        // What they hold may change while they are in a set.
        case .list: hasher.combine(1)
        case .dictionary: hasher.combine(2)
        }
    }
}

extension Map where Key == String, Value == AnyRealmValue {
    fileprivate var contents: [String: AnyRealmValue] {
        Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }
}

// MARK: - Storing

extension AnyRealmValue {
    static func stored(_ list: List<AnyRealmValue>, _ links: _ClassAccess?) -> Value {
        guard let links else { refuseAsArgument("list") }
        return links.instance.makeNested(.list) { table, key, access in
            for element in Array(list) {
                table.listAppend(key, NestedCollection.column, element._toStored(access).value)
            }
        }
    }

    static func stored(_ map: Map<String, AnyRealmValue>, _ links: _ClassAccess?) -> Value {
        guard let links else { refuseAsArgument("dictionary") }
        return links.instance.makeNested(.map) { table, key, access in
            // Sorted by key, so that nested collections always get their rows in the same order.
            for entry in map.entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                table.mapPut(key, NestedCollection.column, entry.key, entry.value._toStored(access).value)
            }
        }
    }

    private static func refuseAsArgument(_ name: String) -> Never {
        misuse(
            "A \(name) inside of AnyRealmValue cannot be compared with as a whole: name what it holds, as in "
                + "details[0] == 1 or details['key'] == 1.")
    }
}
