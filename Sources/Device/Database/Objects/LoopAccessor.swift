import CausewayModel
import CausewayObjectStore
import Synchronization

/// The accessor that a loop hands out, row after row, as long as nobody keeps it.
///
/// Making an accessor costs an allocation, and a loop that only looks at its objects never needs more than one. So when
/// the loop asks for the next object and nobody refers to the last one, that one moves on to the next row; otherwise it
/// belongs to whoever kept it, and a new one is made. The program cannot tell the difference:
///
/// 1. *Nobody refers to it* is read off the object's reference counts, see ``ReferenceCounts``: the whole word is that of
///    a fresh object exactly if there is one strong reference, which is ours, and no other of any kind. What is not counted,
///    `unowned(unsafe)` and `Unmanaged`, must not outlive the loop's turn anyway.
/// 2. The caller's reference is one of those counts, because ``handOut(_:)`` is never inlined: the caller is handed an
///    object that it owns, and has to give it up.
/// 3. Another thread may have been the last to let go. Its accesses come before ours, which the fence sees to.
/// 4. The object holds nothing that outlasts its row: classes that declare more than persisted properties are left
///    out, and the collections that an object remembers are forgotten when it moves.
final class LoopAccessor {
    private let access: _ClassAccess
    /// Keeps the class access alive.
    private let instance: RealmInstance
    private let mayMove: Bool
    /// The object handed out last, with a reference of our own, if it may be handed out again.
    @exclusivity(unchecked) private var object: Unmanaged<ObjectBase>?

    init(_ access: _ClassAccess) {
        self.access = access
        instance = access.instance
        mayMove = access.model.holdsOnlyRows && ReferenceCounts.ofOneReference != nil
    }

    deinit {
        object?.release()
    }

    /// An accessor of a row, owned by the caller.
    @inline(never)
    func handOut(_ key: ObjectKey) -> ObjectBase {
        if let object, ReferenceCounts.word(of: object) == ReferenceCounts.ofOneReference {
            atomicMemoryFence(ordering: .acquiring)
            object._withUnsafeGuaranteedRef { access.move($0, to: key) }
            return object.takeUnretainedValue()
        }
        return handOutAnother(key)
    }

    private func handOutAnother(_ key: ObjectKey) -> ObjectBase {
        object?.release()
        object = nil
        let made = Unmanaged.passRetained(access.object(key))
        // An initialiser of the class may have told others of the object.
        guard mayMove, ReferenceCounts.word(of: made) == ReferenceCounts.ofOneReference else {
            return made.takeRetainedValue()
        }
        object = made
        return made.takeUnretainedValue()
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
        if remembersCollections { forgetCollections(of: object) }
    }
}
