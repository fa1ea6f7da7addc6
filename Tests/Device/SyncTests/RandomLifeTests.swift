import CausewayModel
import CausewaySeeds
import CausewaySync
import CausewayWire
import Testing

/// A server and a network of numbers: enough to see whether every entry arrives once and every change is applied once.
private struct NumberWorld {
    var peer: HandCrankedPeer
    var chance: SeededNumbers
    // The server.
    var committed: UInt64 = 0
    var ingested: UInt64 = 0
    var version: UInt64 = 0
    var queries: UInt64 = 0
    // The device's file.
    var logged: UInt64 = 0
    var oneWay: UInt64 = 0
    var checkpoint: UInt64 = 0
    var fileWork: [Conversation.Event] = []
    // Under way: calls that have not reached the server, answers that have not reached the device.
    var calls: [Conversation.Action] = []
    var answers: [Conversation.Event] = []
    var stream: (attempt: Conversation.Attempt, sent: UInt64)?
    var uploadsInFlight = 0
    var violations: [String] = []

    init(seed: UInt64) {
        peer = HandCrankedPeer(seed: seed)
        chance = SeededNumbers(seed: seed ^ 0xFEED)
    }

    mutating func tell(_ event: Conversation.Event) {
        for action in peer.tell(event) {
            switch action {
            case .renewToken:
                violations.append("a new token is asked for, though none expired")
            case .disconnect:
                calls = []
                answers = []
                stream = nil
            case .apply(let changes):
                if !fileWork.isEmpty { violations.append("two pieces of work with the file") }
                for change in changes {
                    let next = change.checkpoint.version.rawValue
                    if next <= checkpoint { violations.append("version \(next) applied over \(checkpoint)") }
                    checkpoint = next
                }
                fileWork.append(.applied(acknowledged: changes.last?.checkpoint.acknowledged ?? 0))
            case .spill:
                fileWork.append(.spilled)
            case .refill:
                violations.append("the log is filled again, though the server lost nothing")
            case .beginAgain:
                violations.append("the file begins again, though nobody copied it")
            case .setAside:
                violations.append("something is set aside, though nothing was refused")
            case .digest(let attempt, let question):
                fileWork.append(.digested(attempt, number: question.number, []))
            case .sendHello, .openDownload, .upload, .ingest, .sendQueries, .sendMark, .sendCredit, .sendDigests:
                calls.append(action)
            case .dropOneWay, .queriesRefused, .wake, .finish, .fail, .report:
                break
            }
        }
        let uploads = calls.filter { if case .upload = $0 { true } else { false } }.count
        if uploads > 1 { violations.append("two uploads in flight") }
    }

    mutating func serve(_ call: Conversation.Action) {
        switch call {
        case .sendHello(let attempt):
            let welcome = Welcome(
                session: attempt.number, protocolVersion: 1, epoch: 1, serverTime: 0, limits: .standard,
                committed: committed, ingested: ingested)
            answers.append(
                .welcomed(
                    attempt, welcome, .init(wanted: 0, logged: .init(changesets: logged, oneWay: oneWay))))
        case .openDownload(let attempt, _):
            stream = (attempt, checkpoint)
        case .upload(let attempt, _, let after, _):
            let through = min(logged, after + 3)
            if after > committed { violations.append("a hole: \(after) after \(committed)") }
            if through > committed {
                committed = through
                version += 1
            }
            answers.append(.uploadAnswered(attempt, UploadAnswer(committed: committed)))
        case .ingest(let attempt, let after, _):
            if after > ingested { violations.append("a hole one way: \(after) after \(ingested)") }
            ingested = max(ingested, min(oneWay, after + 2))
            answers.append(.ingestAnswered(attempt, through: ingested))
        case .sendQueries(let attempt, _):
            answers.append(.queriesTaken(attempt, version: queries))
        case .sendCredit(let attempt, _, _):
            answers.append(.creditTaken(attempt))
        case .sendMark(let attempt, _, let id):
            answers.append(.received(attempt, .mark(id), bytes: 5))
        default:
            break
        }
    }

    mutating func step(isCalm: Bool) {
        let dice = Int.random(in: 0..<(isCalm ? 60 : 100), using: &chance)
        switch dice {
        case 0..<20 where !calls.isEmpty:
            serve(calls.remove(at: Int.random(in: 0..<calls.count, using: &chance)))
        case 20..<40 where !answers.isEmpty:
            tell(answers.removeFirst())
        case 40..<48 where !fileWork.isEmpty:
            tell(fileWork.removeFirst())
        case 48..<56:
            if let open = stream, open.sent < version {
                stream?.sent = version
                var chunk = lastPart(version, acknowledged: committed)
                chunk.checkpoint?.epoch = 1
                answers.append(.received(open.attempt, .changes(chunk), bytes: 50))
            }
        case 56..<60:
            peer.pass(milliseconds: 20_000)
            if let open = stream { tell(.received(open.attempt, .heartbeat(serverTime: 0), bytes: 5)) }
            tell(.timer)
        case 60..<80:
            logged += 1
            tell(.committed(.init(changesets: logged, oneWay: oneWay)))
        case 80..<88:
            oneWay += 1
            tell(.committed(.init(changesets: logged, oneWay: oneWay)))
        case 88..<92:
            queries += 1
            tell(.queriesChanged(version: queries))
        case 92..<96:
            // A cut: what is under way is lost, in either direction.
            tell(.failed(peer.attempt, .upload, .unreachable("cut")))
        case 96: tell(.suspended)
        case 97, 98: tell(.resumed)
        case 99: tell(.reconnect)
        default: break
        }
    }
}

@Suite("A device's conversation: a random life")
struct RandomLifeTests {
    private static let seeds = SeedList.drawn(for: "random-life", count: 300)

    @Test("whatever is cut, every entry arrives once, in order, and every change is applied once", arguments: seeds)
    func randomLife(seed: UInt64) {
        var world = NumberWorld(seed: seed)
        world.tell(.resumed)
        for _ in 0..<400 { world.step(isCalm: false) }
        world.tell(.resumed)
        for _ in 0..<3_000 { world.step(isCalm: true) }
        #expect(world.violations == [], "seed \(seed)")
        #expect(world.committed == world.logged, "seed \(seed)")
        #expect(world.ingested == world.oneWay, "seed \(seed)")
        #expect(world.checkpoint == world.version, "seed \(seed)")
        #expect(world.peer.conversation.connectionState == .connected, "seed \(seed)")
    }
}
