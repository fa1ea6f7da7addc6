import CausewayModel

/// `Persisted<Value>` without its type: what discovery finds in a class, by the wrapper's place in the object.
protocol PersistedWrapper: SendableMetatype {
    static var shape: _PropertyShape { get }

    var flags: UInt8 { get }

    /// Whether the property is an object of its own, declared without `@Persisted`.
    static var isBox: Bool { get }

    /// Whether an object keeps the value that it was asked for: a collection, a text, an inverse relation. Such a value
    /// belongs to a row, so an accessor that moves to another row forgets it.
    static var keepsValue: Bool { get }

    /// What makes a wrapper that lies so far into its object read and write a column.
    static func binder(at offset: Int) -> @Sendable (UnsafeMutableRawPointer, _ column: Int) -> Void

    /// Makes the wrapper at an address record that it was visited.
    static func trace(_ wrapper: UnsafeMutableRawPointer, _ recorder: _PathRecorder, _ position: Int)

    /// The scalar an unmanaged object holds. It becomes the property's value if nobody had asked for it before.
    static func scalar(_ wrapper: UnsafeMutableRawPointer) -> Value

    /// Whether nobody has asked for or set the value of an unmanaged object.
    static func isUntouched(_ wrapper: UnsafeMutableRawPointer) -> Bool

    /// What is left to do once the unmanaged object around the wrapper is managed: write its link, move its elements.
    /// Nil when there is nothing to do.
    static func promotion(_ wrapper: UnsafeMutableRawPointer) -> ((ObjectBase, _ column: Int) -> Void)?

    /// The property's value of any object, for `value(forKey:)`.
    static func read(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer) -> Any

    /// The property's value of a managed object, for objects that have no wrapper.
    static func readManaged(_ object: ObjectBase, _ column: Int) -> Any

    /// A stored value as the property would show it.
    static func value(_ stored: Value, _ links: _ClassAccess?) -> Any?

    /// Sets a link, or an embedded object, of any object; false when the link is of another class.
    static func assign(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ link: ObjectBase?) -> Bool

    /// Sets a mixed property of any object; false when the property is of another type.
    static func assign(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, mixed: AnyRealmValue) -> Bool

    /// The value of the property that an unmanaged object would have, made from a stored scalar.
    static func write(_ wrapper: UnsafeMutableRawPointer, stored: Value) -> Bool

    /// The type of the value, or of a collection's elements, without its optional.
    static var readableType: Any.Type { get }

    /// The origin property that a live inverse relation was declared with.
    static func originProperty(_ wrapper: UnsafeMutableRawPointer) -> String?
}

extension Persisted: PersistedWrapper {
    static var shape: _PropertyShape { Value._shape }

    static var readableType: Any.Type {
        let type = (Value.self as? any ElementTyped.Type)?.elementType ?? Value.self
        return (type as? any OptionalType.Type)?.wrappedType ?? type
    }

    static var isBox: Bool { false }

    static var keepsValue: Bool { Value._cachesManagedValue() }

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
        // Discovery paired this type with this offset, and checked both against the mirror of a live object.
        wrapper.assumingMemoryBound(to: Self.self)
    }

    static func bind(_ wrapper: UnsafeMutableRawPointer, _ column: Int) {
        typed(wrapper).pointee.column = Int32(column)
        typed(wrapper).pointee.storage = .managed(column: Int32(column))
    }

    static func trace(_ wrapper: UnsafeMutableRawPointer, _ recorder: _PathRecorder, _ position: Int) {
        typed(wrapper).pointee.storage = .tracing(Unmanaged.passUnretained(recorder), Int32(position))
    }

    /// The value of an unmanaged object, which becomes the property's if nobody had asked for it before.
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
                typed(wrapper).pointee.storage = .managedCached(value, Int32(column))
            }
        }
        return { object, column in Value._writeManaged(object, column, value) }
    }

    static func read(_ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer) -> Any {
        switch typed(wrapper).pointee.storage {
        case .managed(let column):
            let value = Value._readManaged(object, Int(column))
            if Value._cachesManagedValue(), object._remembersCollections {
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

    /// An object as the property's value; nil for one of another class.
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

    /// Sets the property of an unmanaged object, when the value is a `Given` and nothing else.
    ///
    /// Casts ask for bridges and conformances, at a hundred nanoseconds a value; comparing types costs one.
    @inline(__always)
    static func take<Given>(_ wrapper: UnsafeMutableRawPointer, _ any: Any, _ make: (Given) -> Value) -> Bool {
        guard let given = exactly(any, Given.self) else { return false }
        typed(wrapper).pointee._assign(make(given))
        return true
    }

    /// Makes a link of an unmanaged object lead to an object of its class.
    static func take(_ wrapper: UnsafeMutableRawPointer, _ link: ObjectBase) where Value == Object? {
        // A reference takes the same place and the same reference counting whatever class it is of.
        typed(wrapper).pointee._assign(unsafeDowncast(link, to: Object.self))
    }

    static func originProperty(_ wrapper: UnsafeMutableRawPointer) -> String? {
        guard case .unmanaged(let value, _) = typed(wrapper).pointee.storage else { return nil }
        return (value as? any _InverseRelation)?._originProperty
    }
}

/// The value inside an `Any`, if its type is this one and no other that could be cast to it.
@inline(__always)
private func exactly<Wanted>(_ any: Any, _ wanted: Wanted.Type) -> Wanted? {
    type(of: any) == wanted ? opened(any, as: wanted) : nil
}

/// The object inside an `Any`, if it is of this class and of no other that inherits from it.
@inline(__always)
func exactly(_ any: Any, _ wanted: ObjectBase.Type) -> ObjectBase? {
    type(of: any) == wanted ? opened(any, as: ObjectBase.self) : nil
}

/// The value that the caller knows to be a `Wanted`; an `Any` is opened on its way in.
private func opened<Value, Wanted>(_ value: Value, as wanted: Wanted.Type) -> Wanted {
    withUnsafePointer(to: value) { UnsafeRawPointer($0).assumingMemoryBound(to: Wanted.self).pointee }
}

/// Any optional type, for asking what it is an optional of.
protocol OptionalType {
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrappedType: Any.Type { Wrapped.self }
}

/// The type of a property declared with `@Persisted(originProperty:)`.
public protocol _InverseRelation: _Persistable {
    /// The inverse of a property, for an unmanaged object.
    init(_originProperty: String)
    /// The property that the inverse was declared with.
    var _originProperty: String { get }
}
