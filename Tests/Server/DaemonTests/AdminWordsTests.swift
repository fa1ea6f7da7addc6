import CausewayHTTP
import CausewayJSON
import Testing

@testable import CausewayDaemon

/// What `sync-server admin` makes of answers.
@Suite struct AdminWordsTests {
    @Test("events are read from pieces of any length", arguments: [1, 2, 3, 7, 1_000])
    func events(length: Int) throws {
        var bytes = EventStream.signOfLife
        EventStream.append("version", #"{"database":"täsks","version":7}"#.utf8.map { $0 }, to: &bytes)
        bytes += EventStream.signOfLife
        EventStream.append("sessions", id: "4", Array("{}".utf8), to: &bytes)
        var lines = EventLines(lineBytesMax: 100)
        var events: [ServerSentEvent] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            events += try lines.take(Array(bytes[start..<min(start + length, bytes.count)]))
        }
        #expect(
            events == [
                ServerSentEvent(name: "version", data: #"{"database":"täsks","version":7}"#),
                ServerSentEvent(name: "sessions", data: "{}"),
            ])
    }

    @Test("a line that does not end is refused")
    func endless() {
        var lines = EventLines(lineBytesMax: 100)
        #expect(throws: CommandFailure.self) { try lines.take([UInt8](repeating: 65, count: 101)) }
    }

    @Test(
        "the outcome of a verification is said in words",
        arguments: [
            (
                #"{"isSound":true,"objects":12,"problemCount":0,"problems":[],"milliseconds":1250}"#,
                "It is sound. Objects: 12. Verified in 1.3 s."
            ),
            (
                #"{"isSound":false,"objects":12,"problemCount":3,"problems":["a","b"],"milliseconds":1}"#,
                "It is not sound. Problems: 3.\n  a\n  b\n  and 1 more"
            ),
            (
                #"{"isSound":false,"objects":0,"problemCount":0,"problems":[],"milliseconds":1,"failure":"It was dropped."}"#,
                "It could not be verified to its end: It was dropped."
            ),
        ])
    func verification(answer: String, sentence: String) throws {
        #expect(AdminVerify.sentence(try JSONReader.read(Array(answer.utf8))) == sentence)
    }

    @Test("a line of the log has its fields, and no character that a terminal obeys")
    func log() throws {
        let line = try JSONReader.read(
            Array(
                #"{"number":1,"time":"2026-01-01T00:00:00Z","level":"info","message":"begun","fields":{"user":"a\u001b[2J","count":3}}"#
                    .utf8))
        #expect(AdminLog.sentence(line) == "2026-01-01T00:00:00Z info begun user=a\u{FFFD}[2J count=3")
    }
}
