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
/// 2. Code that still holds the object has a counted reference when the next one is asked for. The call is opaque to
///    the compiler, which must assume that it releases objects. So the compiler neither omits a reference across the
///    call nor moves one past it.
/// 3. Another thread may have released the object last. The fence orders its accesses before ours.
/// 4. The object holds nothing that outlasts its row. Classes that declare more than persisted properties are excluded.
///    Cached values (collections, texts, inverse relations) are dropped when the object moves.
struct LentAccessor {
    /// Retained by this accessor.
    private let object: Unmanaged<ObjectBase>
    private let alone: UInt64

    /// Retains the object and lends it. Nil when the object must not move.
    init?(_ made: ObjectBase, _ access: _ClassAccess) {
        // If an initialiser of the class has passed the object on, it has other references and does not move.
        guard access.model.holdsOnlyRows, let alone = ReferenceCounts.ofOneReference else { return nil }
        object = Unmanaged.passRetained(made)
        self.alone = alone
        made.lends = !access.instance.isFrozen
    }

    /// Moves the object to another row of its class and returns it; nil when somebody refers to it.
    @inline(__always)
    func moved(to key: ObjectKey, _ access: _ClassAccess) -> Unmanaged<ObjectBase>? {
        guard ReferenceCounts.word(of: object) == alone else { return nil }
        atomicMemoryFence(ordering: .acquiring)
        object._withUnsafeGuaranteedRef { access.move($0, to: key) }
        return object
    }

    var header: UnsafeMutablePointer<_AccessHeader>? { object._withUnsafeGuaranteedRef { $0._header } }

    /// Stops lending the object and releases it. Code that kept it owns it from now on.
    func end() {
        object._withUnsafeGuaranteedRef { $0.endLoans() }
        object.release()
    }
}

/// The objects that a loop visits.
///
/// The caller gets objects that it does not own, and retains them where it needs to. Where it only reads properties,
/// the compiler then omits retain and release, which cost more than the read. The loop owns the last object until the
/// next one is asked for.
@usableFromInline
final class _ObjectLoop {
    // Separate fields, and an uncounted access: a step touches no reference count. The instance owns the access.
    private let keys: [ObjectKey]
    private let access: Unmanaged<_ClassAccess>?
    /// The objects of an unmanaged collection, which has no keys.
    private let made: [ObjectBase]
    /// Keeps the class access alive.
    private let instance: RealmInstance?
    @exclusivity(unchecked) private var lent: LentAccessor?
    /// The last object, if it cannot be lent.
    @exclusivity(unchecked) private var last: ObjectBase?

    init(_ keys: [ObjectKey], _ access: _ClassAccess) {
        self.keys = keys
        self.access = Unmanaged.passUnretained(access)
        made = []
        instance = access.instance
    }

    init(_ objects: [ObjectBase]) {
        keys = []
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
        lent?.end()
        lent = nil
        // A row that was deleted since the loop began is still visited, as an invalidated object.
        let made = access.object(key)
        lent = LentAccessor(made, access)
        if lent == nil { last = made }
        return Unmanaged.passUnretained(made)
    }
}

extension ObjectBase {
    /// The target of a link, owned by the caller; nil for an empty link and for an object that has not arrived here.
    ///
    /// A lent object lends in turn, so a loop that follows one link of each object needs only two accessors.
    final func _linked(_ column: Int) -> ObjectBase? {
        guard let key = linkedKey(column), let target = _access?.target(column), target.table.exists(key) else {
            return nil
        }
        guard lends else { return target.object(key) }
        if let lent {
            if lent.header == target.header, let object = lent.moved(to: key, target) {
                return object.takeUnretainedValue()
            }
            lent.end()
        }
        let made = target.object(key)
        lent = LentAccessor(made, target)
        return made
    }

    private final func linkedKey(_ column: Int) -> ObjectKey? {
        guard let leaf = _inlinedLeaf(column) else {
            return if case .object(let key) = _slowRead(column) { key } else { nil }
        }
        let links = IntegerLeaf(leaf)
        return links.isNull(_slot) ? nil : ObjectKey(links.value(_slot))
    }

    /// Called when this object is no longer lent: it lends nothing from now on.
    fileprivate final func endLoans() {
        lends = false
        lent?.end()
        lent = nil
    }
}

extension _ClassAccess {
    /// Moves an accessor to another row of the class.
    @inline(__always)
    func move(_ object: ObjectBase, to key: ObjectKey) {
        object._epoch = header.pointee.epoch
        let raw = UInt(bitPattern: Int(key.rawValue))
        object._leaf = Int(raw / UInt(slotsPerLeaf))
        object._slot = Int(raw % UInt(slotsPerLeaf))
        if keepsValues { forgetKeptValues(of: object) }
    }
}
