import CausewayModel
import CausewayObjectStore
public import Foundation

/// A value of any type that a property can hold, or a link to an object of any class.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var companion: AnyRealmValue
/// }
/// dog.companion = .string("Fluffy the Cat")
/// if case let .string(companion) = dog.companion { print(companion) }
/// if case let .list(companions) = dog.companion { print(companions.count) }
/// dogs.where { $0.companion == .string("Fluffy the Cat") }
/// ```
///
/// A property that was never set is `.none`. A link becomes `.none` when its object is deleted, alone, in a list or in
/// a map; a set loses it. The property itself is never optional. It cannot hold embedded objects and sets.
///
/// It can hold lists and dictionaries of mixed values, up to 100 levels deep: see ``fromArray(_:)`` and
/// ``fromDictionary(_:)``.
///
/// Queries compare numbers of all types by value, bools as 0 and 1, and strings with data by their bytes: 1 matches 1.0
/// and true, but never "1".
public enum AnyRealmValue {
    /// Nothing.
    ///
    /// ```swift
    /// dog.companion = AnyRealmValue.none
    /// ```
    case none
    /// A whole number.
    ///
    /// ```swift
    /// dog.companion = .int(7)
    /// ```
    case int(Int)
    /// True or false.
    ///
    /// ```swift
    /// dog.companion = .bool(true)
    /// ```
    case bool(Bool)
    /// A floating-point number of 32 bits.
    ///
    /// ```swift
    /// dog.companion = .float(1.5)
    /// ```
    case float(Float)
    /// A floating-point number of 64 bits.
    ///
    /// ```swift
    /// dog.companion = .double(1.5)
    /// ```
    case double(Double)
    /// Text.
    ///
    /// ```swift
    /// dog.companion = .string("Fluffy the Cat")
    /// ```
    case string(String)
    /// Bytes.
    ///
    /// ```swift
    /// dog.companion = .data(Data([1, 2, 3]))
    /// ```
    case data(Data)
    /// A point in time.
    ///
    /// ```swift
    /// dog.companion = .date(.now)
    /// ```
    case date(Date)
    /// A link to an object of any class.
    ///
    /// ```swift
    /// dog.companion = .object(person)
    /// ```
    case object(Object)
    /// An `ObjectId`.
    ///
    /// ```swift
    /// dog.companion = .objectId(dog.id)
    /// ```
    case objectId(ObjectId)
    /// A decimal number of 34 digits.
    ///
    /// ```swift
    /// dog.companion = .decimal128("19.99")
    /// ```
    case decimal128(Decimal128)
    /// A `UUID`.
    ///
    /// ```swift
    /// dog.companion = .uuid(UUID())
    /// ```
    case uuid(UUID)
    /// Values by string keys. Live once its object is managed.
    ///
    /// ```swift
    /// if case .dictionary(let names) = dog.companion { print(names["Fluffy"] ?? .none) }
    /// ```
    case dictionary(Map<String, AnyRealmValue>)
    /// Values in order. Live once its object is managed.
    ///
    /// ```swift
    /// if case .list(let names) = dog.companion { print(names.count) }
    /// ```
    case list(List<AnyRealmValue>)
}

// MARK: - What it holds

extension AnyRealmValue {
    /// The integer, or nil for a value of another type.
    ///
    /// ```swift
    /// dog.companion = .int(3)
    /// dog.companion.intValue       // 3
    /// dog.companion.doubleValue    // nil, and so are the values of all other types
    /// dog.companion.floatValue
    /// dog.companion.boolValue
    /// ```
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }

    /// The Bool, or nil for a value of another type.
    ///
    /// ```swift
    /// let isThere = dog.companion.boolValue ?? false
    /// ```
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The Float, or nil for a value of another type.
    ///
    /// ```swift
    /// let weight = dog.companion.floatValue ?? 0
    /// ```
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }

    /// The Double, or nil for a value of another type.
    ///
    /// ```swift
    /// let weight = dog.companion.doubleValue ?? 0
    /// ```
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

    /// The text, or nil for a value of another type.
    ///
    /// ```swift
    /// dog.companion = .string("Fluffy the Cat")
    /// dog.companion.stringValue    // "Fluffy the Cat"
    /// dog.companion.dataValue      // nil
    /// ```
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The bytes, or nil for a value of another type.
    ///
    /// ```swift
    /// print(dog.companion.dataValue?.count ?? 0)
    /// ```
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }

    /// The date, or nil for a value of another type.
    ///
    /// ```swift
    /// event.details = .date(Date())
    /// let when = event.details.dateValue
    /// ```
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }

    /// The ObjectId, or nil for a value of another type.
    ///
    /// ```swift
    /// event.details = .objectId(dog.id)
    /// event.details.objectIdValue == dog.id    // true
    /// event.details.uuidValue                  // nil: that is for .uuid(UUID())
    /// ```
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }

    /// The decimal, or nil for a value of another type.
    ///
    /// ```swift
    /// event.details = .decimal128(19.99)
    /// event.details.decimal128Value    // 19.99; .float(19.99) and .double(19.99) are other types
    /// ```
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }

    /// The UUID, or nil for a value of another type.
    ///
    /// ```swift
    /// print(dog.companion.uuidValue?.uuidString ?? "no chip")
    /// ```
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

    /// The linked object, or nil when the value is no link to an object of that class.
    ///
    /// ```swift
    /// if let friend = dog.companion.object(Dog.self) { print(friend.name) }
    /// ```
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    var linkedObject: Object? { if case .object(let value) = self { value } else { nil } }

    /// The description within that of an object. Linked objects are shown to a depth, since links may form cycles.
    func description(depth: Int) -> String {
        switch self {
        case .object(let object): "object(\(object.description(depth: depth)))"
        case .list(let list): "list(\(list.description(depth: depth)))"
        case .dictionary(let map): "dictionary(\(map.description(depth: depth)))"
        default: "\(self)"
        }
    }

    /// Any Swift value as a mixed one; nil if no property could hold it.
    init?(any: Any) {
        switch flattened(any) {
        case nil, is NSNull: self = .none
        case let value as AnyRealmValue: self = value
        case let object as Object: self = .object(object)
        case is ObjectBase: return nil
        case let value?:
            if let stored = storedValue(of: value) {
                self = Self._fromStored(_StoredValue(stored), nil)
            } else if let collection = Self.collection(value, { Self(any: $0) }) {
                self = collection
            } else {
                return nil
            }
        }
    }
}

