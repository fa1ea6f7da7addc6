import Foundation
import Synchronization
import Testing

@testable import CausewayTelemetry

@Suite("The audit log")
struct AuditLogTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "causeway-audit-\(UUID().uuidString)")

    private func withLog(
        _ body: (AuditLog, URL, @Sendable () -> [String]) throws -> Void
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let failures = Failures()
        let file = folder.appending(path: "audit.log")
        try body(AuditLog(.file(file.path), now: { 12 }, failed: failures.add), file) { failures.all }
    }

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private final class Failures: Sendable {
        private let reasons = Mutex<[String]>([])
        var all: [String] { reasons.withLock { $0 } }
        func add(_ reason: String) { reasons.withLock { $0.append(reason) } }
    }

    @Test("an event is one line of JSON, escaped, with what is known of it")
    func line() throws {
        try withLog { log, file, failures in
            log.write(AuditEvent(.tokenRefused, database: "a\n\"b", address: "10.0.0.1", code: "tokenInvalid"))
            log.write(AuditEvent(.adminCalled, user: "admin", subject: "POST /x", count: 3))
            let text = try Self.text(file)
            #expect(
                text == #"""
                    {"time":12,"event":"tokenRefused","database":"a\n\"b","address":"10.0.0.1","code":"tokenInvalid"}
                    {"time":12,"event":"adminCalled","user":"admin","subject":"POST /x","count":3}

                    """#)
            #expect(failures() == [])
        }
    }

    @Test("a file that was moved away is made anew, readable for its owner and group alone")
    func rotation() throws {
        try withLog { log, file, _ in
            log.write(AuditEvent(.serverStarted))
            try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("1"))
            log.write(AuditEvent(.serverEnded))
            let (news, old) = (try Self.text(file), try Self.text(file.appendingPathExtension("1")))
            #expect(news.contains("serverEnded") && old.contains("serverStarted"))
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect((mode ?? 0) & 0o027 == 0)
        }
    }

    @Test("a file that cannot be written is told, and written again once it can be")
    func failure() throws {
        try withLog { log, file, failures in
            try FileManager.default.removeItem(at: folder)
            log.write(AuditEvent(.serverStarted))
            #expect(failures().count == 1)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            log.write(AuditEvent(.serverEnded))
            let text = try Self.text(file)
            #expect(text.contains("serverEnded"))
        }
    }

    @Test("a text from outside is bounded")
    func bound() {
        let long = String(repeating: "ä", count: 10_000)
        #expect(AuditEvent(.tokenRefused, user: long, subject: long).line(at: 0).utf8.count < 2_000)
    }
}
