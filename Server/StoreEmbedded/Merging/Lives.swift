import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore

/// The lives of an object so far, and which of them a writer means that does not know them all.
///
/// Merging and the judgement of permissions both use it: what one calls a change must not create an object in the
/// other.
struct Lives {
    let classNumber: Int
    /// Odd while it is alive.
    private(set) var life: UInt32
    /// The tombstone in the record; nil while the object is alive there.
    let end: End?
    /// The stamps in the record; nil while the object is not alive there.
    let stamps: ObjectStamps?
    /// Whether the version has a create of it.
    private(set) var isMadeByClient: Bool

    init(_ object: WorkingObject) {
        classNumber = object.name.classNumber
        life = object.state.life
        end = object.end
        stamps = object.stamps
        isMadeByClient = object.isMadeByClient
    }

    var isAlive: Bool { life % 2 == 1 }

    /// Joins a create or delete, as merging does.
    ///
    /// - Returns: whether it is about the life that the object lives then, or ends it.
    mutating func join(
        _ operation: Operation, base: ServerVersion, in merging: Merging
    ) throws(StoreFailure) -> Bool {
        var operation = operation
        switch operation {
        case .create(let target, let named, _):
            let life = try merging.meantLife(named, of: self, base: base)
            operation = .create(target, life: life, fields: [])
            isMadeByClient = true
        case .delete:
            if try merging.mayMeanForgotten(self, base: base) { return false }
        case .set, .list, .keyed, .add, .text:
            return isAlive
        }
        var state = ObjectState(life: life)
        let outcome = state.join(operation, stamp: .zero)
        life = state.life
        return outcome == .applied
    }
}

extension Merging {
    /// The life that a create means.
    func meantLife(_ life: UInt32, of object: Lives, base: ServerVersion) throws(StoreFailure) -> UInt32 {
        if object.isAlive {
            // F4: a life beyond the one that an object lives was counted from a forgotten tombstone.
            guard life > object.life, try forgotten(object.classNumber).version != .zero else { return life }
            return object.life
        }
        // O8: a writer that had seen the deletion, and dropped the object since, means to bring the key back. It has
        // always seen its own deletions, even where its base is older because the server was restored meanwhile.
        guard let end = object.end, life <= end.life, end.life < Operation.lifeMax,
            base >= end.version || isOwn(end.client, in: end.version)
        else { return life }
        return end.life + 1
    }

    /// F3: whether a delete may mean an earlier life that nobody knows any more.
    func mayMeanForgotten(_ object: Lives, base: ServerVersion) throws(StoreFailure) -> Bool {
        guard try !forgotten(object.classNumber).areKnown(to: base) else { return false }
        guard object.isAlive else { return object.life == 0 }
        guard let stamps = object.stamps, !object.isMadeByClient else { return false }
        return stamps.bornVersion > base && stamps.bornVersion != version
            && !isOwn(stamps.born.client, in: stamps.bornVersion)
    }
}
