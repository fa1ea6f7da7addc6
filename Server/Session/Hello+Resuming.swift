import CausewayModel
package import CausewayStore
import CausewaySubscriptions
package import CausewayWire

// What a hello says of the past: whether the record knows the checkpoint, and whether a device that keeps the beginning
// of a change can be told the rest. If not, it is told everything again.

extension Hello {
    /// Whether the record still has the history since the staged change, and the changesets that this change
    /// acknowledges.
    package func isStagedKnown(
        to snapshot: any StoreSnapshot, epoch: UInt64, termsMax: Int = StandingQueries.termsMax
    ) throws(StoreFailure) -> Bool {
        guard let staged, let toldUpTo else { return false }
        let version = staged.checkpoint.version
        guard staged.checkpoint.epoch == epoch, version > .zero, version >= checkpoint.version,
            version >= snapshot.historyStart,
            try snapshot.lineage().knows(version, of: staged.checkpoint.incarnation, newest: snapshot.version),
            staged.checkpoint.acknowledged >= checkpoint.acknowledged,
            try snapshot.committed(by: client) >= staged.checkpoint.acknowledged
        else { return false }
        return ViewDifference.canResume(snapshot, toldUpTo, held: staged.queries.texts, termsMax: termsMax)
    }

    /// Whether this database has never had the hello's checkpoint: then what the device holds is compared.
    package func isLost(
        to snapshot: any StoreSnapshot, record: ClientRecord, isStagedKnown: Bool
    ) throws(StoreFailure) -> Bool {
        if checkpoint == .nothing { return false }
        // A device that lost its confirmed state begins again at version zero, with objects in its file. One that has a
        // known resume point was believed when it got that point: it has synced with an empty database.
        if checkpoint.version == .zero, !isStagedKnown { return true }
        if checkpoint.acknowledged > record.committed - record.skipped { return true }
        return try !snapshot.lineage().knows(
            checkpoint.version, of: checkpoint.incarnation, newest: snapshot.version)
    }

    /// Whether the view is for the same reader as its staged beginning, and the device still wants all of that.
    func wantsRest(under permissions: Permissions?, schema: UInt64) -> Bool {
        guard let staged else { return false }
        return staged.checkpoint.permissions == permissions?.fingerprint ?? 0 && staged.checkpoint.schema == schema
            && Set(wanted.queries).isSuperset(of: staged.queries.queries)
    }

    var toldUpTo: ToldUpTo? {
        staged.map { staged in
            ToldUpTo(
                base: held.texts, className: staged.point.reached.className, row: staged.point.reached.row)
        }
    }
}
