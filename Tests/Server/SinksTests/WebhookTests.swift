import CausewayEnvironment
import CausewayFeed
import CausewayFolders
import CausewayHTTP
import CausewayModel
import CausewayModel
import CausewayOperations
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Crypto
import Foundation
import Logging
import Synchronization
import Testing

@Suite("Webhooks", .serialized)
struct WebhookTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    /// Keeps what it is sent, and answers as it is told.
    private final class Receiver: HTTPService {
        struct Delivery {
            var id: String
            var signature: String
            var body: [UInt8]
        }

        private let state = Mutex<(deliveries: [Delivery], answers: [Int])>(([], []))

        var deliveries: [Delivery] { state.withLock { $0.deliveries } }
        func answer(with statuses: [Int]) { state.withLock { $0.answers = statuses } }

        func admit(_ head: HTTPHead) -> HTTPAdmission { .body(bytesMax: 1 << 22) }

        func answer(_ request: HTTPRequest) async -> HTTPAnswer {
            let status = state.withLock { state in
                state.deliveries.append(
                    Delivery(
                        id: request.head.header("causeway-delivery") ?? "",
                        signature: request.head.header("causeway-signature") ?? "", body: request.body))
                return state.answers.isEmpty ? 200 : state.answers.removeFirst()
            }
            return .text("\n", status: status)
        }
    }

    private func withReceiver(_ body: (Receiver, WebhookSender.Rules) async throws -> Void) async throws {
        let receiver = Receiver()
        let listener = HTTPListener(
            host: "127.0.0.1", port: 0, tls: nil, service: receiver, logger: Logger(label: "test"))
        let port = try await listener.start()
        let folder = try TemporaryFolder()
        folder.write(Array((Self.secret + "\n").utf8), to: "secret")
        do {
            try await body(
                receiver,
                WebhookSender.Rules(url: "http://127.0.0.1:\(port)/hook", secretFile: folder.file("secret")))
        } catch {
            await listener.shutdown()
            throw error
        }
        await listener.shutdown()
    }

    private static func list(_ name: String, _ body: [UInt8]) throws -> [[String: Any]] {
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return object?[name] as? [[String: Any]] ?? []
    }

    @Test("the signature is the HMAC of time and body under the secret")
    func signature() {
        let body = Array(#"{"a":1}"#.utf8)
        let text = WebhookSignature.text(of: body, seconds: 1_700_000_000, secret: Self.secret)
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("1700000000.".utf8) + body, using: SymmetricKey(data: Array(Self.secret.utf8)))
        #expect(text == "t=1700000000,v1=" + code.map { String(format: "%02x", $0) }.joined())
    }

    @Test("one-way objects come in order, signed; a batch that is refused comes again, the same")
    func rows() async throws {
        try await withReceiver { receiver, rules in
            let bench = try SinkBench()
            try bench.readings(1...20)
            receiver.answer(with: [200, 500, 302])
            func ids() throws -> [Int] {
                var statuses = [200, 500, 302].makeIterator()
                return try receiver.deliveries.filter { _ in (statuses.next() ?? 200) == 200 }.flatMap { delivery in
                    try Self.list("rows", delivery.body).compactMap { ($0["object"] as? [String: Any])?["_id"] as? Int }
                }
            }
            for _ in 0..<2 {
                let sink = HookSink(rules, database: "test", name: "push", keeping: bench.record, now: { 5_000 })
                let carrier = bench.carrier(sink, name: "push")
                try await running(carrier) { carrier.state.now.position == bench.record.newestArrival }
            }
            #expect(try ids() == Array(1...20))
            let deliveries = receiver.deliveries
            #expect(deliveries[1].body == deliveries[2].body && deliveries[1].id == deliveries[2].id)
            for delivery in deliveries {
                #expect(
                    delivery.signature
                        == WebhookSignature.text(of: delivery.body, seconds: 5, secret: Self.secret))
            }
        }
    }

    @Test("the feed comes in batches of the size that is asked, from where it stood, and a gap is told")
    func feed() async throws {
        try await withReceiver { receiver, rules in
            let bench = try HookBench(historyVersionsMax: 40)
            try bench.write(0)
            func hook() -> FeedHook {
                FeedHook(
                    FeedHook.Rules(name: "h", eventsMax: 4), to: WebhookSender(rules, now: { 5_000 }),
                    source: FeedSource(bench.record), keeping: bench.record,
                    state: CarrierState(database: "test", .webhook, name: "h"), random: SystemRandom(),
                    logger: Logger(label: "test"))
            }
            func told() throws -> [Int] {
                try receiver.deliveries.flatMap { try Self.list("events", $0.body).compactMap { $0["key"] as? Int } }
            }
            // A new hook begins with what comes next.
            let first = hook()
            try await running(first) { first.state.now.position == bench.record.version.rawValue }
            for id in 1...10 { try bench.write(Int64(id)) }
            let second = hook()
            try await running(second) { try told().count >= 10 }
            #expect(try told() == Array(1...10))
            #expect(receiver.deliveries.allSatisfy { (try? Self.list("events", $0.body).count) ?? 9 <= 4 })
            for id in 11...100 { try bench.write(Int64(id)) }
            let third = hook()
            try await running(third) { try told().last == 100 }
            let gap = try receiver.deliveries.flatMap { try Self.list("events", $0.body) }.first {
                $0["kind"] as? String == "gap"
            }
            #expect(gap?["code"] as? String == "historyGone")
            #expect(gap?["oldest"] as? Int == 61)
            #expect(try told() == Array(1...10) + Array(61...100))
        }
    }

    @Test("a hook that has nothing to tell saves its position now and then")
    func idle() async throws {
        let folder = try TemporaryFolder()
        folder.write(Array(Self.secret.utf8), to: "secret")
        let bench = try HookBench(historyVersionsMax: 40)
        try bench.write(0)
        var rules = FeedHook.Rules(name: "idle", selection: FeedSelection(classes: ["Nothing"]))
        rules.idleSaveMilliseconds = 5
        let hook = FeedHook(
            rules,
            to: WebhookSender(
                WebhookSender.Rules(url: "http://127.0.0.1:1/", secretFile: folder.file("secret")), now: { 5_000 }),
            source: FeedSource(bench.record), keeping: bench.record,
            state: CarrierState(database: "test", .webhook, name: "idle"), random: SystemRandom(),
            logger: Logger(label: "test"))
        func saved() throws -> ServerVersion? {
            try bench.record.position(of: "webhook/idle").flatMap { bytes in
                FeedPosition(String(decoding: bytes, as: UTF8.self))?.version
            }
        }
        var isWritten = false
        try await running(hook) {
            guard isWritten else {
                guard try saved() != nil else { return false }
                for id in 1...3 { try bench.write(Int64(id)) }
                isWritten = true
                return false
            }
            return try saved() == bench.record.version
        }
        #expect(hook.state.now.failures == 0)
    }

    @Test("a receiver that is not there, and a secret that is missing, hold the hook up with a sentence")
    func unreachable() async throws {
        let bench = try SinkBench()
        try bench.readings(1...1)
        let folder = try TemporaryFolder()
        for (file, word) in [("missing", "is not there"), ("secret", "cannot be reached")] {
            if file == "secret" { folder.write(Array(Self.secret.utf8), to: file) }
            let sink = HookSink(
                WebhookSender.Rules(url: "http://127.0.0.1:1/", secretFile: folder.file(file)), database: "test",
                name: "x", keeping: bench.record, now: { 5_000 })
            let carrier = bench.carrier(sink)
            try await running(carrier) { carrier.state.now.failure?.contains(word) == true }
            #expect(carrier.state.now.failure?.contains(Self.secret) == false)
        }
    }

    @Test("the pause doubles with each failure, up to a bound, and is not the same for all")
    func backoff() {
        var backoff = Backoff(random: SystemRandom())
        var pauses: [UInt64] = []
        for _ in 0..<40 { pauses.append(backoff.failed()) }
        #expect((125...250).contains(pauses[0]))
        #expect(pauses.allSatisfy { $0 <= Backoff.lastMilliseconds })
        #expect(pauses[30...].allSatisfy { $0 >= Backoff.lastMilliseconds / 2 })
        #expect(Set(pauses[20...]).count > 5)
        backoff.succeeded()
        #expect((125...250).contains(backoff.failed()))
    }
}
