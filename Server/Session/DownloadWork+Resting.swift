package import CausewayModel
import CausewayStore
import CausewaySubscriptions
import CausewayWire
import Synchronization

// A download that has nothing to do sleeps until something concerns it.

extension DownloadWork {
    /// What is known of the versions behind the one where the device stands.
    func standing() -> AudienceTable.Standing {
        let (position, standing) = sessions.standing(of: open)
        guard case .quiet(let through, _) = standing, through > position,
            open.isCheckDue.exchange(false, ordering: .relaxed) || sessions.lookChecks.isDue()
        else { return standing }
        guard let difference = differenceMissed(from: position, through: through) else { return standing }
        sessions.lookChecks.report(
            "Session \(open.id) was to sleep from version \(position.rawValue) to \(through.rawValue), but the history has "
                + "\(difference) for it. It is told by the history.")
        return .unknown
    }

    /// Prepares for sleep.
    ///
    /// - Parameter newest: the version that `rest` was found at.
    /// - Returns: false when something has happened since, so that `next` has to look again.
    func sleeps(_ rest: DownloadConversation.Rest, at position: ServerVersion, since newest: ServerVersion) -> Bool {
        let isListed = sessions.audiences.withLock { $0.isMember(open.id) }
        if !isListed, rest == .content { listen(at: position) }
        let found = sessions.audiences.withLock { audiences in
            guard rest != .incomplete else {
                audiences.waitForLook(open.id)
                return AudienceTable.Rest.waiting
            }
            return audiences.rest(open.id, at: position, isContent: rest == .content)
        }
        return switch found {
        case .asleep: true
        case .awake: false
        // The look may have come before the wait for it.
        case .waiting: sessions.backend.version <= newest
        }
    }

    /// Joins an audience without being told anything: a device that comes back may lack nothing. If it cannot, every
    /// look wakes it.
    private func listen(at position: ServerVersion) {
        let (held, permissions) = open.conversation.withLock { ($0.held, $0.heldPermissions) }
        do throws(StoreFailure) {
            let snapshot = try sessions.backend.snapshot()
            let bound = try queries.queries(held.texts, in: snapshot, under: permissions, refusing: false)
            sessions.audiences.withLock {
                $0.join(open.id, of: open.client, bound, bound: snapshot.schema, at: position)
            }
        } catch {}
    }

    /// Whether the download stands at a version, or everything up to it is known not to concern it.
    package func isUpToDate(with newest: ServerVersion) -> Bool {
        let (position, standing) = sessions.standing(of: open)
        if position == newest { return true }
        return if case .quiet(newest, _) = standing { true } else { false }
    }

    /// What the history would tell a device that is to sleep; nil if it is nothing, or cannot be found out any more.
    private func differenceMissed(from position: ServerVersion, through: ServerVersion) -> String? {
        let (held, permissions, told, tellsEdits) = open.conversation.withLock {
            ($0.held.texts, $0.heldPermissions, $0.told.acknowledged, $0.tellsEdits)
        }
        do throws(StoreFailure) {
            let snapshot = try sessions.backend.snapshot()
            guard snapshot.version == through,
                !(try ViewDifference.needsComparison(snapshot, from: position, for: open.client))
            else { return nil }
            let difference = try ViewDifference(
                snapshot, from: position, held: held, wanted: held, heldUnder: permissions, under: permissions,
                for: open.client, acknowledged: told, tellsEdits: tellsEdits, queries: queries)
            if difference.acknowledged != told { return "acknowledgements" }
            while true {
                let part = try difference.next(bytesMax: DownloadConversation.partBytesMax)
                if !part.isEmpty { return "changes" }
                if part.isLast { return nil }
            }
        } catch {
            return nil
        }
    }
}
