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
/// dogs.where { $0.companion == .string("Fluffy the Cat") }
/// ```
///
/// A property that nobody set is `.none`, and so is a link once its object was deleted, alone, in a list or in a map; a set
/// loses it. The property itself is never optional. Embedded objects and sets cannot be held.
///
/// Queries compare numbers of all types with each other by their amounts, bools as 0 and 1, and strings with data by
/// their bytes: 1 matches 1.0 and true, and never "1".
public enum AnyRealmValue: Hashable {
    /// Nothing.
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case object(Object)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
}

// MARK: - What it holds

extension AnyRealmValue {
    /// The integer, or nil for a value of another type.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }

    /// The Bool, or nil for a value of another type.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The Float, or nil for a value of another type.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }

    /// The Double, or nil for a value of another type.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

    /// The text, or nil for a value of another type.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The bytes, or nil for a value of another type.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }

    /// The date, or nil for a value of another type.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }

    /// The ObjectId, or nil for a value of another type.
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }

    /// The decimal, or nil for a value of another type.
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }

    /// The UUID, or nil for a value of another type.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

    /// The object that the value links to, or nil when it is none of that class.
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    var linkedObject: Object? { if case .object(let value) = self { value } else { nil } }

    /// Within the description of an object: one that is linked to is told to a depth, since links may go in circles.
    func description(depth: Int) -> String {
        guard case .object(let object) = self else { return "\(self)" }
        return "object(\(object.description(depth: depth)))"
    }

    /// What any Swift value is as a mixed one; nil for what no property could hold.
    init?(any: Any) {
        switch flattened(any) {
        case nil, is NSNull: self = .none
        case let value as AnyRealmValue: self = value
        case let object as Object: self = .object(object)
        case is ObjectBase: return nil
        case let value?:
            guard let stored = storedValue(of: value) else { return nil }
            self = Self._fromStored(_StoredValue(stored), nil)
        }
    }
}

// MARK: - In properties and lists

extension AnyRealmValue: RealmCollectionValue, _Indexable {
    public static var _shape: _PropertyShape { _PropertyShape(.mixed, isOptional: true) }

    public static func _zeroValue() -> AnyRealmValue { .none }

    /// - Parameter links: any class of the Realm in which links lead somewhere; without one they are none.
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
            links?.instance.object(object).map { AnyRealmValue.object($0) } ?? AnyRealmValue.none
        // Of a class that this file does not have: it stays, and shows once the class is there.
        case .anyLink(let link): links?.instance.object(link).map { AnyRealmValue.object($0) } ?? AnyRealmValue.none
        case .object, .link: .none
        }
    }

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
            }
        return _StoredValue(value)
    }

    /// An object that is in no Realm yet is added first, where there is one to add it to.
    private static func link(to object: Object, _ links: _ClassAccess?) -> Value {
        guard let links else {
            // For a query argument.
            _ = object._linkValue()
            return .anyObject(ClassedKey(object._checkedAccess().table.number, object._key))
        }
        let isHere = object._header != nil && object._instance === links.instance
        let access = isHere ? object._checkedAccess() : links.instance.access(for: type(of: object))
        guard case .object(let key) = access.link(to: object) else { return .null }
        return .anyObject(ClassedKey(access.table.number, key))
    }

    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> AnyRealmValue {
        let access = object._checkedAccess()
        return _fromStored(_StoredValue(access.value(object._key, column)), access)
    }

    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: AnyRealmValue) {
        let access = object._writableAccess()
        access.write(object._key, column, value._toStored(access).value)
    }
}

extension RealmInstance {
    /// The object of a mixed link; nil when it is not here, or of a class that the app does not declare.
    func object(_ link: ClassedKey) -> Object? {
        guard let access = linkedClass(transaction.className(number: link.classNumber)),
            access.table.exists(link.key)
        else { return nil }
        return access.object(link.key) as? Object
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
