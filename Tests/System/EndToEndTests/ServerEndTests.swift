import Causeway
import CausewayPrograms
import Testing

@Suite("A server that ends", .serialized)
@MainActor
struct ServerEndTests {
    @Test("writes go on without a server, a wait can be given up, and everything arrives when one is there again")
    func gone() async throws {
        let bench = try Bench("gone")
        defer { bench.end() }
        let app = bench.app()
        let troubles = Troubles(of: app)
        let (a, b) = (try await bench.device("A", app: app), try await bench.device("B", app: app))
        try a.writeItems(1...5)
        try await a.uploaded()
        try await b.downloaded()
        bench.server.kill()

        try await writeWithoutServer(a, troubles)
        // A device that begins now hears that nobody is there, and keeps what it writes.
        let c = try await bench.open("C", app: app)
        try c.writeItems(101...105)
        let error = try await troubles.next(.connectionFailed, saying: "cannot be reached")
        expect(error.message, names: bench.server.url, and: "Check the address and that the server runs")
        #expect(c.objects(Item.self).count == 5)

        try bench.server.start()
        // Nobody asks for it: the devices try again by themselves.
        try await a.uploaded()
        try await c.uploaded()
        #expect(try bench.server.count("Item") == 60)
        for device in [a, b, c] {
            try await device.downloaded()
            #expect(device.objects(Item.self).map(\.id).sorted() == Array(1...55) + Array(101...105))
        }
        #expect(content(b) == content(a))
        #expect(content(c) == content(a))
    }

    private func writeWithoutServer(_ a: Realm, _ troubles: Troubles) async throws {
        for id in 6...55 { try a.writeItems(id...id) }
        #expect(a.objects(Item.self).count == 55)
        let error = try await troubles.next(.connectionFailed)
        expect(error.message, names: "was lost", and: "The device connects again by itself")

        let session = try #require(a.syncSession)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let wait = Task {
            begin.yield()
            try await session.wait(for: .upload)
        }
        for await _ in begun { break }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        #expect(session.connectionState != .connected)
        #expect(session.state == .active)
    }

    @Test("SIGTERM ends the server with code 0 while devices stream, and they go on with the next one")
    func terminated() async throws {
        let bench = try Bench("term")
        defer { bench.end() }
        let app = bench.app()
        let troubles = Troubles(of: app)
        let (a, b) = (try await bench.device("A", app: app), try await bench.device("B", app: app))
        try a.writeItems(1...1)
        try await a.uploaded()
        try await b.downloaded()
        #expect(b.syncSession?.connectionState == .connected)

        // Uploads leave and arrive on threads of their own while this one writes and then waits for the server's end.
        for first in stride(from: 2, to: 4_000, by: 20) { try a.writeItems(first...(first + 19)) }
        #expect(bench.server.stop() == 0)
        let error = try await troubles.next(.serverWarning)
        expect(error.message, names: "The server is being stopped", and: "Connect again")

        try bench.server.start()
        try await a.uploaded()
        try await b.downloaded()
        #expect(content(b) == content(a))
        #expect(try bench.server.count("Item") == a.objects(Item.self).count)
    }
}
