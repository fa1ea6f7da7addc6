import CausewayModel

// Properties of the older style: the class declares no `@Persisted`, but objects that hold the values themselves.
//
//     let dogs = List<Dog>()
//     let age = RealmProperty<Int?>()
//     let clubs = LinkingObjects(fromType: DogClub.self, property: "members")
//
// The library writes nothing into such a property, which may well be a constant: it tells the object there which row it
// stands for.

/// A type that declares a property by being its value.
protocol PropertyBox: SendableMetatype {
    /// What the property holds: the box itself, or the value in it.
    associatedtype Content: _Persistable

    var content: Content { get }

    /// Sets the value of an unmanaged box.
    func fill(_ content: Content)

    /// Whether an unmanaged box has nothing that a new row would not have.
    var isUntouched: Bool { get }

    /// What an unmanaged box holds, in a value that stays as it is when the box is bound; nil for a managed one.
    var detached: Content? { get }

    /// From now on the box shows and changes a column of the object's row.
    func bind(_ object: ObjectBase, _ column: Int)

    /// From now on the box records that it was used.
    func trace(_ recorder: _PathRecorder)

    /// Records that a key path ends here.
    func touch()
}

extension PropertyBox {
    static var wrapper: any PersistedWrapper.Type { BoxWrapper<Self>.self }
}

/// What `Persisted` is to other properties.
enum BoxWrapper<Box: PropertyBox>: PersistedWrapper {
    static var shape: _PropertyShape { Box.Content._shape }

    static var isBox: Bool { true }

    static var keepsValue: Bool { true }

    static var readableType: Any.Type { Persisted<Box.Content>.readableType }

    var flags: UInt8 { 0 }

    private static func box(_ address: UnsafeMutableRawPointer) -> Box {
        // Discovery paired this type with this offset.
        address.assumingMemoryBound(to: Box.self).pointee
    }

    static func binder(at offset: Int) -> @Sendable (UnsafeMutableRawPointer, _ column: Int) -> Void {
        { address, column in
            let object = Unmanaged<ObjectBase>.fromOpaque(address - offset)
            object._withUnsafeGuaranteedRef { box(address).bind($0, column) }
        }
    }

    static func trace(_ address: UnsafeMutableRawPointer, _ recorder: _PathRecorder, _ position: Int) {
        box(address).trace(_PathRecorder(ofBox: position, in: recorder))
    }

    static func scalar(_ address: UnsafeMutableRawPointer) -> Value {
        box(address).content._toStored(nil).value
    }

    static func isUntouched(_ address: UnsafeMutableRawPointer) -> Bool { box(address).isUntouched }

    static func promotion(_ address: UnsafeMutableRawPointer) -> ((ObjectBase, _ column: Int) -> Void)? {
        guard let content = box(address).detached else { return nil }
        return Box.Content._cachesManagedValue()
            ? { Box.Content._adopt(content, $0, $1) } : { Box.Content._writeManaged($0, $1, content) }
    }

    static func read(_ object: ObjectBase, _ address: UnsafeMutableRawPointer) -> Any { box(address).content }

    static func readManaged(_ object: ObjectBase, _ column: Int) -> Any { Box.Content._readManaged(object, column) }

    static func value(_ stored: Value, _ links: _ClassAccess?) -> Any? {
        flattened(Box.Content._fromStored(_StoredValue(stored), links))
    }

    /// No box holds a link.
    static func assign(_ object: ObjectBase, _ address: UnsafeMutableRawPointer, _ link: ObjectBase?) -> Bool { false }

    static func assign(_ object: ObjectBase, _ address: UnsafeMutableRawPointer, mixed: AnyRealmValue) -> Bool {
        guard let value = mixed as? Box.Content else { return false }
        box(address).fill(value)
        return true
    }

    static func write(_ address: UnsafeMutableRawPointer, stored: Value) -> Bool {
        if stored.isNull, !shape.isOptional { return false }
        box(address).fill(Box.Content._fromStored(_StoredValue(stored), nil))
        return true
    }

    static func originProperty(_ address: UnsafeMutableRawPointer) -> String? {
        (box(address) as? any _InverseRelation)?._originProperty
    }
}

extension ObjectBase {
    /// A handle to the row of a managed object, for a property that may be held longer than its object.
    final var rowHandle: ObjectBase {
        let handle = ObjectBase()
        handle._instance = _instance
        handle._header = _header
        handle._epoch = _epoch
        handle._leaf = _leaf
        handle._slot = _slot
        return handle
    }
}
