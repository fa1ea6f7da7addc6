import CausewayModel

/// A type-erased `Persisted<Value>`. The functions take the address of the wrapper in an object.
protocol PersistedWrapper: SendableMetatype {
    static var shape: _PropertyShape { get }

    var flags: UInt8 { get }

    /// Whether the property is a `PropertyBox`, declared without `@Persisted`.
    static var isBox: Bool { get }

    /// The function that makes the wrapper at an offset read and write a column.
    static func binder(at offset: Int) -> @Sendable (UnsafeMutableRawPointer, _ column: Int) -> Void

    /// Makes the wrapper at an address record its visits.
    static func trace(_ wrapper: UnsafeMutableRawPointer, _ recorder: _PathRecorder, _ position: Int)

    /// The scalar of an unmanaged object. An unset property stores its zero value now.
    static func scalar(_ wrapper: UnsafeMutableRawPointer) -> Value

    /// Whether the value of an unmanaged object was neither read nor set.
    static func isUntouched(_ wrapper: UnsafeMutableRawPointer) -> Bool

    /// The work to do once the object around the wrapper is managed, such as writing its link or moving its elements.
    /// Nil when there is none.
    static func promotion(_ wrapper: UnsafeMutableRawPointer) -> ((ObjectBase, _ column: Int) -> Void)?

    /// The value of the property of a managed or unmanaged object, for `value(forKey:)`.
    static func read(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer) -> Any

    /// The value of the property of a managed object that has no wrapper.
    static func readManaged(_ object: ObjectBase, _ column: Int) -> Any

    /// Converts a stored value to the property's type.
    static func value(_ stored: Value, _ links: _ClassAccess?) -> Any?

    /// Sets a link or an embedded object of a managed or unmanaged object. False when the link is of another class.
    static func assign(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ link: ObjectBase?) -> Bool

    /// Sets a mixed property of a managed or unmanaged object. False when the property is of another type.
    static func assign(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, mixed: AnyRealmValue) -> Bool

    /// Sets the property of an unmanaged object from a stored scalar. False for null when the property is not optional.
    static func write(_ wrapper: UnsafeMutableRawPointer, stored: Value) -> Bool

    /// The type that the property is declared with.
    static var valueType: Any.Type { get }

    /// The type of the value, or of the elements of a collection, without `Optional`.
    static var readableType: Any.Type { get }

    /// The origin property that a live inverse relation was declared with.
    static func originProperty(_ wrapper: UnsafeMutableRawPointer) -> String?
}

extension Persisted: PersistedWrapper {
    static var shape: _PropertyShape { Value._shape }

    static var valueType: Any.Type { Value.self }

    static var readableType: Any.Type {
        let type = (Value.self as? any ElementTyped.Type)?.elementType ?? Value.self
        return (type as? any OptionalType.Type)?.wrappedType ?? type
    }

    static var isBox: Bool { false }

    static func binder(at offset: Int) -> @Sendable (UnsafeMutableRawPointer, _ column: Int) -> Void {
        { bind($0, $1) }
    }

    var flags: UInt8 {
        switch storage {
        case .zero(let flags), .unmanaged(_, let flags): flags
        case .managed, .managedCached, .tracing: 0
        }
    }

    private static func typed(_ wrapper: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        // Discovery has checked this type and this offset against the mirror of a live object.
        wrapper.assumingMemoryBound(to: Self.self)
    }

    static func bind(_ wrapper: UnsafeMutableRawPointer, _ column: Int) {
        typed(wrapper).pointee.column = Int32(column)
        typed(wrapper).pointee.storage = .managed(column: Int32(column))
    }

    static func trace(_ wrapper: UnsafeMutableRawPointer, _ recorder: _PathRecorder, _ position: Int) {
        typed(wrapper).pointee.storage = .tracing(Unmanaged.passUnretained(recorder), Int32(position))
    }

    /// The value of an unmanaged object; nil for other objects. An unset property stores its zero value now.
    static func unmanagedValue(_ wrapper: UnsafeMutableRawPointer) -> Value? {
        switch typed(wrapper).pointee.storage {
        case .unmanaged(let value, _): return value
        case .zero(let flags):
            let value = Value._zeroValue()
            typed(wrapper).pointee.storage = .unmanaged(value, flags: flags)
            return value
        case .managed, .managedCached, .tracing: return nil
        }
    }

    static func scalar(_ wrapper: UnsafeMutableRawPointer) -> CausewayModel.Value {
        unmanagedValue(wrapper)?._toStored(nil).value ?? .null
    }

    static func isUntouched(_ wrapper: UnsafeMutableRawPointer) -> Bool {
        if case .zero = typed(wrapper).pointee.storage { true } else { false }
    }

