package import CausewayMerge
package import CausewayModel
package import CausewayStore
package import CausewaySubscriptions
package import CausewayWire

/// One device's download as a state machine. Told what happened, it says what to do next.
///
///     idle ──newer version, other queries: .difference──▶ computing ──began──▶ telling ──last part: told──▶ idle
///                                                             ├──refused: the old queries go on──▶ idle
///                                                             ├──comparisonQueued──▶ queued ──turnCame──▶ idle
///                                                             └──comparisonBegan──▶ comparing ──nothing left to ask──▶ telling
///
/// A resync, `comparing`, asks the device what it holds, question by question, because nobody else knows. Its
/// checkpoint is older than the history, or a restore from an older copy lost it. If the restore lost changesets of the
/// device too, the device is asked only after it has sent them again: otherwise it would drop what it alone has.
///
/// A device that has declared more than its view was made for is compared as well: the properties that it lacks do not
/// change any more, so no history tells them.
///
/// Only so many devices are compared at a time. The others are `queued`, and get heartbeats until their turn comes.
///
/// A device that keeps the beginning of a change is told the rest first, and then what else it wants: `Hello+Resuming`.
///
/// A change of permissions is a difference as well, from the view under the old ones to the view under the new ones.
///
/// Marks and heartbeats go out while idle. A view change is never interrupted, because the device shows nothing of it
/// before its last part. `end` wins over everything, between two messages.
///
/// Invariants, numbered for tests and callers:
/// 1. Never more than `creditBytes` in flight, except for one message when nothing is.
/// 2. A mark is answered after everything committed before it, and every query set wanted before it, was told.
/// 3. A checkpoint that is told names the version, the query set and the acknowledgement of one snapshot.
package struct DownloadConversation: Sendable {
    package let client: ClientID
    package let user: String
    package let limits: SessionLimits
    /// What the device has declared.
    package let schema: Schema

    /// The version that the device will be at when it has taken in all that was told.
    package private(set) var position: ServerVersion
    package private(set) var held: QuerySet
    private(set) var wanted: QuerySet
    /// The permissions that the held view was made under; nil is everything.
    private(set) var heldPermissions: Permissions?
    private var permissions: Permissions?

    private(set) var phase = Phase.idle
    private var inFlightBytes: UInt64 = 0
    /// Credit for the message that is on its way out: a fast device may grant it before the sender has noted that the
    /// message is out. Nil while no message goes out.
    private var earlyCredit: UInt64?
    private var marks: [(id: UInt64, version: ServerVersion)] = []
    /// The last checkpoint that went out, so that silence can tell from progress.
    private(set) var told: Checkpoint
    private var lastSent: UInt64
    private(set) var ending: SyncFailure?
    /// Whether a message is on its way out.
    private(set) var isOut = false
    /// Since when a part waits for credit.
    private var stalledSince: UInt64?
    /// When the comparison asked its first question.
    private var comparedSince: UInt64?
    /// Whether no history leads on from what the device has: the database never had its checkpoint, or its view was
    /// made under other permissions or for another schema.
    private var isLost: Bool
    /// The last changeset of the device that the record must have before a view is compared.
    private let awaited: UInt64
    /// The version at which the device's changesets were found missing here.
    private var incompleteAt: ServerVersion?
    /// How far the device was told the change to `held` before it was cut; nil when it has all of it.
    private var staged: ToldUpTo?
    private var positionIncarnation: UInt64
    let schemaFingerprint: UInt64
    let protocolVersion: UInt32
    let tellsEdits: Bool

    enum Phase {
        case idle
        case computing(QuerySet, Permissions?)
        case queued
        case comparing(QuerySet, Permissions?, Comparing)
        case telling(QuerySet, Permissions?, partsSent: Int)
        case over
    }

    enum Comparing {
        case due
        case asked(number: UInt64, since: UInt64)
        case answered([DigestReport])
        case taking
    }

    package enum Action: Hashable, Sendable {
        case difference(DifferenceRequest)
        /// Ask the device the next question of the comparison, or start to tell what was found.
        case question
        /// Compare what the device answered.
        case compare([DigestReport])
        /// Produce and send the next part, of about this size.
        case part(bytes: Int)
        case send(DownloadMessage)
        /// Nothing to do until something happens or this many milliseconds pass.
        case wait(milliseconds: UInt64)
        /// Send this if the stream still stands, then close it.
        case finish(SyncFailure)
    }

    package struct DifferenceRequest: Hashable, Sendable {
        package var client: ClientID
        package var from: ServerVersion
        package var held: QuerySet
        package var wanted: QuerySet
        /// Whether no history leads on from `from`, so that the view is to be compared.
        package var isLost: Bool
        /// The last changeset whose outcome the device was told.
        package var acknowledged: UInt64
        /// The last changeset that the device's checkpoint includes. It is more than the record has if the record was
        /// restored from an older copy and the device has not yet sent again what is missing.
        package var awaited: UInt64
        package var heldPermissions: Permissions?
        package var permissions: Permissions?
        package var staged: ToldUpTo?
        /// Whether the device understands what happened to lists, sets, maps and texts.
        package var tellsEdits: Bool
    }

    /// - Parameters:
    ///   - isLost: whether this database has never had the checkpoint of the hello.
    ///   - awaited: the last changeset that the device's checkpoint includes, which may be more than the record has.
    ///   - isStagedKnown: whether, as far as the record knows, the cut change that the device keeps can be continued.
    ///   - permissions: what the caller may do; nil is everything.
    ///   - protocolVersion: the version that both ends speak.
    package init(
        hello: Hello, isLost: Bool = false, awaited: UInt64 = 0, isStagedKnown: Bool = false, user: String,
        limits: SessionLimits, permissions: Permissions? = nil, protocolVersion: UInt32 = WireProtocol.version,
        now: UInt64
    ) {
        self.protocolVersion = protocolVersion
        tellsEdits = protocolVersion >= WireProtocol.versionOfEdits
        schema = hello.schema
        // Nobody knows what a view made under other rules contains, so it is compared.
        schemaFingerprint = schema.fingerprint
        self.isLost = isLost || !hello.holdsView(under: permissions) || !hello.holdsView(for: schemaFingerprint)
        self.awaited = awaited
        positionIncarnation = hello.checkpoint.incarnation
        client = hello.client
        self.user = user
        self.limits = limits
        position = isLost ? .zero : hello.checkpoint.version
        held = hello.held
        wanted = hello.wanted
        heldPermissions = permissions
        self.permissions = permissions
        told = hello.checkpoint
        lastSent = now
        if isStagedKnown, !self.isLost, hello.wantsRest(under: permissions, schema: schemaFingerprint) {
            resume(hello)
        }
    }

    private mutating func resume(_ hello: Hello) {
        guard let cut = hello.staged else { return }
        staged = hello.toldUpTo
        told = cut.checkpoint
        position = cut.checkpoint.version
        positionIncarnation = cut.checkpoint.incarnation
        held = cut.queries
    }

    /// Whether the next change continues after what the device has staged.
    package var resumes: Bool { staged != nil }

    // MARK: - What to do

    /// - Parameters:
    ///   - newest: the newest version.
    ///   - standing: what is known of the versions behind `position`, for the view that the device holds.
    ///   - isTurnAwaited: whether others wait for the turn that this device's comparison has.
    package mutating func next(
        newest: ServerVersion, standing: AudienceTable.Standing = .unknown, now: UInt64, isTurnAwaited: Bool = false
    ) -> Action {
        let action = decide(newest, standing, now, isTurnAwaited: isTurnAwaited)
        if case .send = action { isOut = true }
        return action
    }

    private mutating func decide(
        _ newest: ServerVersion, _ standing: AudienceTable.Standing, _ now: UInt64, isTurnAwaited: Bool
    ) -> Action {
        if case .over = phase { return .wait(milliseconds: limits.heartbeatMilliseconds) }
        if let ending {
            phase = .over
            return .finish(ending)
        }
        let patience = isTurnAwaited ? Self.awaitedStallMilliseconds : Self.stallMilliseconds
        switch phase {
        case .over, .computing:
            return .wait(milliseconds: limits.heartbeatMilliseconds)
        case .queued:
            return waitForHeartbeat(now)
        case .telling(_, _, let partsSent):
            guard let bytes = partBytes(isFirst: partsSent == 0) else {
                return waitForCredit(now, atMost: Self.stallMilliseconds)
            }
            stalledSince = nil
            return .part(bytes: bytes)
        case .comparing where isTurnAwaited && isTurnOver(now):
            phase = .over
            return .finish(
                SyncFailure(
                    .serverBusy,
                    "The device has been compared for \(Self.awaitedTurnMilliseconds / 60_000) minutes, and others wait. It "
                        + "is asked again when it connects again."))
        case .comparing(_, _, .due):
            guard partBytes(isFirst: true) != nil else { return waitForCredit(now, atMost: patience) }
            stalledSince = nil
            return .question
        case .comparing(_, _, .asked(_, let since)):
            return waitForAnswer(since: since, now, atMost: patience)
        case .comparing(let target, let permissions, .answered(let reports)):
            phase = .comparing(target, permissions, .taking)
            return .compare(reports)
        case .comparing(_, _, .taking):
            return .wait(milliseconds: limits.heartbeatMilliseconds)
        case .idle:
            if let incompleteAt, newest <= incompleteAt { return waitForHeartbeat(now) }
            let news = takeIn(standing, newest)
            if needsDifference || news != nil {
                let target = resumes ? held : wanted
                phase = .computing(target, permissions)
                return .difference(
                    DifferenceRequest(
                        client: client, from: news ?? position, held: held, wanted: target, isLost: isLost,
                        acknowledged: told.acknowledged, awaited: awaited, heldPermissions: heldPermissions,
                        permissions: permissions, staged: staged, tellsEdits: tellsEdits))
            }
            if let mark = marks.first, mark.version <= position {
                marks.removeFirst()
                return .send(.mark(mark.id))
            }
            return waitForHeartbeat(now)
        }
    }

    /// Whether so many bytes may go out without being waited for. A device grants credit after a quarter of it.
    func hasRoom(for bytes: Int) -> Bool {
        inFlightBytes + UInt64(bytes) <= limits.creditBytes / 2
    }

    mutating func moveOn(to version: ServerVersion, incarnation: UInt64) {
        (position, positionIncarnation) = (version, incarnation)
    }

    mutating func noteTold(_ checkpoint: Checkpoint) { told = checkpoint }

    /// So many bytes went out, and nobody waits for them.
    mutating func noteOut(bytes: Int, now: UInt64) {
        inFlightBytes += UInt64(bytes)
        lastSent = now
    }

    /// Whether the device lacks something that no commit brought.
    var needsDifference: Bool {
        isLost || resumes || wanted.version != held.version || isUnderOtherPermissions
    }

    /// Moves on over versions that do not concern the device.
    ///
    /// - Returns: the version from which a difference is needed, if there are others.
    mutating func takeIn(_ standing: AudienceTable.Standing, _ newest: ServerVersion) -> ServerVersion? {
        switch standing {
        case .unknown: return newest > position ? position : nil
        // What others were told as well may have moved it on meanwhile.
        case .concerned(let start):
            return newest <= position ? nil : isLost || resumes ? position : max(start, position)
        case .quiet(let through, let incarnation):
            if through > position, !isLost, !resumes { moveOn(to: through, incarnation: incarnation) }
            return nil
        }
    }

    /// What the conversation waits for, if nothing is under way.
    package enum Rest: Hashable, Sendable {
        /// A commit that concerns the device.
        case content
        /// Any commit: a mark waits for it.
        case expecting
        /// Any commit: the record lacks changesets of the device.
        case incomplete
    }

    /// Nil while something is under way.
    package var rest: Rest? {
        guard case .idle = phase, ending == nil else { return nil }
        if incompleteAt != nil { return .incomplete }
        return marks.isEmpty ? .content : .expecting
    }

    private var isUnderOtherPermissions: Bool {
        heldPermissions?.fingerprint ?? 0 != permissions?.fingerprint ?? 0
    }

    /// The first part is small, so that something arrives early. No part is larger than half of the credit.
    private func partBytes(isFirst: Bool) -> Int? {
        let bytes = min(UInt64(isFirst ? Self.firstPartBytes : Self.partBytesMax), max(limits.creditBytes / 2, 1))
        guard inFlightBytes == 0 || inFlightBytes + bytes <= limits.creditBytes else { return nil }
        return Int(bytes)
    }

    package static let partBytesMax = 512 << 10
    package static let firstPartBytes = 64 << 10

    /// A view change that is being told holds a snapshot of the database, so it cannot wait for credit for ever.
    private mutating func waitForCredit(_ now: UInt64, atMost patience: UInt64) -> Action {
        let since = stalledSince ?? now
        stalledSince = since
        guard now >= since + patience else { return waitForHeartbeat(now) }
        phase = .over
        return .finish(
            SyncFailure(
                .serverBusy,
                "The device has consumed nothing of its download for \(patience / 1_000) seconds. It "
                    + "goes on from its checkpoint when it connects again."))
    }

    package static let stallMilliseconds: UInt64 = 300_000
    /// The patience while others wait for the turn that a comparison has. It is enough for half a mebibyte of digests
    /// at the slowest rate that is served, 8 KiB a second, and as long again to make them. With less a slow device
    /// would never finish.
    package static let awaitedStallMilliseconds: UInt64 = 120_000

    /// The time that a comparison has in all while others wait for their turn: a device that answers each question
    /// late, and always something else, would hold the turn for ever. Enough for ten questions at the slowest rate.
    package static let awaitedTurnMilliseconds: UInt64 = 1_200_000

    private func isTurnOver(_ now: UInt64) -> Bool {
        comparedSince.map { now >= $0 + Self.awaitedTurnMilliseconds } ?? false
    }

    /// A comparison holds a snapshot as well, so it cannot wait for an answer for ever.
    private mutating func waitForAnswer(since: UInt64, _ now: UInt64, atMost patience: UInt64) -> Action {
        guard now >= since + patience else { return waitForHeartbeat(now) }
        phase = .over
        return .finish(
            SyncFailure(
                .serverBusy,
                "The device has not said for \(patience / 1_000) seconds what it holds. It is asked "
                    + "again when it connects again."))
    }

    mutating func waitForHeartbeat(_ now: UInt64) -> Action {
        let due = lastSent + limits.heartbeatMilliseconds
        if now < due { return .wait(milliseconds: due - now) }
        // A long silence can hide many commits that did not concern this device: its checkpoint moves on with the
        // heartbeat, so that its next catch-up starts near.
        if case .idle = phase, told.version < position {
            told.version = position
            told.incarnation = positionIncarnation
            told.querySet = held.version
            told.permissions = heldPermissions?.fingerprint ?? 0
            told.schema = schemaFingerprint
            return .send(.changes(ViewChunk(checkpoint: told)))
        }
        return .send(.heartbeat(serverTime: now))
    }

    /// The query set that the difference now computed or told leads to.
    package var targetQuerySet: UInt64 {
        switch phase {
        case .computing(let target, _), .comparing(let target, _, _), .telling(let target, _, _): target.version
        case .idle, .queued, .over: held.version
        }
    }

    /// The fingerprint of the permissions that this difference is made under.
    package var targetPermissions: UInt64 {
        switch phase {
        case .computing(_, let target), .comparing(_, let target, _), .telling(_, let target, _):
            target?.fingerprint ?? 0
        case .idle, .queued, .over: heldPermissions?.fingerprint ?? 0
        }
    }

    // MARK: - What happened

    /// The difference is made, on one snapshot, and will now be told.
    package mutating func began() {
        guard case .computing(let target, let permissions) = phase else {
            preconditionFailure("A difference began that was not asked for.")
        }
        phase = .telling(target, permissions, partsSent: 0)
    }

    /// No history tells the difference: the device will be asked what it holds.
    package mutating func comparisonBegan() {
        guard case .computing(let target, let permissions) = phase else {
            preconditionFailure("A comparison began that was not asked for.")
        }
        phase = .comparing(target, permissions, .due)
        comparedSince = nil
    }

    /// The view must be compared, but as many comparisons are open as may be.
    package mutating func comparisonQueued() {
        guard case .computing = phase else {
            preconditionFailure("A comparison was queued that was not asked for.")
        }
        phase = .queued
    }

    /// The device's turn came. What it wants by now is looked at again.
    package mutating func turnCame() {
        if case .queued = phase { phase = .idle }
    }

    /// The database lacks changesets that the device's checkpoint includes. It is checked again at the next version.
    package mutating func foundIncomplete(at version: ServerVersion) {
        guard case .computing = phase else {
            preconditionFailure("A comparison was put off that was not asked for.")
        }
        phase = .idle
        incompleteAt = version
    }

    /// - Parameter question: nil when nothing is left to ask; then what was found will be told.
    package mutating func asked(_ question: DigestQuestion?, now: UInt64) -> DownloadMessage? {
        guard case .comparing(let target, let permissions, .due) = phase else {
            preconditionFailure("A question was made that was not asked for.")
        }
        guard let question else {
            phase = .telling(target, permissions, partsSent: 0)
            return nil
        }
        phase = .comparing(target, permissions, .asked(number: question.number, since: now))
        comparedSince = comparedSince ?? now
        return .digestsWanted(question)
    }

    /// The device has answered. An answer to a question that was not asked is ignored.
    package mutating func answered(_ number: UInt64, _ reports: [DigestReport]) {
        guard case .comparing(let target, let permissions, .asked(number, _)) = phase else { return }
        phase = .comparing(target, permissions, .answered(reports))
    }

    /// - Parameter fits: whether the answer fits the question.
    package mutating func compared(fits: Bool) {
        guard case .comparing(let target, let permissions, .taking) = phase else {
            preconditionFailure("Digests were compared that nobody sent.")
        }
        phase = .comparing(target, permissions, .due)
        if !fits {
            ends(
                SyncFailure(
                    .messageMalformed,
                    "The digests that the device sent are not those that it was asked for. Update the older of the two "
                        + "programs."))
        }
    }

    /// The wanted queries cannot be served: the held ones go on.
    package mutating func refused(_ failure: SyncFailure) -> DownloadMessage {
        guard case .computing(let target, _) = phase else {
            preconditionFailure("A difference was refused that was not asked for.")
        }
        phase = .idle
        if wanted.version == target.version { wanted = held }
        // The refused queries are those that the device holds: there is nothing to go on with.
        if target.version == held.version { ends(failure) }
        isOut = true
        return .queriesRefused(querySet: target.version, failure)
    }

    /// Turns a part into the message to send. Nil when there is nothing in it that the device does not know.
    package mutating func message(for chunk: ViewChunk, lastAt checkpoint: Checkpoint?) -> DownloadMessage? {
        guard case .telling(let target, let permissions, let partsSent) = phase else {
            preconditionFailure("A part came of a difference that was not asked for.")
        }
        guard var checkpoint else {
            phase = .telling(target, permissions, partsSent: partsSent + 1)
            var chunk = chunk
            chunk.resume?.checkpoint.schema = schemaFingerprint
            return .changes(chunk)
        }
        checkpoint.schema = schemaFingerprint
        phase = .idle
        position = checkpoint.version
        positionIncarnation = checkpoint.incarnation
        held = target
        heldPermissions = permissions
        // A device with a lost checkpoint must learn where it stands, even when it lacks nothing.
        let isKnown =
            !isLost && !resumes && told.querySet == checkpoint.querySet && told.permissions == checkpoint.permissions
            && told.acknowledged == checkpoint.acknowledged
            && told.epoch == checkpoint.epoch && partsSent == 0 && isEmpty(chunk)
        isLost = false
        staged = nil
        incompleteAt = nil
        if isKnown { return nil }
        told = checkpoint
        var chunk = chunk
        chunk.checkpoint = checkpoint
        isOut = true
        return .changes(chunk)
    }

    private func isEmpty(_ chunk: ViewChunk) -> Bool {
        chunk.objectCount == 0 && chunk.refused.isEmpty
    }

    /// A message begins to go out; `sent` is called when it is out.
    package mutating func sending() {
        earlyCredit = 0
    }

    package mutating func sent(bytes: Int, now: UInt64) {
        let bytes = UInt64(max(bytes, 0))
        inFlightBytes += bytes - min(earlyCredit ?? 0, bytes)
        earlyCredit = nil
        isOut = false
        lastSent = now
    }

    package mutating func credited(bytes: UInt64) {
        // A credit of no bytes only brings a token: the device has consumed nothing.
        guard bytes > 0 else { return }
        let known = min(bytes, inFlightBytes)
        inFlightBytes -= known
        earlyCredit = earlyCredit.map { $0 + min(bytes - known, UInt64.max - $0) }
        stalledSince = nil
    }

    /// Ignores a set older than the one wanted already: it was overtaken on its way, and going back to it would leave
    /// the device waiting for the newer one.
    package mutating func wants(_ queries: QuerySet) {
        if queries.version >= wanted.version { wanted = queries }
    }

    /// What the caller may do has changed, or is told again.
    package mutating func governed(by permissions: Permissions?) {
        self.permissions = permissions
    }

    /// False when too many marks wait already.
    package mutating func marked(_ id: UInt64, newest: ServerVersion) -> Bool {
        guard marks.count < Self.marksMax else { return false }
        marks.append((id, newest))
        return true
    }

    package static let marksMax = 1000

    package var isEnding: Bool { ending != nil }
    /// What the device is told at the end; nil while it goes on.
    package var endingCode: SyncFailure.Code? { ending?.code }
    /// Whether a part waits until the device has consumed more.
    package var isWaitingForCredit: Bool { stalledSince != nil }

    package mutating func ends(_ failure: SyncFailure) {
        if ending == nil { ending = failure }
    }
}

extension Hello {
    /// False when the device's view was made under other permissions.
    fileprivate func holdsView(under permissions: Permissions?) -> Bool {
        checkpoint.version == .zero || checkpoint.permissions == permissions?.fingerprint ?? 0
    }

    /// False when the device's view was made while it had declared other properties.
    fileprivate func holdsView(for schema: UInt64) -> Bool {
        checkpoint.version == .zero || checkpoint.schema == 0 || checkpoint.schema == schema
    }
}
