import CausewayModel
import CausewayObjectStore
import Synchronization

/// An accessor that a loop reuses for row after row, as long as nobody keeps a reference to it.
///
/// Making an accessor costs an allocation, and a loop that only reads its objects needs just one. When the loop asks
/// for the next object and nobody refers to the last one, the accessor moves to the next row. Otherwise it is left to
/// its owner, and a new one is made. The program cannot tell the difference:
///
/// 1. *Nobody refers to it* is read from the object's reference counts, see ``ReferenceCounts``. The word equals that
///    of a fresh object exactly if our strong reference is the only reference of any kind. References that are not
///    counted, `unowned(unsafe)` and `Unmanaged`, must not outlive the iteration anyway.
/// 2. Code that still holds the object has a counted reference when the next one is asked for. Either the call is opaque
///    to the compiler, which must assume that it releases objects, and so neither omits a reference across the call nor
///    moves one past it. Or the call releases nothing and says so, is not inlined, and returns a counted reference.
/// 3. Another thread may have released the object last. The fence orders its accesses before ours.
/// 4. The object holds nothing that outlasts its row. Classes that declare more than persisted properties are excluded.
///    An object that has cached a value (a collection, a text, an inverse relation) does not move: to drop it could run the
///    app's code, and release what the compiler takes for kept.
///
/// Releasing a lent object may run the app's `deinit`, which may ask for objects again. So whoever holds one forgets it
/// before it lets go of it.
struct LentAccessor {
    /// Retained by this accessor.
    private let object: Unmanaged<ObjectBase>
    private let alone: UInt64
    /// Whether the object lends the targets of its links in turn.
    private let lendsTargets: Bool

    /// Retains the object and lends it. Nil when the object must not move.
    ///
    /// - Parameter depth: How many links one behind the other lend their targets. Bounded, because each object of such a
    ///   chain keeps the next one.
    init?(_ made: ObjectBase, _ access: _ClassAccess, depth: UInt8) {
        // If an initialiser of the class has passed the object on, it has other references and does not move.
        guard access.model.holdsOnlyRows, let alone = ReferenceCounts.ofOneReference else { return nil }
        object = Unmanaged.passRetained(made)
        self.alone = alone
        lendsTargets = depth > 0 && !access.instance.isFrozen
        if lendsTargets { made.lendingDepth = depth }
    }

    /// Moves the object to another row of its class and returns it; nil when somebody refers to it, or it has cached a value.
    /// Releases nothing.
    @inline(__always)
    func moved(to key: ObjectKey, _ access: _ClassAccess) -> Unmanaged<ObjectBase>? {
        guard ReferenceCounts.word(of: object) == alone else { return nil }
        atomicMemoryFence(ordering: .acquiring)
        return object._withUnsafeGuaranteedRef { lent in
            if lent._hasCached { return nil }
            access.move(lent, to: key)
            return object
        }
    }

    var header: UnsafeMutablePointer<_AccessHeader>? { object._withUnsafeGuaranteedRef { $0._header } }

    /// Stops lending the object and releases it. Code that kept it owns it from now on.
    ///
    /// If the object lends no targets, nothing in it is touched, so this may run on any thread.
    func end() {
        if lendsTargets { object._withUnsafeGuaranteedRef { $0.endLoans() } }
        object.release()
    }
}

/// The objects that a loop visits, or that are asked for by their positions.
///
/// The caller gets objects that it does not own, and retains them where it needs to. Where it only reads properties,
/// the compiler then omits retain and release, which cost more than the read. The loop owns the last object until the
/// next one is asked for.
@usableFromInline
final class _ObjectLoop {
    // Separate fields, and an uncounted access: a step touches no reference count. The instance owns the access.
    private let keys: [ObjectKey]
    private let access: Unmanaged<_ClassAccess>?
    private let depth: UInt8
    /// The objects of an unmanaged collection, which has no keys.
    private let made: [ObjectBase]
    /// Keeps the class access alive.
    private let instance: RealmInstance?
    @exclusivity(unchecked) private var lent: LentAccessor?
    /// The last object, if it cannot be lent.
    @exclusivity(unchecked) private var last: ObjectBase?

    /// Enough for what loops usually read: `dog.owner.city.name`.
    private static let linksInLoop: UInt8 = 3

    /// - Parameter isShared: Whether it outlives a loop, and may be let go of on another thread.
    init(_ keys: [ObjectKey], _ access: _ClassAccess, isShared: Bool = false) {
        self.keys = keys
        depth = isShared ? 0 : Self.linksInLoop
        self.access = Unmanaged.passUnretained(access)
        made = []
        instance = access.instance
    }

