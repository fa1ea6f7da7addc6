import CausewayModel
import CausewayStore
import CausewaySubscriptions
import CausewayWire
import Synchronization

// Whom commits concern.

extension Sessions {
    /// Notes that something was committed.
    ///
    /// - Returns: whether nobody was told so before: then `look` has to be called, from any thread.
    package func committed() -> Bool {
        commitTimes.withLock { $0.note(backend.version, at: .now) }
        return !isLookDue.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Whether something was committed that no look has seen.
    package var hasUnseen: Bool { backend.version > audiences.withLock { $0.through } }

    /// Finds out whom the commits since the last time concern, and wakes their sessions: first the others, who wait for
    /// what was committed; its authors wait only for a checkpoint.
    ///
    /// Of one step at most: if the time does not suffice, the commits concern everybody.
    package func look() {
        isLookDue.store(false, ordering: .sequentiallyConsistent)
        // A failure is told to the sessions that want something; the next heartbeats or commit look again.
        guard let snapshot = try? backend.snapshot() else { return }
        let end = stepEnd()
        let pace = Pace(objectsMax: ReadingLanes.quickObjectsMax) { !end.isReached }
        let findings = audiences.withLock { $0.look(at: snapshot, pace) }
        for audience in findings.concerned {
            let members = table.withLock { table in audience.members.compactMap { table[$0] } }
            tell(members, audience, findings, snapshot, pace)
        }
        let (others, authors) = table.withLock { table in
            (findings.others.compactMap { table[$0] }, findings.authors.compactMap { table[$0] })
        }
        for session in others { session.wake() }
        for session in authors { session.wake() }
        guard findings.start < snapshot.version else { return }
        observer.observe(
            .looked(
                Looked(
                    through: snapshot.version, audiencesConcerned: findings.concerned.count,
                    predicatesEvaluated: findings.evaluated, predicatesMatched: findings.matched)))
    }

    /// So many sessions were told what was committed behind a version.
    func noteTold(_ sessions: Int, after version: ServerVersion, isShared: Bool) {
        guard sessions > 0, let time = commitTimes.withLock({ $0.first(after: version) }) else { return }
        observer.observe(.told(Told(sessions: sessions, isShared: isShared, nanoseconds: time.elapsedNanoseconds)))
    }

    /// Where a session's device stands, and what is known of the versions behind.
    func standing(of open: OpenSession) -> (position: ServerVersion, standing: AudienceTable.Standing) {
        let position = open.conversation.withLock { $0.position }
        return (position, audiences.withLock { $0.standing(of: open.id, at: position) })
    }

    /// Sends a session's heartbeat, if one is due. Whatever else there is to do, its download does.
    ///
    /// - Returns: after how many milliseconds to look again; nil when the download was woken.
    func beat(_ open: OpenSession) -> UInt64? {
        let (position, standing) = standing(of: open)
        if case .quiet(let through, _) = standing, through > position, lookChecks.isDue() {
            open.isCheckDue.store(true, ordering: .relaxed)
        } else if let milliseconds = open.beat(standing, now: now()) {
            return milliseconds
        }
        open.wake()
        return nil
    }

    /// Tells the members of an audience what happened: made once and encoded once for all of them that rest. The
    /// downloads of the others see to it.
    private func tell(
        _ members: [OpenSession], _ audience: AudienceTable.ConcernedAudience, _ findings: AudienceTable.Findings,
        _ snapshot: any StoreSnapshot, _ pace: Pace
    ) {
        var made: [SharedTerms: SharedChange?] = [:]
        let time = now()
        var told = 0
        for session in members {
            guard let terms = session.conversation.withLock({ $0.sharedTerms }) else {
                session.wake()
                continue
            }
            if made[terms] == nil {
                made[terms] = .some(change(for: audience, under: terms, findings, snapshot, pace))
            }
            guard let change = made[terms] ?? nil, session.tell(change, epoch: backend.epoch, now: time) else {
                session.wake()
                continue
            }
            if change.changes != nil { told += 1 }
        }
        noteTold(told, after: findings.start, isShared: true)
    }

    /// Nil where a change is too large to be told in one piece, or takes too long.
    private func change(
        for audience: AudienceTable.ConcernedAudience, under terms: SharedTerms, _ findings: AudienceTable.Findings,
        _ snapshot: any StoreSnapshot, _ pace: Pace
    ) -> SharedChange? {
        guard pace.goesOn(), let history = findings.history, findings.start != .zero,
            findings.start >= snapshot.historyStart
        else {
            return nil
        }
        do throws(StoreFailure) {
            let difference = try ViewDifference(
                snapshot, from: findings.start, history: history, queries: audience.queries,
                under: terms.permissions, tellsEdits: terms.tellsEdits, pace: pace)
            let part = try difference.next(bytesMax: DownloadConversation.firstPartBytes, while: pace.goesOn)
            guard part.isLast else { return nil }
            // The checkpoint is each device's own.
            let chunk = ViewChunk(part, of: difference, to: .nothing)
            return SharedChange(
                quietSince: audience.quietSince, start: findings.start, version: difference.version,
                incarnation: difference.incarnation, changes: part.isEmpty ? nil : SharedChanges(chunk))
        } catch {
            return nil
        }
    }
}
