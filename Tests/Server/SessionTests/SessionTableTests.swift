import CausewayLimits
import CausewayModel
import CausewayWire
import Testing

@testable import CausewaySession

@Suite("The sessions of a database")
struct SessionTableTests {
    private func hello(_ client: UInt64, queries: Int, bytes: Int = 100) -> Hello {
        let text = "name == '" + String(repeating: "x", count: bytes - 10) + "'"
        let wanted = QuerySet(
            version: 1, queries: Array(repeating: StandingQuery(className: "Dog", predicate: text), count: queries))
        return Hello(
            client: ClientID(client), protocolVersions: 1...1, schema: Schema(), checkpoint: .nothing, held: wanted,
            wanted: wanted)
    }

    private func open(_ hello: Hello, of user: String, in table: inout SessionTable) -> UInt64? {
        let bytes = hello.queryWeight
        guard table.hasPlace(for: hello.client, of: user, queryBytes: bytes, at: 0) else { return nil }
        let conversation = DownloadConversation(hello: hello, user: user, limits: .standard, now: 0)
        return table.open(conversation, queryBytes: bytes, epoch: 1, at: 0).session
    }

    @Test("the queries of one user's sessions take no more than their share, and what ends gives it back")
    func share() throws {
        // Each takes 100 bytes, 3 of its class and 256 of its own.
        var table = SessionTable(bounds: SessionBounds(queryBytesOfUser: 359 * 10))
        func open(_ client: UInt64, _ queries: Int, of user: String = "ann") -> UInt64? {
            self.open(hello(client, queries: queries), of: user, in: &table)
        }
        let first = try #require(open(1, 6))
        #expect(open(2, 5) == nil)
        let second = try #require(open(3, 4))
        #expect(open(4, 10, of: "ben") != nil)
        func reweigh(_ queries: Int) -> Bool { table.reweigh(second, queryBytes: 359 * queries) }
        #expect(!reweigh(5))
        #expect(reweigh(2))
        #expect(open(5, 2) != nil)
        _ = table.close(first)
        #expect(reweigh(8))
        #expect(open(6, 1) == nil)
        // A device that comes again has its own place.
        #expect(open(3, 8) != nil)
        #expect(open(6, 1) == nil)
    }

    @Test("nothing opens while the sessions are paused, and a second pause waits for the end of the first")
    func pausing() throws {
        let failure = SyncFailure(.serverBusy, "The schema is being changed.")
        var table = SessionTable()
        let session = try #require(open(hello(1, queries: 1), of: "ann", in: &table))
        #expect(table.closing == nil)
        #expect(table.pause(failure)?.map(\.id) == [session])
        #expect(table.closing == failure && table.ending == nil && table.pause(failure) == nil)
        table.resume()
        #expect(table.closing == nil)
        #expect(table.pause(failure)?.count == 1)
        table.resume()
        // The end of the server is no pause: nothing opens behind it.
        _ = table.endAll(SyncFailure(.serverEnding, "The server ends."))
        #expect(table.pause(failure) == nil && table.closing?.code == .serverEnding)
        table.resume()
        #expect(table.closing?.code == .serverEnding)
    }

    @Test("an opening that comes back while the session that replaced its own is in use is that of a copy")
    func copies() throws {
        var table = SessionTable()
        func open(_ opening: UInt64, downloads: Bool = true) throws {
            let conversation = DownloadConversation(
                hello: hello(1, queries: 0), user: "ann", limits: .standard, now: 0)
            let session = try #require(table.open(conversation, opening: opening, epoch: 1, at: 0).session)
            if downloads { #expect(table[session]?.beginDownload({}, nil) == true) }
        }
        func isShared(_ opening: UInt64) -> Bool { table.isShared(ClientID(1), with: opening) }
        // One device that connects again, restarts, and connects again.
        for opening in [5, 5, 6, 6, 7] as [UInt64] {
            #expect(!isShared(opening))
            try open(opening)
        }
        #expect(isShared(5) && isShared(6) && !isShared(7) && !isShared(0) && !table.isShared(ClientID(2), with: 6))
        // A hello that came late, of a process that is gone, does not make a copy of the one that goes on.
        try open(6, downloads: false)
        #expect(!isShared(7))
        // Three copies that take turns.
        try open(8)
        try open(9)
        #expect(isShared(8) && isShared(6) && isShared(7) && !isShared(9))
        for session in table.all { _ = table.close(session.id) }
        #expect(!isShared(8))
    }

    @Test("there are no more sessions than there may be, of all and of one user")
    func count() {
        var table = SessionTable(bounds: SessionBounds(sessions: 5, sessionsOfUser: 3))
        let ann = (1...4).map { open(hello($0, queries: 0), of: "ann", in: &table) }
        #expect(ann.map { $0 != nil } == [true, true, true, false])
        #expect(table.limitMet(by: "ann") == .sessionsOfUser)
        #expect(table.limitMet(by: "ben") == .queryMegabytesOfUser)
        let ben = (11...14).map { open(hello($0, queries: 0), of: "ben", in: &table) }
        #expect(ben.map { $0 != nil } == [true, true, false, false])
        #expect(table.limitMet(by: "ben") == .sessions)
    }
}
