import CausewayFeed
import CausewayHTTP
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import Synchronization
import Testing

@Suite("Changes over HTTP", .serialized)
struct ChangesServiceTests {
    /// Knows one token, under rules that a test may change.
    private final class Callers: FeedCallers {
        let rules = Mutex<Permissions?>(nil)
        let expires = Mutex<UInt64>(.max)
        let refusal = Mutex<FeedFailure?>(nil)

        func caller(for token: String, database: String) throws(FeedFailure) -> FeedCaller {
            guard token == "good" else { throw FeedFailure(.tokenInvalid, "no") }
            return FeedCaller(user: "eve", expires: expires.withLock { $0 }) { [self] in
                rules.withLock { $0 }
            } refusal: { [self] in
                refusal.withLock { $0 }
            }
        }
    }

    private final class Events: FeedObserver {
        private let told = Mutex<[FeedEvent]>([])

        var all: [FeedEvent] { told.withLock { $0 } }

        func observe(_ event: FeedEvent) { told.withLock { $0.append(event) } }
    }

    private struct Bench {
        let feed: FeedBench
        let events = Events()
        let callers = Callers()
        let source: FeedSource
        let service: ChangesService

        init(
            historyVersionsMax: UInt64 = 1_000,
            heartbeatMilliseconds: UInt64 = ChangesService.heartbeatMilliseconds
        ) throws {
            feed = try FeedBench(historyVersionsMax: historyVersionsMax)
            let source = FeedSource(feed.record)
            self.source = source
            service = ChangesService(
                { $0 == "tasks" ? source : nil }, callers: callers, heartbeatMilliseconds: heartbeatMilliseconds,
                observer: events, now: { 1_000 })
        }

        func answer(_ target: String, token: String = "good", _ headers: [HTTPHead.Header] = []) async throws
            -> HTTPAnswer
        {
            let head = try #require(
                HTTPHead(
                    method: "GET", target: target, headers: [.init("authorization", "Bearer \(token)")] + headers))
            guard case .body = service.admit(head) else { throw Refused() }
            return await service.answer(HTTPRequest(head))
        }

