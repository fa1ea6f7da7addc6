import CausewayModel
public import CausewayObjectStore
public import Glibc
public import Synchronization

// The read path of numbers and Bools, inlined into the app's module.
//
// One compare for the thread, one for the epoch, one for the leaf number; then the leaf's own reader. Whatever is
// unusual (another thread of the same queue, a row that may be gone, a leaf not read yet or being rewritten) leaves
// through `_slowRead`, which checks everything, remembers what it found, and reads through the table. None of that lets
// go of an object that the caller can have, and the functions say so: a loop then needs no references to its objects.

extension ObjectBase {
    /// The leaf that holds the property, if it may be read without further checks.
    @inlinable
    @inline(__always)
    final func _inlinedLeaf(_ column: Int) -> UnsafeRawPointer? {
        guard let header = _header,
            header.pointee.thread == UInt(pthread_self()) || header.pointee.thread == 0,
            header.pointee.epoch == _epoch
        else { return nil }
        let leaves = header.pointee.directory[column]
        guard _leaf < leaves.count else { return nil }
        // Another thread that reads a frozen Realm may just have found the leaf. An atomic pointer lies as a pointer does.
        return UnsafeMutableRawPointer(leaves.leaves + _leaf).assumingMemoryBound(to: Atomic<UnsafeRawPointer?>.self)
            .pointee.load(ordering: .acquiring)
    }

    /// Reads through every check, and has the leaf at hand for the next read.
    final func _slowRead(_ column: Int) -> Value {
        let access = _checkedAccess()
        access.letGoOfPages(before: _key, column)
        access.bringLeaf(column, _leaf)
        return access.value(_key, column)
    }

    @usableFromInline
    @_effects(releasenone)
    final func _slowInteger(_ column: Int) -> Int64? {
        if case .int(let value) = _slowRead(column) { value } else { nil }
    }

    @usableFromInline
    @_effects(releasenone)
    final func _slowDouble(_ column: Int) -> Double? {
        if case .double(let value) = _slowRead(column) { value } else { nil }
    }

    @usableFromInline
    @_effects(releasenone)
    final func _slowBool(_ column: Int) -> Bool? {
        if case .bool(let value) = _slowRead(column) { value } else { nil }
    }
}

// MARK: - Int

extension Int: _PersistableScalar, _PrimaryKey, _Indexable, MinMaxType, AddableType {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        guard case .int(let value) = _stored.value else { return nil }
        self = Int(value)
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { _StoredValue(.int(Int64(self))) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Int { 0 }

    /// Reads the property of a managed object.
    @inlinable
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Int {
        if let leaf = object._inlinedLeaf(column) {
            return Int(truncatingIfNeeded: IntegerLeaf(leaf).value(object._slot))
        }
        return Int(truncatingIfNeeded: object._slowInteger(column) ?? 0)
    }

    /// Reads the optional property of a managed object.
    @inlinable
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Int? {
        if let leaf = object._inlinedLeaf(column) {
            let reader = IntegerLeaf(leaf)
            return reader.isNull(object._slot) ? nil : Int(truncatingIfNeeded: reader.value(object._slot))
        }
        return object._slowInteger(column).map { Int(truncatingIfNeeded: $0) }
    }
}

// MARK: - Double

extension Double: _PersistableScalar, MinMaxType, AddableType {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.double) }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        guard case .double(let value) = _stored.value else { return nil }
        self = value
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { _StoredValue(.double(self)) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Double { 0 }

    /// Reads the property of a managed object.
    @inlinable
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Double {
        if let leaf = object._inlinedLeaf(column) {
            return DoubleLeaf(leaf).value(object._slot)
        }
        return object._slowDouble(column) ?? 0
    }

    /// Reads the optional property of a managed object.
    @inlinable
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Double? {
        if let leaf = object._inlinedLeaf(column) {
            let reader = DoubleLeaf(leaf)
            return reader.isNull(object._slot) ? nil : reader.value(object._slot)
        }
        return object._slowDouble(column)
    }
}

// MARK: - Bool

extension Bool: _PersistableScalar, _Indexable {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.bool) }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        guard case .bool(let value) = _stored.value else { return nil }
        self = value
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue { _StoredValue(.bool(self)) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Bool { false }

    /// Reads the property of a managed object.
    @inlinable
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Bool {
        if let leaf = object._inlinedLeaf(column) {
            return BoolLeaf(leaf).value(object._slot)
        }
        return object._slowBool(column) ?? false
    }

    /// Reads the optional property of a managed object.
    @inlinable
    public static func _readManagedOptional(_ object: ObjectBase, _ column: Int) -> Bool? {
        if let leaf = object._inlinedLeaf(column) {
            let reader = BoolLeaf(leaf)
            return reader.isNull(object._slot) ? nil : reader.value(object._slot)
        }
        return object._slowBool(column)
    }
}
