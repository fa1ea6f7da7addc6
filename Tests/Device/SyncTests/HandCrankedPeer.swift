import CausewayModel
import CausewaySeeds
import CausewaySync
import CausewayWire

/// A conversation, its clock and its chance in the hands of a test; nothing happens but what the test says.
struct HandCrankedPeer {
    var conversation: Conversation
    var now = Moment(milliseconds: 1_000)
    var random: SeededNumbers
    var actions: [Conversation.Action] = []

    init(
        seed: UInt64 = 1, changesets: UInt64 = 0, oneWay: UInt64 = 0, limits: ConversationLimits = ConversationLimits()
    ) {
        conversation = Conversation(
            limits: limits, logged: .init(changesets: changesets, oneWay: oneWay),
            dropped: .init(changesets: 0, oneWay: 0), queriesWanted: 0)
        random = SeededNumbers(seed: seed)
    }

    var attempt: Conversation.Attempt { conversation.attempt }

    /// Tells the conversation and keeps what it answers; timers aside, which tests ask for by `deadline`.
    @discardableResult
    mutating func tell(_ event: Conversation.Event) -> [Conversation.Action] {
        actions = conversation.handle(event, at: now, using: &random)
        return actions.filter { if case .wake = $0 { false } else { true } }
    }

    mutating func pass(milliseconds: UInt64) {
        now = now + milliseconds
    }

    /// From nothing to a session.
    @discardableResult
    mutating func connect(
        committed: UInt64 = 0, ingested: UInt64 = 0, wanted: UInt64 = 0, limits: SessionLimits = .standard
    ) -> [Conversation.Action] {
        tell(.resumed)
        return welcome(committed: committed, ingested: ingested, wanted: wanted, limits: limits)
    }

    @discardableResult
    mutating func welcome(
        committed: UInt64 = 0, ingested: UInt64 = 0, wanted: UInt64 = 0, limits: SessionLimits = .standard,
        staged: StagedChange? = nil
    ) -> [Conversation.Action] {
        let welcome = Welcome(
            session: 70 + attempt.number, protocolVersion: 1, epoch: 5, serverTime: 0, limits: limits,
            committed: committed, ingested: ingested, resumes: staged != nil)
        let greeting = Conversation.Greeting(
            wanted: wanted,
            logged: .init(changesets: conversation.upload.logged, oneWay: conversation.ingest.logged),
            staged: staged)
        return tell(.welcomed(attempt, welcome, greeting))
    }

    var session: UInt64 { 70 + attempt.number }

    @discardableResult
    mutating func receive(_ message: DownloadMessage, bytes: Int = 100) -> [Conversation.Action] {
        tell(.received(attempt, message, bytes: bytes))
    }
}

/// The last part of a view change that leads to `version`.
func lastPart(_ version: UInt64, acknowledged: UInt64 = 0, querySet: UInt64 = 0) -> ViewChunk {
    ViewChunk(
        checkpoint: Checkpoint(
            epoch: 5, version: .init(version), querySet: querySet, acknowledged: acknowledged))
}

/// A part of a change to `version` behind which the server can go on.
func resumablePart(_ done: UInt64, of total: UInt64, version: UInt64 = 3) -> ViewChunk {
    let checkpoint = Checkpoint(epoch: 5, version: .init(version), querySet: 0, acknowledged: 0)
    let reached = RowPosition(className: "Flight", row: ObjectKey(Int64(done)))
    return ViewChunk(
        objectsTotal: total, objectsDone: done, resume: ResumePoint(checkpoint: checkpoint, reached: reached))
}

/// A part in the middle, told apart by its total.
func part(_ number: UInt64) -> ViewChunk {
    ViewChunk(objectsTotal: number)
}