        /// The lines of an answer that ends.
        func lines(_ query: String, _ headers: [HTTPHead.Header] = []) async throws -> [String] {
            let answer = try await answer("/api/v1/tasks/changes?live=false&\(query)", headers)
            return try await ChangesServiceTests.read(answer)
        }
    }

    private struct Refused: Error {}
    private struct Enough: Error {}

    /// The lines of an answer, until there are enough of them.
    private static func read(
        _ answer: HTTPAnswer, until isEnough: @escaping @Sendable ([String]) -> Bool
    ) async throws -> [String] {
        let text = Mutex("")
        @Sendable func lines() -> [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }
        switch answer.body {
        case .whole(let bytes): return [String(decoding: bytes, as: UTF8.self)]
        case .stream(let produce):
            do {
                try await produce(
                    HTTPBodyWriter { bytes in
                        text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                        if isEnough(lines()) { throw Enough() }
                    })
            } catch {
                #expect(isEnough(lines()), "the stream broke early")
            }
            return lines()
        }
    }

    private static func read(_ answer: HTTPAnswer) async throws -> [String] {
        try await read(answer, until: { _ in false })
    }

    @Test("lines hold the events, and the end says how far they go")
    func lines() async throws {
        let bench = try Bench()
        try bench.feed.write(make(task(1), ("title", .string("a"))))
        try bench.feed.write(change(task(1), "title", .string("b")), by: FeedBench.bob)
        let lines = try await bench.lines("since=0&values=before,after&class=Task")
        #expect(lines.count == 3)
        #expect(
            lines[1]
                == #"{"position":"2@3","version":2,"time":"2023-11-14T22:13:20.020Z","kind":"updated","class":"Task","key":1,"#
                + #""changed":["title"],"client":"2","user":"bob","before":{"_id":1,"title":"a","owner":"","place":null,"#
                + #""labels":[],"tags":[],"scores":{}},"after":{"_id":1,"title":"b","owner":"","place":null,"labels":[],"#
                + #""tags":[],"scores":{}}}"#)
        #expect(lines[2] == #"{"kind":"position","position":"2@3"}"#)
        #expect(try await bench.lines("since=2@3").count == 1)
    }

    @Test("a reader is told the position also while many versions have nothing for it")
    func signs() async throws {
        let bench = try Bench(historyVersionsMax: 100_000, heartbeatMilliseconds: 0)
        // More than one step goes over.
        for number in 0..<FeedBounds().entriesAtOnce + 100 {
            try bench.feed.write(make(ObjectReference("Person", .string("\(number)"))))
        }
        let lines = try await bench.lines("since=0&class=Task")
        #expect(lines.count > 1)
        #expect(lines.allSatisfy { $0.contains(#""kind":"position""#) })
    }

    @Test("server-sent events carry positions, and go on behind the last one that a reader names")
    func events() async throws {
        let bench = try Bench()
        try bench.feed.write(make(task(1)))
        try bench.feed.write(make(task(2)))
        let accept = HTTPHead.Header("accept", "text/event-stream")
        let lines = try await bench.lines("since=0", [accept])
        #expect(lines[0] == "id: 1@3" && lines[1] == "event: change" && lines[2].hasPrefix("data: {"))
        let rest = try await bench.lines("since=0", [accept, .init("last-event-id", "1@3")])
        #expect(rest.filter { $0 == "event: change" }.count == 1)
    }

    @Test("a live answer goes on with what comes, until the server ends", .timeLimit(.minutes(1)))
    func live() async throws {
        let bench = try Bench()
        try bench.feed.write(make(task(1)))
        let answer = try await bench.answer("/api/v1/tasks/changes")
        let told = Mutex(0)
        let reading = Task {
            try await Self.read(answer) { lines in
                told.withLock { $0 = lines.count }
                return false
            }
        }
        for id in 2...4 {
            try bench.feed.write(make(task(Int64(id))))
            while told.withLock({ $0 }) < id - 1 { try await Task.sleep(for: .milliseconds(5)) }
        }
        #expect(bench.source.readerCount == 1)
        bench.source.end()
        let lines = try await reading.value
        #expect(lines.count == 4)
        #expect(lines[0].contains(#""key":2"#) && lines[3].contains("serverEnds"))
    }

    @Test(
        "a reader who is shut out is told so when the bell rings, however quiet the database is",
        .timeLimit(.minutes(1)))
    func shutOut() async throws {
        let bench = try Bench(heartbeatMilliseconds: 3_600_000)
        let answer = try await bench.answer("/api/v1/tasks/changes")
        let isOver = Mutex(false)
        let reading = Task {
            defer { isOver.withLock { $0 = true } }
            return try await Self.read(answer)
        }
        bench.callers.refusal.withLock { $0 = FeedFailure(.permissionDenied, "shut out") }
        // The first rings may come before the reader waits.
        while !isOver.withLock({ $0 }) {
            bench.source.bell.ring()
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await reading.value.last?.contains("permissionDenied") == true)
    }

    @Test("changed rules, and a token that expires, end a live answer", .timeLimit(.minutes(1)))
    func governed() async throws {
        let bench = try Bench()
        let governed = try await bench.answer("/api/v1/tasks/changes?since=0")
        bench.callers.rules.withLock { $0 = Permissions(AccessRules(otherwise: .init(read: .never))) }
        try bench.feed.write(make(task(1)))
        #expect(try await Self.read(governed).last?.contains("permissionsChanged") == true)
        bench.callers.expires.withLock { $0 = 900 }
        let answer = try await bench.answer("/api/v1/tasks/changes?since=0")
        try bench.feed.write(make(task(100)))
        #expect(try await Self.read(answer).last?.contains("tokenExpired") == true)
    }

    @Test("what cannot be served is refused with a status and a code")
    func refusals() async throws {
        let bench = try Bench(historyVersionsMax: 2)
        for id in 1...5 { try bench.feed.write(make(task(Int64(id)))) }
        let path = "/api/v1/tasks/changes?"
        for (target, token, status, code) in [
            (path + "since=1", "good", 410, "historyGone"), (path + "since=6", "good", 409, "versionUnknown"),
            (path + "since=5@99", "good", 409, "databaseRestored"), (path + "since=x", "good", 400, "requestInvalid"),
            (path + "after=5", "good", 400, "requestInvalid"), (path + "values=all", "good", 400, "requestInvalid"),
            (path + "live=maybe", "good", 400, "requestInvalid"), (path + "class=Nothing", "good", 404, "classUnknown"),
            (path + "class=Place", "good", 404, "classUnknown"),
            ("/api/v1/other/changes", "good", 404, "databaseUnknown"), (path, "bad", 401, "tokenInvalid"),
        ] {
            let answer = try await bench.answer(target, token: token)
            #expect(answer.status == status, "\(target)")
            #expect(try await Self.read(answer).first?.contains(#""code":"\#(code)""#) == true, "\(target)")
        }
        let gone = try await Self.read(try await bench.answer(path + "since=1"))
        #expect(gone.first?.contains(#""oldest":3"#) == true)
        try await until { bench.source.readerCount == 0 }
        #expect(bench.source.readerCount == 0)
        let post = try #require(HTTPHead(method: "POST", target: path))
        guard case .refused(let answer) = bench.service.admit(post) else {
            Issue.record("POST was admitted")
            return
        }
        #expect(answer.status == 405)
    }

    @Test("only so many may follow, and a place is free again when a reader has gone")
    func places() async throws {
        let bench = try Bench()
        var answers: [HTTPAnswer] = []
        for _ in 0..<FeedSource.readersMaxOfUser { answers.append(try await bench.answer("/api/v1/tasks/changes")) }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(try await bench.answer("/api/v1/tasks/changes").status == 503)
        answers.removeLast()
        try await until { bench.source.readerCount < FeedSource.readersMaxOfUser }
        #expect(try await bench.answer("/api/v1/tasks/changes").status == 200)
    }

    @Test("who watches the server is told of readers and refusals, and how far the slowest reader is")
    func observed() async throws {
        let bench = try Bench(historyVersionsMax: 2)
        for id in 1...5 { try bench.feed.write(make(task(Int64(id)))) }
        _ = try await bench.answer("/api/v1/tasks/changes", token: "bad")
        _ = try await bench.answer("/api/v1/tasks/changes?since=1")
        _ = try await bench.lines("since=3")
        let words = bench.events.all.map { event -> String in
            switch event {
            case .refused(let party, let failure): "refused \(party.user ?? "-") \(failure.code.name)"
            case .opened(let party): "opened \(party.user ?? "-") \(party.database)"
            case .told(_, let events): "told \(events)"
            case .ended(_, let ending, _): "ended \(ending.name)"
            }
        }
        #expect(
            words == [
                "refused - tokenInvalid", "refused eve historyGone", "opened eve tasks", "told 2", "ended complete",
            ])
        try await until { bench.source.slowestPosition == nil }
        #expect(bench.source.slowestPosition == nil)
        let slow = try await bench.answer("/api/v1/tasks/changes?since=3")
        let fast = try await bench.answer("/api/v1/tasks/changes?since=5")
        #expect(slow.status == 200 && fast.status == 200)
        #expect(bench.source.slowestPosition == ServerVersion(3))
    }

    /// Waits for a reader to go: what made its answer may refer to it for a moment longer.
    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<5_000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }
}
