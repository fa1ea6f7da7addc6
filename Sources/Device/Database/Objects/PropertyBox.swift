import CausewayModel

// Older-style properties: the class declares, instead of `@Persisted`, objects that hold the values themselves.
//
//     let dogs = List<Dog>()
//     let age = RealmProperty<Int?>()
//     let clubs = LinkingObjects(fromType: DogClub.self, property: "members")
//
// The library does not assign such a property, which may be a constant. It tells the box which row it stands for.

/// An object that is itself a persisted property: a collection or a `RealmProperty`.
protocol PropertyBox: SendableMetatype {
    /// The type of the property's value: the box itself, or the value in it.
    associatedtype Content: _Persistable

    var content: Content { get }

    /// Sets the value of an unmanaged box.
    func fill(_ content: Content)

    /// Whether an unmanaged box is empty or unset, so that a new row needs nothing from it.
    var isUntouched: Bool { get }

    /// The content of an unmanaged box, in a value that binding the box does not change; nil for a managed box.
    var detached: Content? { get }

    /// Makes the box read and write a column of the object's row.
    func bind(_ object: ObjectBase, _ column: Int)

    /// Makes the box record its uses.
    func trace(_ recorder: _PathRecorder)

    /// Records that a key path ends here.
    func touch()
}

extension PropertyBox {
    static var wrapper: any PersistedWrapper.Type { BoxWrapper<Self>.self }
}

/// The wrapper of a property box, as `Persisted` is for other properties.
enum BoxWrapper<Box: PropertyBox>: PersistedWrapper {
    static var shape: _PropertyShape { Box.Content._shape }

    static var isBox: Bool { true }

    static var valueType: Any.Type { Box.self }

    static var readableType: Any.Type { Persisted<Box.Content>.readableType }

    var flags: UInt8 { 0 }

    private static func box(_ address: UnsafeMutableRawPointer) -> Box {
        // Discovery has checked this type and this offset against the mirror of a live object.
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
    /// A separate reference to the row of a managed object, for a property that may outlive its object.
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
