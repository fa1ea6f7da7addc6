import Causeway
import CausewayPrograms
import Foundation
import Testing

@Suite("Many Realms over one connection", .serialized)
@MainActor
struct SharedConnectionTests {
    /// Connections that the server has accepted and that are open, as the kernel knows them.
    private func connections(of bench: Bench) throws -> Int {
        let port = try #require(bench.server.url.split(separator: ":").last.flatMap { UInt16($0) })
        let local = ":" + String(format: "%04X", port)
        // The kernel says of this file that it is empty, so it is read to its end.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
        let table = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
        return table.split(separator: "\n").dropFirst().count { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[1].hasSuffix(local) && fields[3] == "01"
        }
    }

    private func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<3_000 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try condition()
    }

    @Test("ten Realms have one connection, all come back on one, one that suspends leaves it, the last one closes it")
    func tenRealms() async throws {
        let bench = try Bench("shared")
        defer { bench.end() }
        let app = bench.app()
        app.syncManager.timeoutOptions = {
            let timeouts = SyncTimeoutOptions()
            timeouts.connectionLingerTime = 500
            return timeouts
        }()
        var realms: [Realm] = []
        for number in 0..<10 { realms.append(try await bench.device("D\(number)", app: app)) }
        #expect(try connections(of: bench) == 1)
        try realms[0].writeItems(1...5)
        try await realms[0].uploaded()
        for realm in realms { try await realm.downloaded() }
        #expect(realms.allSatisfy { $0.objects(Item.self).count == 5 })
        #expect(try connections(of: bench) == 1)

        bench.server.kill()
        try realms[1].writeItems(6...8)
        try bench.server.start()
        try await realms[1].uploaded()
        for realm in realms { try await realm.downloaded() }
        #expect(realms.allSatisfy { $0.objects(Item.self).count == 8 })
        #expect(try connections(of: bench) == 1)

        let sessions = try realms.map { try #require($0.syncSession) }
        sessions[0].suspend()
        try realms[1].writeItems(9...9)
        try await realms[1].uploaded()
        try await realms[2].downloaded()
        #expect(realms[2].objects(Item.self).count == 9)
        #expect(sessions.dropFirst().allSatisfy { $0.connectionState == .connected })
        #expect(try connections(of: bench) == 1)

        for session in sessions { session.suspend() }
        #expect(try await eventually { try connections(of: bench) == 0 })
        sessions[0].resume()
        try await realms[0].downloaded()
        #expect(realms[0].objects(Item.self).count == 9)
        #expect(try connections(of: bench) == 1)
    }
}
