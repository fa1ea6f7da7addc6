import CausewayJSON
import Logging
import Testing

@testable import CausewayDaemon

@Suite("What a reader of events is told next")
struct LiveProgressTests {
    /// Stands for databases, by which they are told apart.
    private final class Identity {}
    private let flights = Identity()
    private let tasks = Identity()

    private func seen(
        _ identity: Identity, _ name: String, version: UInt64, open: Int = 0, live: Int = 0
    ) -> LiveSight.Database {
        LiveSight.Database(
            identity: ObjectIdentifier(identity), name: name, version: version,
            sessions: LiveSight.Sessions(open: open, live: live))
    }

    /// Each event with its data, on one line.
    private func texts(_ events: [LiveEvent]) -> [String] {
        events.map { event in
            var bytes: [UInt8] = []
            event.append(to: &bytes)
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: " ")
        }
    }

    private func version(_ number: Int, of name: String = "flights") -> String {
        "event: version data: {\"database\":\"\(name)\",\"version\":\(number)}"
    }

    private func sessions(_ open: Int, _ live: Int, of name: String = "flights") -> String {
        "event: sessions data: {\"database\":\"\(name)\",\"open\":\(open),\"live\":\(live)}"
    }

    @Test("first everything is told, and then only what has changed")
    func changes() {
        var progress = LiveProgress(line: nil)
        let first = progress.events(of: [seen(flights, "flights", version: 7, open: 2, live: 1)], at: 0)
        #expect(texts(first) == [version(7), sessions(2, 1)])
        #expect(progress.events(of: [seen(flights, "flights", version: 7, open: 2, live: 1)], at: 5_000).isEmpty)
        let second = progress.events(of: [seen(flights, "flights", version: 7, open: 2, live: 2)], at: 5_001)
        #expect(texts(second) == [sessions(2, 2)] && progress.due == nil)
    }

    @Test("a number that no line has is no trouble")
    func unknownLine() {
        let log = RecentLog()
        log.append(RecentLine(time: 0, .notice, "one", [:]))
        var progress = LiveProgress(line: .max)
        #expect(progress.events(of: log.newest(10)).count <= 2)
        #expect(progress.events(of: log.newest(10)).count >= 1)
        #expect(log.lines(after: .max, 10).lines.count == 1 && log.lines(after: .max, 10).forgotten == 0)
    }

    @Test("a database with many commits is told four times a second, each time its newest version")
    func pace() {
        var (progress, told) = (LiveProgress(line: nil), [String]())
        for millisecond in 0..<1_000 {
            let events = progress.events(
                of: [seen(flights, "flights", version: UInt64(millisecond + 1))], at: UInt64(millisecond))
            told += texts(events).filter { $0.contains("version") }
        }
        #expect(told == [version(1), version(251), version(501), version(751)])
        #expect(progress.due == 1_000)
        let last = progress.events(of: [seen(flights, "flights", version: 1_000)], at: 1_000)
        #expect(texts(last) == [version(1_000)] && progress.due == nil)
    }

    @Test("databases that come and go are told, also one that takes the name of another")
    func databases() {
        var progress = LiveProgress(line: nil)
        _ = progress.events(of: [seen(flights, "flights", version: 1)], at: 0)
        let added = progress.events(
            of: [seen(flights, "flights", version: 1), seen(tasks, "tasks", version: 3)], at: 1)
        #expect(texts(added) == ["event: databases data: {}", version(3, of: "tasks"), sessions(0, 0, of: "tasks")])
        let dropped = progress.events(of: [seen(tasks, "tasks", version: 3)], at: 2)
        #expect(texts(dropped) == ["event: databases data: {}"])
        let replaced = progress.events(of: [seen(flights, "tasks", version: 3)], at: 3)
        #expect(texts(replaced).first == "event: databases data: {}" && replaced.count == 3)
    }

    @Test("lines follow each other, and those that were forgotten before they were taken are counted in one")
    func lines() throws {
        let log = RecentLog()
        func append(_ count: Int) {
            for _ in 0..<count { log.append(RecentLine(time: 1, .info, "a line")) }
        }
        func lines(_ events: [LiveEvent]) -> [RecentLine] {
            events.compactMap { if case .log(let line) = $0 { line } else { nil } }
        }
        append(10)
        var progress = LiveProgress(line: log.newest)
        append(3)
        #expect(lines(progress.events(of: log.lines(after: 10, 100))).map(\.number) == [11, 12, 13])
        #expect(progress.line == 13)
        #expect(progress.events(of: log.lines(after: 13, 100)).isEmpty)
        append(RecentLog.linesMax + 40)
        let late = lines(progress.events(of: log.lines(after: 13, 100)))
        #expect(late.map(\.number) == Array(53...153) && late.first?.level == .notice)
        let fields = try JSONReader.read(try #require(late.first).fields)
        #expect(fields["count"]?.int == 40)
        #expect(progress.line == 153)
    }
}
