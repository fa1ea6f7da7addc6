import Causeway
import CausewayFlights
import CausewayPrograms
import Foundation

/// Two devices in this process and a real server beside it, over TLS on the loopback address.
@MainActor
struct SyncBenchmarks {
    let folder: URL
    let server: String
    let data: String
    let smoke: Bool

    init(folder: URL, server: String, data: String, smoke: Bool) {
        self.folder = folder.appendingPathComponent("sync")
        self.server = server
        self.data = data
        self.smoke = smoke
    }

    func run() async throws -> [Row] {
        let server = try SyncServer(
            program: server, folder: folder.appendingPathComponent("server"), database: "flights")
        try server.start()
        defer { server.stop() }
        let unpacked = folder.appendingPathComponent("data")
        try unpack(
            ["flights": "flights-2013-01", "airlines": "airlines", "airports": "airports", "planes": "planes"],
            from: data, to: unpacked)
        let tables = try FlightTable(folder: unpacked)
        let a = try await device("A", server)
        let b = try await device("B", server)
        return try await carry(tables, from: a, to: b) + latency(from: a, to: b)
    }

    private func device(_ name: String, _ server: SyncServer) async throws -> Realm {
        let app = App(
            id: server.database,
            configuration: AppConfiguration(
                baseURL: server.url, trustRootsPath: server.authority, rootDirectory: folder))
        let user = try await app.login(credentials: .jwt(token: server.token(user: name)))
        var configuration = user.flexibleSyncConfiguration()
        configuration.fileURL = folder.appendingPathComponent("\(name).realm")
        configuration.objectTypes = [
            Airline.self, Airport.self, Plane.self, Flight.self, Remark.self, Ledger.self, Weather.self,
        ]
        let realm = try Realm(configuration: configuration)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Flight>(name: "flights", where: "TRUEPREDICATE"))
        }
        return realm
    }

    /// How long from the first write on A until B holds every flight, and what travelled.
    private func carry(_ tables: FlightTable, from a: Realm, to b: Realm) async throws -> [Row] {
        let count = smoke ? 2_000 : 100_000
        guard let sender = a.syncSession, let receiver = b.syncSession else { return [] }
        let before = (sender.statistics, receiver.statistics)
        let clock = ContinuousClock()
        let started = clock.now
        try tables.write(to: a, flights: count)
        try await sender.wait(for: .upload)
        try await receiver.wait(for: .download)
        b.refresh()
        let seconds = (clock.now - started).nanoseconds / 1e9
        let found = b.objects(Flight.self).count
        guard found == count else {
            throw SyncServer.Failure(description: "B holds \(found) flights instead of \(count)")
        }
        let up = Double(sender.statistics.bytesSent - before.0.bytesSent) / Double(count)
        let down = Double(receiver.statistics.bytesReceived - before.1.bytesReceived) / Double(count)
        return [
            .less("sync", "\(count) flights A → server → B, at most", "s", ours: seconds, most: smoke ? nil : 5),
            .less("sync", "up the wire", "bytes/flight", ours: up),
            .less("sync", "down the wire", "bytes/flight", ours: down),
        ]
    }

    /// From before the write on A until B's observer has been told.
    private func latency(from a: Realm, to b: Realm) async throws -> [Row] {
        guard let here = a.objects(Flight.self).first, let there = b.objects(Flight.self).first else { return [] }
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let token = there.observe { _ in arrival.yield() }
        defer { token.invalidate() }
        var iterator = arrivals.makeAsyncIterator()
        var times: [Double] = []
        let clock = ContinuousClock()
        for index in 0..<(smoke ? 10 : 500) {
            let started = clock.now
            try a.write { here.departureDelay = 1_000 + index }
            while there.departureDelay != 1_000 + index { await iterator.next() }
            times.append((clock.now - started).nanoseconds / 1e6)
        }
        times.sort()
        return [
            .less("sync", "commit on A to observer on B, median, at most", "ms", ours: times[times.count / 2], most: 6),
            .less("sync", "commit on A to observer on B, p99", "ms", ours: times[times.count * 99 / 100]),
        ]
    }
}
