import CausewayJSON
import CausewayModel
import Logging
import Testing

@testable import CausewayDaemon

@Suite("The newest lines of the log, in memory")
struct RecentLogTests {
    private func filled(_ count: Int, _ message: (Int) -> String = { "line \($0)" }) -> RecentLog {
        let log = RecentLog()
        for number in 1...count {
            log.append(RecentLine(time: UInt64(number), number.isMultiple(of: 10) ? .warning : .info, message(number)))
        }
        return log
    }

    @Test("as many lines are kept as the bounds of their number and of their bytes allow, and those are the newest")
    func bounds() {
        let many = filled(RecentLog.linesMax + 500).lines(after: 0, .max)
        #expect(many.lines.map(\.number) == Array(501...UInt64(RecentLog.linesMax + 500)))
        #expect(many.lines.first?.message == "line 501" && many.next == UInt64(RecentLog.linesMax + 500))
        let long = String(repeating: "x", count: RecentLine.messageBytesMax)
        let large = filled(RecentLog.linesMax) { "\($0)" + long }.lines(after: 0, .max).lines
        let bytes = large.reduce(0) { $0 + $1.bytes }
        #expect(bytes <= RecentLog.bytesMax && bytes > RecentLog.bytesMax - 2 * large[0].bytes)
        #expect(large.last?.number == UInt64(RecentLog.linesMax) && large.count < RecentLog.linesMax / 2)
    }

    @Test("whoever asks for what is behind the last page gets every line once")
    func pages() {
        let log = filled(95)
        var (numbers, next): ([UInt64], UInt64) = ([], 0)
        while true {
            let page = log.lines(after: next, 10)
            if page.lines.isEmpty { break }
            numbers += page.lines.map(\.number)
            next = page.next
        }
        #expect(numbers == Array(1...95))
        log.append(RecentLine(time: 1, .info, "one more"))
        #expect(log.lines(after: next, 10).lines.map(\.number) == [96])
    }

    @Test("a level leaves out what is below, and the next page begins behind what was looked at")
    func levels() {
        let log = filled(95)
        #expect(log.newest(3, from: .warning).lines.map(\.number) == [70, 80, 90])
        #expect(log.newest(3).lines.map(\.number) == [93, 94, 95])
        let page = log.lines(after: 0, 3, from: .warning)
        #expect(page.lines.map(\.number) == [10, 20, 30] && page.next == 30)
        let last = log.lines(after: 85, 3, from: .warning)
        #expect(last.lines.map(\.number) == [90] && last.next == 95)
        #expect(log.lines(after: 0, 3, from: .error).next == 95)
    }

    @Test("a number of before a restart begins with the oldest line, and an empty log has no lines")
    func restart() {
        #expect(filled(3).lines(after: 1_000, 10).lines.map(\.number) == [1, 2, 3])
        #expect(RecentLog().lines(after: 1_000, 10).lines.isEmpty && RecentLog().newest(10).next == 0)
    }

    @Test("what is logged is kept as it is written, from the level of the configuration on, and without secrets")
    func handler() throws {
        let log = RecentLog()
        var configuration = Configuration.Log()
        configuration.level = .warning
        let logger = Logger(label: "test") { configuration.handler($0, keeping: log) }
        logger.info("not written")
        logger.warning(
            "a test of the log writes this line",
            metadata: [
                "database": "flights", "count": .stringConvertible(7), "token": "abc", "tokenId": "def",
            ])
        let lines = log.newest(10).lines
        #expect(lines.map(\.message) == ["a test of the log writes this line"] && lines.first?.level == .warning)
        let fields = try JSONReader.read(try #require(lines.first).fields)
        #expect(fields["database"]?.string == "flights" && fields["count"]?.int == 7)
        #expect(fields["token"]?.string == "…" && fields["tokenId"]?.string == "…")
    }

    @Test("a line has a bound: its message is cut, and fields that do not fit in are left out")
    func boundOfLine() throws {
        let line = RecentLine(
            time: 1, .info, String(repeating: "z", count: 100_000),
            ["a": .string(String(repeating: "y", count: RecentLine.fieldsBytesMax)), "b": .stringConvertible(7)])
        #expect(line.bytes < RecentLine.messageBytesMax + 200 && line.message.hasSuffix("z…"))
        #expect(try JSONReader.read(line.fields).members?.map(\.name.string) == ["b"])
    }

    @Test("an administrator reads the newest lines, those of a level, and those behind a number")
    func call() async throws {
        try await AdminBench.run { bench in
            for number in 1...300 {
                bench.log.append(
                    RecentLine(
                        time: 1_700_000_000_000, number.isMultiple(of: 100) ? .error : .info, "a line",
                        ["database": "flights"]))
            }
            let newest = try await bench.get("GET", "log?limit=2")
            #expect(newest["lines"]?.elements?.compactMap { $0["number"]?.int } == [299, 300])
            let line = try #require(newest["lines"]?.elements?.last)
            #expect(line["level"]?.string == "error" && line["message"]?.string == "a line")
            #expect(line["time"]?.string == "2023-11-14T22:13:20.000Z")
            #expect(line["fields"]?["database"]?.string == "flights")
            let errors = try await bench.get("GET", "log?level=error&after=100")
            #expect(errors["lines"]?.elements?.compactMap { $0["number"]?.int } == [200, 300])
            #expect(errors["next"]?.int == 300)
            #expect(try await bench.get("GET", "log?after=300")["lines"]?.elements == [])
            for query in ["level=loud", "after=x", "limit=0", "limit=1001"] {
                try await bench.expect(400, "requestInvalid", "GET", "log?" + query)
            }
        }
    }
}