    init(_ objects: [ObjectBase]) {
        keys = []
        depth = 0
        access = nil
        made = objects
        instance = nil
    }

    deinit {
        lent?.end()
    }

    var count: Int { access == nil ? made.count : keys.count }

    /// The object at a position below `count`. It is valid until the next one is asked for.
    @usableFromInline
    @inline(never)
    static func object(_ loop: Unmanaged<_ObjectLoop>, at position: Int) -> Unmanaged<ObjectBase> {
        loop._withUnsafeGuaranteedRef { $0.object(at: position) }
    }

    @inline(__always)
    private func object(at position: Int) -> Unmanaged<ObjectBase> {
        guard let access else { return Unmanaged.passUnretained(made[position]) }
        return access._withUnsafeGuaranteedRef { access in
            let key = keys[position]
            if let lent, let object = lent.moved(to: key, access) { return object }
            return another(key, access)
        }
    }

    @inline(never)
    private func another(_ key: ObjectKey, _ access: _ClassAccess) -> Unmanaged<ObjectBase> {
        // A row that was deleted since the loop began is still visited, as an invalidated object.
        let made = access.object(key)
        lend(made)
        if lent == nil { last = made }
        return Unmanaged.passUnretained(made)
    }

    /// Lends an accessor of the loop's class from now on, if it may move.
    func lend(_ made: ObjectBase) {
        let before = lent
        lent = access.flatMap { access in access._withUnsafeGuaranteedRef { LentAccessor(made, $0, depth: depth) } }
        before?.end()
    }

    /// The lent object, moved to a position; nil when there is none, somebody refers to it or the position is beyond
    /// the end.
    @inline(__always)
    func moved(to position: Int) -> Unmanaged<ObjectBase>? {
        guard let lent, let access, position >= 0, position < keys.count else { return nil }
        return access._withUnsafeGuaranteedRef { lent.moved(to: keys[position], $0) }
    }
}

extension ObjectBase {
    /// The target of a link, if the accessor of the last target may move to it; else nil. Releases nothing.
    ///
    /// A lent object lends in turn, so a loop that follows one link of each object needs only two accessors.
    @usableFromInline
    @inline(never)
    @_effects(releasenone)
    final func _movedTarget(_ column: Int) -> ObjectBase? {
        guard let lent, let key = linkedKey(column), let target = uncountedTarget(column),
            lent.header == target._withUnsafeGuaranteedRef({ $0.header })
        else { return nil }
        return target._withUnsafeGuaranteedRef { target in
            guard target.exists(key) else { return nil }
            return lent.moved(to: key, target)?.takeUnretainedValue()
        }
    }

    /// The target of a link; nil for an empty link and for an object that has not arrived here.
    final func _linked(_ column: Int) -> ObjectBase? {
        guard let key = linkedKey(column), let target = uncountedTarget(column)?.takeUnretainedValue(),
            target.exists(key)
        else { return nil }
        let made = target.object(key)
        guard lendingDepth > 0 else { return made }
        let before = lent
        lent = LentAccessor(made, target, depth: lendingDepth - 1)
        before?.end()
        return made
    }

    @inline(__always)
    private final func uncountedTarget(_ column: Int) -> Unmanaged<_ClassAccess>? {
        _header?.pointee.access._withUnsafeGuaranteedRef { $0.uncountedTarget(column) }
    }

    @inline(__always)
    private final func linkedKey(_ column: Int) -> ObjectKey? {
        guard let leaf = _inlinedLeaf(column) else { return slowLinkedKey(column) }
        let links = IntegerLeaf(leaf)
        return links.isNull(_slot) ? nil : ObjectKey(links.value(_slot))
    }

    @inline(never)
    private final func slowLinkedKey(_ column: Int) -> ObjectKey? {
        if case .object(let key) = _slowRead(column) { key } else { nil }
    }

    /// Called when this object is no longer lent: it lends nothing from now on.
    fileprivate final func endLoans() {
        lendingDepth = 0
        let last = lent
        lent = nil
        last?.end()
    }
}

extension _ClassAccess {
    /// Moves an accessor, which has cached nothing, to another row of the class.
    @inline(__always)
    func move(_ object: ObjectBase, to key: ObjectKey) {
        object._epoch = header.pointee.epoch
        let raw = UInt(bitPattern: Int(key.rawValue))
        object._leaf = Int(raw / UInt(slotsPerLeaf))
        object._slot = Int(raw % UInt(slotsPerLeaf))
    }
}
