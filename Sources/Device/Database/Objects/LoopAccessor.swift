import CausewayModel
import CausewayObjectStore
import Synchronization

/// An accessor that is handed out again and again, row after row, as long as nobody keeps it.
///
/// Making an accessor costs an allocation, and a loop that only looks at its objects never needs more than one. So when
/// the next object is asked for and nobody refers to the last one, that one moves on to the next row; otherwise it
/// belongs to whoever kept it, and a new one is made. The program cannot tell the difference:
///
/// 1. *Nobody refers to it* is read off the object's reference counts, see ``ReferenceCounts``: the whole word is that of
///    a fresh object exactly if there is one strong reference, which is ours, and no other of any kind. What is not counted,
///    `unowned(unsafe)` and `Unmanaged`, must not outlive the loop's turn anyway.
/// 2. Whoever got the object and still has it has a reference that is counted when the next one is asked for, because that
///    is asked for with a call that the compiler does not see into: it has to assume that the call lets go of objects,
///    and neither leaves out a reference across it nor moves one past it.
/// 3. Another thread may have been the last to let go. Its accesses come before ours, which the fence sees to.
/// 4. The object holds nothing that outlasts its row: classes that declare more than persisted properties are left
///    out, and the values that an object keeps (collections, texts, inverse relations) are forgotten when it moves.
struct LentAccessor {
    /// With a reference of our own.
    private let object: Unmanaged<ObjectBase>
    private let alone: UInt64

    /// Nil when the object must not move.
    init?(_ made: ObjectBase, _ access: _ClassAccess) {
        // An initialiser of the class may have told others of the object: then it is never found alone.
        guard access.model.holdsOnlyRows, let alone = ReferenceCounts.ofOneReference else { return nil }
        object = Unmanaged.passRetained(made)
        self.alone = alone
        made.lends = !access.instance.isFrozen
    }

    /// The object, once it is that of another row of its class; nil when somebody refers to it.
    @inline(__always)
    func moved(to key: ObjectKey, _ access: _ClassAccess) -> Unmanaged<ObjectBase>? {
        guard ReferenceCounts.word(of: object) == alone else { return nil }
        atomicMemoryFence(ordering: .acquiring)
        object._withUnsafeGuaranteedRef { access.move($0, to: key) }
        return object
    }

    var header: UnsafeMutablePointer<_AccessHeader>? { object._withUnsafeGuaranteedRef { $0._header } }

    /// Leaves the object to whoever kept it.
    func end() {
        object._withUnsafeGuaranteedRef { $0.endLoans() }
        object.release()
    }
}

/// The objects that a loop goes over.
///
/// The caller is handed objects that it does not own, and takes references as it needs them: where it only reads
/// properties the compiler then leaves out both taking and letting go, which cost more than the reading. Until the next
/// object is asked for, this owns the last one.
@usableFromInline
final class _ObjectLoop {
    // Kept apart, and the access not counted (the instance, which the loop holds, owns it): a step touches no counter.
    private let keys: [ObjectKey]
    private let access: Unmanaged<_ClassAccess>?
    /// The objects of a collection that is not managed; then there are no keys.
    private let made: [ObjectBase]
    /// Keeps the class access alive.
    private let instance: RealmInstance?
    @exclusivity(unchecked) private var lent: LentAccessor?
    /// The last object, where it cannot be lent.
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

    /// The object at a position below `count`, until the next one is asked for.
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
        // A row deleted since the loop began still gets its turn, as an invalidated object.
        let made = access.object(key)
        lent = LentAccessor(made, access)
        if lent == nil { last = made }
        return Unmanaged.passUnretained(made)
    }
}

extension ObjectBase {
    /// The object that a link leads to, for the caller to own; nil for none, and for one that is not here.
    ///
    /// An object that is lent lends in turn: a loop that looks behind a link of each of its objects needs two accessors.
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

    /// Whoever lent this has left it to others.
    fileprivate final func endLoans() {
        lends = false
        lent?.end()
        lent = nil
    }
}

extension _ClassAccess {
    /// Turns an accessor of one row of the class into that of another.
    @inline(__always)
    func move(_ object: ObjectBase, to key: ObjectKey) {
        object._epoch = header.pointee.epoch
        let raw = UInt(bitPattern: Int(key.rawValue))
        object._leaf = Int(raw / UInt(slotsPerLeaf))
        object._slot = Int(raw % UInt(slotsPerLeaf))
        if keepsValues { forgetKeptValues(of: object) }
    }
}
