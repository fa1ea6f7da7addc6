import CausewayMerge
import CausewayModel
import CausewaySeeds
import CausewaySession
import CausewayStore
import CausewayWire
import Synchronization

/// One download of the server: the product's work, piece by piece, and the stream that it goes into.
final class ServerDownload {
    let work: DownloadWork
    private unowned let server: ServerProcess
    private let stream: DownloadStream
    private var due: DownloadConversation.Action?
    private var isAwake = false
    private var isOver = false
    private var lastTimer = 0

    init(_ work: DownloadWork, _ stream: DownloadStream, _ server: ServerProcess) {
        self.work = work
        self.stream = stream
        self.server = server
    }

    var id: UInt64 { work.open.id }
    private var world: World { server.world }
    private var name: String { "client \(work.open.client.rawValue % 16)" }

    /// The process is gone, and the session with it.
    func vanish() {
        isOver = true
        stream.breakOff()
    }

    func end(_ failure: SyncFailure) {
        work.open.conversation.withLock { $0.ends(failure) }
        wake()
    }

    func isQuiet(newest: ServerVersion) -> Bool {
        isOver || (!isAwake && !work.isTelling && work.isUpToDate(with: newest))
    }

    func wake() {
        guard !isAwake, !isOver else { return }
        isAwake = true
        server.after(world.isCalm ? 1 : UInt64(world.random.below(6))) { [self] in
            isAwake = false
            try act()
        }
    }

    private func act() throws {
        guard !isOver else { return }
        if stream.isNoticedGone { return close() }
        let action = due ?? work.next()
        due = nil
        switch action {
        case .difference(let request): begin(request)
        case .question: send(work.ask())
        case .compare(let reports): while !work.compare(reports) {}
        case .part(let bytes):
            // Smaller ones than it may, often of one object, so that changes of few objects come in several.
            send(work.part(min(bytes, world.random.happens(percent: 50) ? 1 : 50 + world.random.below(400))))
        case .send(let message): send(message)
        case .wait(let milliseconds): return wait(milliseconds)
        case .finish(let failure):
            send(.end(failure))
            stream.end()
            return close()
        }
        wake()
    }

    private func close() {
        isOver = true
        server.close(self)
    }

    private func wait(_ milliseconds: UInt64) {
        if server.sessions.hasUnseen { server.lookSoon() }
        lastTimer += 1
        let number = lastTimer
        server.after(min(milliseconds, 5_000)) { [self] in if number == lastTimer { wake() } }
    }

    private func begin(_ request: DownloadConversation.DifferenceRequest) {
        let begun = work.beginHere(planted(request)) { lane in
            world.story.note("what \(name) lacks is looked for again, in the lane \(lane)")
        }
        due = begun.due
        send(begun.message)
        world.story.tell(
            .decided,
            "what \(name) lacks\(work.isCompared ? ", by digests" : ""): \(request.from.rawValue) → "
                + "\(server.record.version.rawValue), queries \(request.held.version) → \(request.wanted.version)"
                + (request.staged == nil ? "" : ", behind what it has staged"))
    }

    /// The request with a mistake that the checks have to find.
    private func planted(_ request: DownloadConversation.DifferenceRequest) -> DownloadConversation.DifferenceRequest {
        var request = request
        switch world.mutation {
        case .cutForgotten: request.staged = nil
        case .rulesForgotten: request.permissions = nil
        default: break
        }
        return request
    }

    private func forget(in chunk: inout ViewChunk) {
        switch world.mutation {
        case .enterNotTold where chunk.entered.count > 1: chunk.entered.removeLast()
        case .updateNotTold: chunk.updated = []
        case .editsNotTold: for index in chunk.updated.indices { chunk.updated[index].changes = [] }
        case .leaveNotTold: chunk.left = []
        case .deleteNotTold: chunk.deleted = []
        case .resyncFindsNothing where work.isCompared:
            (chunk.entered, chunk.enteredRuns, chunk.left, chunk.deleted) = ([], [], [], [])
        default: break
        }
    }

    /// What is sent to others alike.
    func offer(_ frames: [UInt8]) {
        guard !isOver else { return }
        guard case .changes(var chunk)? = try? WireCodec.decode(DownloadMessage.self, body: frames) else {
            preconditionFailure("The server sends what nobody can read.")
        }
        forget(in: &chunk)
        let message = DownloadMessage.changes(chunk)
        world.story.tell(.sent, "to \(name) as to others: \(brief(message))")
        stream.send(world.mutation == nil ? frames : WireCodec.encode(message))
    }

    private func send(_ message: DownloadMessage?) {
        guard var message else { return }
        var isCut = false
        if case .changes(var chunk) = message {
            forget(in: &chunk)
            message = .changes(chunk)
            isCut = chunk.resume != nil && world.happens(percent: world.plan.cutPercent)
        }
        let bytes = WireCodec.encode(message)
        if case .heartbeat = message {} else { world.story.tell(.sent, "to \(name): \(brief(message))") }
        work.sending()
        stream.send(bytes)
        work.sent(bytes: bytes.count)
        if isCut { stream.breakBehind() }
    }
}