// MARK: - Aggregates

extension AnyRealmValue: MinMaxType, AddableType {
    /// The value that an aggregate found.
    public static func _aggregated(_ stored: _StoredValue, _ links: _ClassAccess?) -> AnyRealmValue? {
        _fromStored(stored, links)
    }
}

// MARK: - In properties and lists

extension AnyRealmValue: RealmCollectionValue, _Indexable {
    /// The schema of a property of this type.
    public static var _shape: _PropertyShape { _PropertyShape(.mixed, isOptional: true) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> AnyRealmValue { .none }

    /// Converts a stored value to this type.
    ///
    /// - Parameter links: any class of the Realm that links lead to; without one, links become `.none`.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> AnyRealmValue {
        switch stored.value {
        case .null: .none
        case .bool(let value): .bool(value)
        case .int(let value): .int(Int(value))
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .bytes(let value): .data(Data(value))
        case .timestamp(let value): .date(Date(value))
        case .objectId(let value): .objectId(ObjectId(value))
        case .uuid(let value): .uuid(UUID(value))
        case .decimal(let value): .decimal128(Decimal128(value))
        case .anyObject(let object):
            links?.instance.mixed(object) ?? AnyRealmValue.none
        // A link to a class that this file does not have. It is kept, and shows once the class is there.
        case .anyLink(let link): links?.instance.object(link).map { AnyRealmValue.object($0) } ?? AnyRealmValue.none
        case .object, .link: .none
        }
    }

    /// The stored form of the value.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue {
        let value: Value =
            switch self {
            case .none: .null
            case .int(let value): .int(Int64(value))
            case .bool(let value): .bool(value)
            case .float(let value): .float(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .data(let value): .bytes(Array(value))
            case .date(let value): value._stored.value
            case .objectId(let value): value._stored.value
            case .uuid(let value): value._stored.value
            case .decimal128(let value): .decimal(value.number)
            case .object(let object): Self.link(to: object, links)
            case .list(let list): Self.stored(list, links)
            case .dictionary(let map): Self.stored(map, links)
            }
        return _StoredValue(value)
    }

    /// Adds an object that is in no Realm yet, where there is a Realm to add it to.
    private static func link(to object: Object, _ links: _ClassAccess?) -> Value {
        guard let links else {
            // For a query argument. Nothing that is stored links to an object that no Realm manages.
            guard case .object(let key) = object._linkValue(), object._header != nil else {
                return .anyObject(ClassedKey(0, .unmanaged))
            }
            return .anyObject(ClassedKey(object._checkedAccess().table.number, key))
        }
        // In an object that is added, the levels of collections are counted from zero.
        let level = links.instance.nestedBeingMade
        links.instance.nestedBeingMade = 0
        defer { links.instance.nestedBeingMade = level }
        let isHere = object._header != nil && object._instance === links.instance
        let access = isHere ? object._checkedAccess() : links.instance.access(for: type(of: object))
        guard case .object(let key) = access.link(to: object) else { return .null }
        return .anyObject(ClassedKey(access.table.number, key))
    }

    /// Reads the property of a managed object.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> AnyRealmValue {
        let access = object._checkedAccess()
        return _fromStored(_StoredValue(access.value(object._key, column)), access)
    }

    /// Writes the property of a managed object.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: AnyRealmValue) {
        let access = object._writableAccess()
        if access.instance.updatePolicy == .modified,
            access.instance.keeps(access.value(object._key, column), for: value, access)
        {
            return
        }
        if access.instance.hasSeenNested || value.isCollection {
            access.writeMixed(object._key, column, value)
        } else {
            access.write(object._key, column, value._toStored(access).value)
        }
    }
}

extension RealmInstance {
    /// The target of a mixed link; nil when it is not here, or of a class that the app does not declare.
    func mixed(_ link: ClassedKey) -> AnyRealmValue? {
        let name = transaction.className(number: link.classNumber)
        if let name, let kind = NestedCollection(className: name) { return nested(kind, link.key) }
        guard let access = linkedClass(name), access.exists(link.key) else { return nil }
        return (access.object(link.key) as? Object).map { .object($0) }
    }

    func object(_ link: ClassedLink) -> Object? {
        guard let access = linkedClass(link.className), let key = access.table.key(for: link.key) else { return nil }
        return access.object(key) as? Object
    }

    private func linkedClass(_ name: String?) -> _ClassAccess? {
        guard let name, declared.models[name] != nil else { return nil }
        return access(named: name)
    }
}
