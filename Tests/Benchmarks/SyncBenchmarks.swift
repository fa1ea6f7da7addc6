import Causeway
import CausewayFlights
import CausewayMeasuring
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

    /// The server is another process with threads of its own, so that none are counted.
    private static let once = Conditions(cache: .hot, runs: 1)

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
        let (a, b, connecting) = try await connect(to: server)
        return try await [connecting] + carry(tables, from: a, to: b) + latency(from: a, to: b)
            + bootstrap("C", server) + insertConcurrently(a, b)
    }

    /// Two files that were never synced, opened and connected one after the other; the users have logged in before.
    private func connect(to server: SyncServer) async throws -> (a: Realm, b: Realm, Row) {
        let configurations = [try await configuration("A", server), try await configuration("B", server)]
        let clock = ContinuousClock()
        let started = clock.now
        let realms = try configurations.map { try Realm(configuration: $0) }
        while !realms.allSatisfy({ $0.syncSession?.connectionState == .connected }) {
            try await Task.sleep(for: .microseconds(200))
        }
        let time = (clock.now - started).nanoseconds / 1e6
        for realm in realms { try await subscribe(realm) }
        return (
            realms[0], realms[1],
            .less(
                "sync", "two new devices opened and connected, at most", "ms", ours: time, most: smoke ? nil : 20,
                under: Self.once)
        )
    }

    private func subscribe(_ realm: Realm) async throws {
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Flight>(name: "flights", where: "TRUEPREDICATE"))
            subscriptions.append(QuerySubscription<Roster>(name: "rosters", where: "TRUEPREDICATE"))
        }
    }

    private func configuration(_ name: String, _ server: SyncServer) async throws -> Realm.Configuration {
        let app = App(
            id: server.database,
            configuration: AppConfiguration(
                baseURL: server.url, trustRootsPath: server.authority, rootDirectory: folder))
        let user = try await app.login(credentials: .jwt(token: server.token(user: name)))
        var configuration = user.flexibleSyncConfiguration()
        configuration.fileURL = folder.appendingPathComponent("\(name).realm")
        configuration.objectTypes = [
            Airline.self, Airport.self, Plane.self, Flight.self, Remark.self, Ledger.self, Weather.self, Roster.self,
        ]
        return configuration
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
            .less(
                "sync", "\(count) flights A → server → B, at most", "s", ours: seconds, most: smoke ? nil : 1,
                under: Self.once),
            .less("sync", "up the wire", "bytes/flight", ours: up, most: smoke ? nil : 20, under: Self.once),
            .less("sync", "down the wire", "bytes/flight", ours: down, most: smoke ? nil : 20, under: Self.once),
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
        let before = travelled(a, b)
        for index in 0..<(smoke ? 10 : 500) {
            let started = clock.now
            try a.write { here.departureDelay = 1_000 + index }
            while there.departureDelay != 1_000 + index { await iterator.next() }
            times.append((clock.now - started).nanoseconds / 1e6)
        }
        let bytes = Double(travelled(a, b) - before) / Double(times.count)
        times.sort()
        let conditions = Conditions(cache: .hot, runs: times.count)
        return [
            .less(
                "sync", "commit on A to observer on B, median, at most", "ms", ours: times[times.count / 2],
                most: smoke ? nil : 2.5, under: conditions),
            .less(
                "sync", "commit on A to observer on B, p99, at most", "ms", ours: times[times.count * 99 / 100],
                most: smoke ? nil : 12, under: conditions),
            .less(
                "sync", "messages of one edit, up and down together, at most", "bytes", ours: bytes,
                most: smoke ? nil : 200, under: conditions),
        ]
    }

    /// Up from A and down to B: what one edit costs both hops.
    private func travelled(_ a: Realm, _ b: Realm) -> Int {
        (a.syncSession?.statistics.bytesSent ?? 0) + (b.syncSession?.statistics.bytesReceived ?? 0)
    }

    /// A new device is sent everything at once.
    private func bootstrap(_ name: String, _ server: SyncServer) async throws -> [Row] {
        let realm = try Realm(configuration: try await configuration(name, server))
        let clock = ContinuousClock()
        let started = clock.now
        try await subscribe(realm)
        realm.refresh()
        let seconds = (clock.now - started).nanoseconds / 1e9
        let count = realm.objects(Flight.self).count
        return [
            .more(
                "sync", "flights a new device is sent and stores, at least", "1/s", ours: Double(count) / seconds,
                least: smoke ? nil : 500_000, under: Self.once)
        ]
    }

    /// Two devices that do not hear of each other insert into one list; then both are connected again.
    private func insertConcurrently(_ a: Realm, _ b: Realm) async throws -> [Row] {
        let count = smoke ? 200 : 10_000
        try a.write { _ = a.create(Roster.self, value: ["id": 1, "entries": [0]]) }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        for realm in [a, b] {
            realm.syncSession?.suspend()
            realm.refresh()
            try realm.write {
                guard let entries = realm.object(ofType: Roster.self, forPrimaryKey: 1)?.entries else { return }
                for index in 0..<count { entries.append(index) }
            }
        }
        let clock = ContinuousClock()
        let started = clock.now
        for realm in [a, b] { realm.syncSession?.resume() }
        for realm in [a, b] { try await realm.syncSession?.wait(for: .upload) }
        for realm in [a, b] { try await realm.syncSession?.wait(for: .download) }
        let seconds = (clock.now - started).nanoseconds / 1e9
        let lists = [a, b].map { realm -> [Int] in
            realm.refresh()
            return realm.object(ofType: Roster.self, forPrimaryKey: 1).map { Array($0.entries) } ?? []
        }
        guard lists[0] == lists[1], lists[0].count == 2 * count + 1 else {
            throw SyncServer.Failure(description: "two devices hold different lists of \(lists.map(\.count)) elements")
        }
        return [
            .less(
                "sync", "\(count) + \(count) inserts into one list, from the connection until both agree", "s",
                ours: seconds, most: smoke ? nil : 0.3, under: Self.once)
        ]
    }
}

/// A list that many write to.
final class Roster: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var entries: List<Int>
}
