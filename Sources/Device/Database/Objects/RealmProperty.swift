import CausewayModel

/// A type that `RealmProperty` can hold an optional of: the numbers and Bool, and enumerations of them.
///
/// ```swift
/// func optional<Number: RealmOptionalType>(_ number: Number?) -> RealmOptional<Number> { RealmOptional(number) }
/// ```
public protocol RealmOptionalType: _PersistableScalar {}

/// A type that `RealmProperty` can hold: an optional number, Bool or enumeration, or `AnyRealmValue`.
///
/// ```swift
/// func property<Value: RealmPropertyType>(_ value: Value) -> RealmProperty<Value> {
///     let property = RealmProperty<Value>()
///     property.value = value
///     return property
/// }
/// ```
public protocol RealmPropertyType: _Persistable {}

extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Bool: RealmOptionalType {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType {}
extension AnyRealmValue: RealmPropertyType {}

/// An optional number or Bool, or a mixed value, in a class that declares its properties without `@Persisted`.
///
/// ```swift
/// class Employee: Object {
///     let age = RealmProperty<Int?>()
/// }
/// let employee = Employee()
/// employee.age.value = 41
/// realm.objects(Employee.self).filter("age > 40")
/// ```
///
/// The class declares it with `let`, and reads and writes its `value`. In new classes write `@Persisted var age: Int?`.
public final class RealmProperty<Value: RealmPropertyType> {
    private enum State {
        case unmanaged(Value)
        case managed(ObjectBase, column: Int)
        case tracing(_PathRecorder)
    }
    private var state: State
    /// Whether the value was set while the property was unmanaged.
    private var wasSet = false

    /// Declares a property that starts as nil; for `AnyRealmValue`, as `.none`.
    public init() {
        state = .unmanaged(Value._zeroValue())
    }

    /// The value of the property. Setting it in a managed object requires a write transaction.
    public var value: Value {
        get {
            switch state {
            case .unmanaged(let value): return value
            case .managed(let object, let column): return Value._readManaged(object, column)
            case .tracing(let recorder):
                _ = recorder.entered()
                return Value._zeroValue()
            }
        }
        set {
            switch state {
            case .unmanaged:
                state = .unmanaged(newValue)
                wasSet = true
            case .managed(let object, let column): Value._writeManaged(object, column, newValue)
            case .tracing: break
            }
        }
    }
}

extension RealmProperty: PropertyBox {
    var content: Value { value }

    func fill(_ content: Value) { value = content }

    var isUntouched: Bool {
        if case .unmanaged = state { !wasSet } else { false }
    }

    var detached: Value? {
        if case .unmanaged(let value) = state { value } else { nil }
    }

    func bind(_ object: ObjectBase, _ column: Int) { state = .managed(object.rowHandle, column: column) }

    func trace(_ recorder: _PathRecorder) { state = .tracing(recorder) }

    func touch() {
        if case .tracing(let recorder) = state { _ = recorder.entered() }
    }
}

extension RealmProperty: CustomStringConvertible {
    /// The value as text.
    public var description: String { flattened(value).map { "\($0)" } ?? "nil" }
}

extension RealmProperty: Equatable where Value: Equatable {
    /// Two properties are equal when their values are.
    public static func == (left: RealmProperty, right: RealmProperty) -> Bool { left.value == right.value }
}

extension RealmProperty: Decodable where Value: Decodable {
    /// Decodes the value; null decodes to nil.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension RealmProperty: Encodable where Value: Encodable {
    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// An optional number or Bool in a class that declares its properties without `@Persisted`.
///
/// ```swift
/// class Employee: Object {
///     let age = RealmOptional<Int>(41)
/// }
/// print(Employee().age.value ?? 0)
/// ```
///
/// The older form of ``RealmProperty``, for existing apps.
public final class RealmOptional<Value: RealmOptionalType> {
    private let property = RealmProperty<Value?>()

    /// Declares a property with an initial value, nil by default.
    public init(_ value: Value? = nil) {
        if let value { property.value = value }
    }

    /// The value of the property. Setting it in a managed object requires a write transaction.
    public var value: Value? {
        get { property.value }
        set { property.value = newValue }
    }
}

extension RealmOptional: PropertyBox {
    var content: Value? { property.value }

    func fill(_ content: Value?) { property.value = content }

    var isUntouched: Bool { property.isUntouched }

    var detached: Value?? { property.detached }

    func bind(_ object: ObjectBase, _ column: Int) { property.bind(object, column) }

    func trace(_ recorder: _PathRecorder) { property.trace(recorder) }

    func touch() { property.touch() }
}

extension RealmOptional: CustomStringConvertible {
    /// The value as text.
    public var description: String { property.description }
}

extension RealmOptional: Equatable where Value: Equatable {
    /// Two properties are equal when their values are.
    public static func == (left: RealmOptional, right: RealmOptional) -> Bool { left.value == right.value }
}

extension RealmOptional: Decodable where Value: Decodable {
    /// Decodes the value; null decodes to nil.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value?.self))
    }
}

extension RealmOptional: Encodable where Value: Encodable {
    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// An enumeration in a class that declares its properties without `@Persisted`.
///
/// ```swift
/// enum Size: Int, RealmEnum { case small, large }
/// class Dog: Object { let size = RealmProperty<Size?>() }
/// ```
///
/// In new classes use ``PersistableEnum``.
public protocol RealmEnum: RealmOptionalType, _StoredAsRawValue, Hashable where RawValue: Hashable {}

extension RealmEnum {
    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Self {
        guard let zero = Self(rawValue: RawValue._zeroValue()) else {
            misuse(
                "Enumeration '\(Self.self)' has no case for '\(RawValue._zeroValue())': declare the property optional.")
        }
        return zero
    }
}