    static func promotion(_ wrapper: UnsafeMutableRawPointer) -> ((ObjectBase, _ column: Int) -> Void)? {
        guard case .unmanaged(let value, _) = typed(wrapper).pointee.storage else { return nil }
        if Value._cachesManagedValue() {
            return { object, column in
                Value._adopt(value, object, column)
                object._hasCached = true
                typed(wrapper).pointee.storage = .managedCached(value, Int32(column))
            }
        }
        return { object, column in Value._writeManaged(object, column, value) }
    }

    static func read(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer) -> Any {
        switch typed(wrapper).pointee.storage {
        case .managed(let column):
            let value = Value._readManaged(object, Int(column))
            if Value._cachesManagedValue(), object._beginsToCache() {
                typed(wrapper).pointee.storage = .managedCached(value, column)
            }
            return value
        case .managedCached(let value, _): return value
        case .zero, .unmanaged: return unmanagedValue(wrapper) as Any
        case .tracing(let recorder, let position): return _trace(recorder, position)
        }
    }

    static func readManaged(_ object: ObjectBase, _ column: Int) -> Any { Value._readManaged(object, column) }

    static func value(_ stored: CausewayModel.Value, _ links: _ClassAccess?) -> Any? {
        flattened(Value._fromStored(_StoredValue(stored), links))
    }

    static func assign(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ link: ObjectBase?) -> Bool {
        guard let value = link.map(linked) ?? Value._zeroValue() else { return false }
        assign(object, wrapper, value)
        return true
    }

    static func assign(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, mixed: AnyRealmValue) -> Bool {
        guard let value = mixed as? Value else { return false }
        assign(object, wrapper, value)
        return true
    }

    private static func assign(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ value: Value) {
        switch typed(wrapper).pointee.storage {
        case .managed(let column), .managedCached(_, let column): Value._writeManaged(object, Int(column), value)
        case .unmanaged(_, let flags), .zero(let flags):
            typed(wrapper).pointee.storage = .unmanaged(value, flags: flags)
        case .tracing: break
        }
    }

    /// Converts an object to the property's value; nil for an object of another class.
    private static func linked(_ object: ObjectBase) -> Value? {
        if let value = object as? Value { return value }
        let type = (Value.self as? any OptionalType.Type)?.wrappedType ?? Value.self
        return (type as? any _CustomPersistable.Type)?.value(of: object) as? Value
    }

    static func write(_ wrapper: UnsafeMutableRawPointer, stored: CausewayModel.Value) -> Bool {
        if stored.isNull, !shape.isOptional { return false }
        let value = Value._fromStored(_StoredValue(stored), nil)
        typed(wrapper).pointee.storage = .unmanaged(value, flags: typed(wrapper).pointee.flags)
        return true
    }

    /// Sets the property of an unmanaged object if the value is exactly a `Given`. False otherwise.
    ///
    /// A cast looks for bridges and conformances, at a hundred nanoseconds a value. Comparing types costs one.
    @inline(__always)
    static func take<Given>(_ wrapper: UnsafeMutableRawPointer, _ any: Any, _ make: (Given) -> Value) -> Bool {
        guard let given = exactly(any, Given.self) else { return false }
        typed(wrapper).pointee.assign(make(given))
        return true
    }

    /// Sets a link of an unmanaged object to an object of the link's class.
    static func take(_ wrapper: UnsafeMutableRawPointer, _ link: ObjectBase) where Value == Object? {
        // References to all classes have the same layout and reference counting.
        typed(wrapper).pointee.assign(unsafeDowncast(link, to: Object.self))
    }

    static func originProperty(_ wrapper: UnsafeMutableRawPointer) -> String? {
        guard case .unmanaged(let value, _) = typed(wrapper).pointee.storage else { return nil }
        return (value as? any _InverseRelation)?._originProperty
    }
}

/// The value inside an `Any` if it has exactly this type, without any cast.
@inline(__always)
private func exactly<Wanted>(_ any: Any, _ wanted: Wanted.Type) -> Wanted? {
    type(of: any) == wanted ? opened(any, as: wanted) : nil
}

/// The object inside an `Any` if it is exactly of this class, not of a subclass.
@inline(__always)
func exactly(_ any: Any, _ wanted: ObjectBase.Type) -> ObjectBase? {
    type(of: any) == wanted ? opened(any, as: ObjectBase.self) : nil
}

/// Reinterprets a value as a `Wanted`. The caller guarantees the type. Swift opens an `Any` argument at the call.
private func opened<Value, Wanted>(_ value: Value, as wanted: Wanted.Type) -> Wanted {
    withUnsafePointer(to: value) { UnsafeRawPointer($0).assumingMemoryBound(to: Wanted.self).pointee }
}

/// Any optional type, with the type that it wraps.
protocol OptionalType {
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrappedType: Any.Type { Wrapped.self }
}

/// The type of a property declared with `@Persisted(originProperty:)`.
public protocol _InverseRelation: _Persistable {
    /// Creates the inverse of a property, for an unmanaged object.
    init(_originProperty: String)
    /// The property that the inverse was declared with.
    var _originProperty: String { get }
}
