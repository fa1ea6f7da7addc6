import CausewayModel
public import CausewayObjectStore
import Synchronization

// The read path of numbers and Bools, inlined into the app's module.
//
// The fast path compares the thread, the epoch and the leaf number, and then calls the leaf's reader. Everything else
// (another thread of the same queue, a row that may be gone, a leaf not read yet or being rewritten) goes through
// `_slowRead`, which checks everything, caches the leaf, and reads through the table. None of this releases an object
// that the caller may hold. `@_effects(releasenone)` says so, and a loop needs no references to its objects.
//
// The readers are functions that the compiler may call. Inlined always, they make the getter of a property so large that a loop
// calls the getter instead.

extension ObjectBase {
    /// The leaf that holds the property, if it may be read without further checks.
    @inlinable
    @inline(__always)
    final func _inlinedLeaf(_ column: Int) -> UnsafeRawPointer? {
        guard let header = _header, header.pointee.mayRead(at: _epoch) else { return nil }
        // Not inlined: to the compiler an atomic load may release objects, so every read would retain its object.
        if header.pointee.isFrozen { return _sharedLeaf(column) }
        let leaves = header.pointee.directory[column]
        guard _leaf < leaves.count else { return nil }
        return leaves.leaves[_leaf]
    }

    /// The same for an object of a frozen Realm: another thread may have just set the leaf.
    @usableFromInline
    @inline(never)
    @_effects(releasenone)
    final func _sharedLeaf(_ column: Int) -> UnsafeRawPointer? {
        guard let leaves = _header?.pointee.directory[column], _leaf < leaves.count else { return nil }
        // An atomic pointer has the layout of a pointer.
        return UnsafeMutableRawPointer(leaves.leaves + _leaf).assumingMemoryBound(to: Atomic<UnsafeRawPointer?>.self)
            .pointee.load(ordering: .acquiring)
    }

    /// Reads with every check, and makes the leaf available to inlined reads.
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
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .int(let value) = _stored.value else { return nil }
        self = Int(value)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.int(Int64(self))) }

    /// The initial value of a property declared without a default.
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
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.double) }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .double(let value) = _stored.value else { return nil }
        self = value
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.double(self)) }

    /// The initial value of a property declared without a default.
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
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.bool) }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .bool(let value) = _stored.value else { return nil }
        self = value
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.bool(self)) }

    /// The initial value of a property declared without a default.
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
