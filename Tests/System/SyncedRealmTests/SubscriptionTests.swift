import Causeway
import Foundation
import Synchronization
import Testing

final class Ticket: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var _partition: String?
    @Persisted var title = ""
}

@Suite("Subscriptions and configurations, with a server's core in one process", .serialized)
@MainActor
struct SubscriptionTests {
    @Test("every way to add, find, change and remove subscriptions means the same set")
    func set() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let subscriptions = realm.subscriptions
        #expect(subscriptions.first == nil && subscriptions.last == nil)
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Chore>(name: "urgent") { $0.priority >= 8 })
            subscriptions.append(QuerySubscription<Person>(name: "grown", where: "age >= %@", 18))
            subscriptions.append([QuerySubscription<Chore>(where: NSPredicate(format: "title == 'x'"))])
            // The same again, with and without a name, changes nothing.
            subscriptions.append(QuerySubscription<Chore>(name: "urgent") { $0.priority >= 8 })
            subscriptions.append(QuerySubscription<Chore>(where: "title == %@", "x"))
            subscriptions.append(QuerySubscription<Chore>(where: #Predicate<Chore> { $0.title == "x" }))
        }
        #expect(subscriptions.count == 3)
        #expect(subscriptions.map(\.name) == ["urgent", "grown", nil])
        #expect(subscriptions.first?.name == "urgent" && subscriptions.last?.name == nil)
        #expect(subscriptions[1]?.name == "grown")
        let urgent = subscriptions.first(named: "urgent")
        #expect(urgent == subscriptions.first(ofType: Chore.self) { $0.priority >= 8 })
        #expect(urgent == subscriptions.first(ofType: Chore.self, where: "priority >= %@", 8))
        #expect(urgent == subscriptions.first(ofType: Chore.self, where: NSPredicate(format: "priority >= 8")))
        #expect(urgent == subscriptions.first(ofType: Chore.self, where: #Predicate<Chore> { $0.priority >= 8 }))
        #expect(subscriptions.first(ofType: Chore.self, where: "priority >= 7") == nil)

        try await subscriptions.update {
            subscriptions.first(named: "urgent")?.updateQuery(
                toType: Chore.self, where: #Predicate<Chore> { $0.priority >= 5 })
            subscriptions.first(named: "grown")?.updateQuery(to: NSPredicate(format: "age >= 21"))
        }
        #expect(subscriptions.first(ofType: Chore.self, where: "priority >= 5")?.name == "urgent")
        #expect(subscriptions.first(ofType: Person.self, where: "age >= 21")?.name == "grown")
        if let changed = subscriptions.first(named: "urgent") { #expect(changed.updatedAt >= changed.createdAt) }

        try await subscriptions.update {
            subscriptions.remove(ofType: Chore.self) { $0.priority >= 5 }
            subscriptions.remove(ofType: Person.self, where: #Predicate<Person> { $0.age >= 21 })
        }
        #expect(subscriptions.count == 1)
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Chore>(name: "all"), QuerySubscription<Person>())
            subscriptions.removeAll(unnamedOnly: true)
        }
        #expect(subscriptions.map(\.name) == ["all"])
        try await subscriptions.update {
            if let all = subscriptions.first { subscriptions.remove(all) }
            subscriptions.append(QuerySubscription<Person>(), QuerySubscription<Chore>())
            subscriptions.removeAll(ofType: Chore.self)
        }
        #expect(subscriptions.count == 1)
        #expect(subscriptions.state == .complete)
        await bench.end()
    }

    @Test("a set goes along to other threads, and what an update does is its own thread's until it has ended")
    func threads() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let subscriptions = realm.subscriptions
        let (error, state) = await withCheckedContinuation { continuation in
            subscriptions.update(
                {
                    subscriptions.append(QuerySubscription<Chore>(name: "all"))
                }, onComplete: { error in continuation.resume(returning: (error, subscriptions.state)) })
        }
        #expect(error == nil && state == .complete)

        #expect(seenElsewhereWhileChanging(subscriptions) == ["all", "all"])
        #expect(subscriptions.map(\.name) == ["all", "grown"])

        DispatchQueue.concurrentPerform(iterations: 12) { id in
            subscriptions.update { subscriptions.append(QuerySubscription<Chore>(name: "\(id)") { $0.id == id }) }
        }
        #expect(Set(subscriptions.compactMap(\.name)) == Set((0..<12).map { "\($0)" } + ["all", "grown"]))
        // A set that somebody else changed is another one.
        let other = realm.subscriptions
        try await other.update { other.removeAll() }
        #expect(subscriptions.count == 14 && subscriptions.state == .superseded)
        await bench.end()
    }

    private func seenElsewhereWhileChanging(_ subscriptions: SyncSubscriptionSet) -> [String?] {
        let all = subscriptions.first(named: "all")
        let seen = Mutex<[String?]>([])
        subscriptions.update {
            subscriptions.append(QuerySubscription<Person>(name: "grown", where: "age >= 18"))
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                seen.withLock { $0 = subscriptions.map(\.name) + [all?.name] }
                done.signal()
            }
            done.wait()
            #expect(subscriptions.count == 2)
        }
        return seen.withLock { $0 }
    }

    @Test("a partition value is a subscription to every class with that value, in a file of its own")
    func partition() async throws {
        let bench = try Bench()
        let all = try Realm(configuration: try await configuration(bench, "a", nil))
        let subscriptions = all.subscriptions
        try await subscriptions.update { subscriptions.append(QuerySubscription<Ticket>()) }
        try all.write {
            for id in 0..<10 {
                all.create(Ticket.self, value: ["id": id, "_partition": id % 3 == 0 ? "north" : "south"])
            }
        }
        try await all.syncSession?.wait(for: .upload)
        let north = try await configuration(bench, "b", "north")
        let south = try await configuration(bench, "b", "south")
        #expect(north.fileURL != south.fileURL)
        #expect(north.syncConfiguration?.partitionValue == .string("north"))
        for (configuration, count) in [(north, 4), (south, 6)] {
            let realm = try Realm(configuration: configuration)
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
            #expect(realm.objects(Ticket.self).count == count)
            #expect(realm.subscriptions.count == 1)
        }
        var wrong = try await configuration(bench, "c", "north")
        wrong.objectTypes = [Chore.self, Person.self]
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: wrong) }
        #expect(error?.message.contains("has no property '_partition'") == true)
        await bench.end()
    }

    private func configuration(_ bench: Bench, _ device: String, _ value: String?) async throws -> Realm.Configuration {
        let user = try await bench.app(device).login(credentials: .jwt(Bench.token(user: "ann")))
        var configuration =
            value.map { user.configuration(partitionValue: $0) } ?? user.flexibleSyncConfiguration()
        configuration.objectTypes = [Ticket.self]
        return configuration
    }

    @Test("an opening that waits gives up at the first failed connection only if it is told to")
    func impatientOpening() async throws {
        let bench = try Bench()
        bench.network("a").isCut = true
        let user = try await bench.app("a").login(credentials: .jwt(Bench.token(user: "ann")))
        var impatient = user.flexibleSyncConfiguration(cancelAsyncOpenOnNonFatalErrors: true)
        impatient.objectTypes = [Chore.self, Person.self]
        #expect(impatient.syncConfiguration?.cancelAsyncOpenOnNonFatalErrors == true)
        let error = await #expect(throws: SyncError.self) {
            _ = try await Realm.open(configuration: impatient, downloadBeforeOpen: .always)
        }
        #expect(error?.code == .connectionFailed)
        // The same again, in the middle of the outage.
        await #expect(throws: SyncError.self) {
            _ = try await Realm.open(configuration: impatient, downloadBeforeOpen: .always)
        }
        // And with the older call.
        let outcome = await withCheckedContinuation { continuation in
            Realm.asyncOpen(configuration: impatient) { result in continuation.resume(returning: result.map { _ in }) }
        }
        #expect(throws: SyncError.self) { try outcome.get() }
        bench.network("a").isCut = false
        user.allSessions.first?.reconnect()
        var patient = user.flexibleSyncConfiguration()
        patient.objectTypes = impatient.objectTypes
        _ = try await Realm.open(configuration: patient, downloadBeforeOpen: .always)
        await bench.end()
    }

    @Test("initial subscriptions run once in the life of a file, or at every start if they are told to")
    func initialSubscriptions() async throws {
        let bench = try Bench()
        let runs = Mutex(0)
        let user = try await bench.app("a").login(credentials: .jwt(Bench.token(user: "ann")))
        func open(rerunOnOpen: Bool) throws -> Int {
            var configuration = user.flexibleSyncConfiguration(
                initialSubscriptions: { subscriptions in
                    runs.withLock { $0 += 1 }
                    subscriptions.append(QuerySubscription<Chore>(name: "all \(subscriptions.count)"))
                }, rerunOnOpen: rerunOnOpen)
            configuration.objectTypes = [Chore.self, Person.self]
            #expect(configuration.syncConfiguration?.initialSubscriptions?.rerunOnOpen == rerunOnOpen)
            return try Realm(configuration: configuration).subscriptions.count
        }
        #expect(try open(rerunOnOpen: false) == 1)
        #expect(try open(rerunOnOpen: false) == 1)
        #expect(runs.withLock { $0 } == 1)
        await bench.end()
    }

    @Test("a file that shares no past with the server is kept, and its manual handler hears of it alone")
    func clientReset() async throws {
        let (bench, other) = (try Bench(), try Bench())
        let server = Server(bench.conversations)
        let app = App(id: "bench", rootDirectory: bench.folder.appendingPathComponent("reset")) {
            InProcessTransport(server, user: "ann")
        }
        let manual = Mutex<[SyncError]>([])
        let general = Mutex<[SyncError]>([])
        app.syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { general.withLock { $0.append(error) } }
        }
        let user = try await app.login(credentials: .jwt(Bench.token(user: "ann")))
        var configuration = user.flexibleSyncConfiguration(
            clientResetMode: .manual(errorHandler: { error, session in
                guard let error = error as? SyncError, session != nil else { return }
                manual.withLock { $0.append(error) }
            }), initialSubscriptions: { $0.append(QuerySubscription<Chore>()) })
        configuration.objectTypes = [Chore.self, Person.self]
        try await write(1, configuration)
        // The session ends with its Realm; the next one meets a server that never saw the file.
        while !user.allSessions.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        server.conversations = other.conversations
        let error = await #expect(throws: SyncError.self) { try await write(2, configuration) }
        #expect(error?.code == .clientReset)
        #expect(error?.deleteRealmUserInfo() == nil)
        if let (_, token) = error?.clientResetInfo() {
            SyncSession.immediatelyHandleError(token, syncManager: app.syncManager)
            Issue.record("There is nothing to reset at once.")
        }
        #expect(manual.withLock { $0.map(\.code) } == [.clientReset])
        #expect(general.withLock { $0.contains { $0.code == .clientReset } } == false)
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Chore.self).count == 2)
        #expect(realm.syncSession?.configuration()?.user == user)
        await other.end()
        await bench.end()
    }

    private func write(_ id: Int, _ configuration: Realm.Configuration) async throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { _ = realm.create(Chore.self, value: ["id": id]) }
        try await realm.syncSession?.wait(for: .upload)
        // Only what is downloaded tells the file which server it belongs to.
        try await realm.syncSession?.wait(for: .download)
    }
}
