import Causeway
import CausewayStoreEmbedded
import Foundation
import Testing

@Suite("Synced Realms and a server's core in one process", .serialized)
@MainActor
struct SyncedRealmTests {
    @Test("what one device writes, another that subscribes to it holds; what it does not subscribe to, it does not")
    func subscription() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a"))
        let b = try Realm(configuration: try await bench.configuration("b"))
        try a.write {
            for id in 0..<100 { a.create(Chore.self, value: ["id": id, "title": "task \(id)", "priority": id % 10]) }
        }
        try await a.syncSession?.wait(for: .upload)
        let subscriptions = b.subscriptions
        #expect(subscriptions.count == 0)
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Chore>(name: "urgent") { $0.priority >= 8 })
        }
        #expect(subscriptions.state == .complete)
        b.refresh()
        #expect(b.objects(Chore.self).count == 20)
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Chore>(name: "idle", where: "priority == %@", 0))
        }
        b.refresh()
        #expect(b.objects(Chore.self).count == 30)
        try await subscriptions.update { subscriptions.remove(named: "urgent") }
        b.refresh()
        #expect(b.objects(Chore.self).count == 10)
        await bench.end()
    }

    @Test("objects created at once reach the other device as others do, with their links and lists")
    func createdAtOnce() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = {
            $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
        }
        let a = try Realm(configuration: try await bench.configuration("a"))
        try a.write {
            try a.create(Person.self, from: ["ann", "bob"]) { $0.set(\.name) { $0 } }
            let persons = Array(a.objects(Person.self))
            try a.create(Chore.self, from: 0..<1500) { chore in
                chore.set(\.id) { $0 }
                chore.set(\.title) { "task \($0)" }
                chore.set(\.owner) { $0 % 3 == 0 ? nil : persons[$0 % 2] }
                chore.set(\.helpers) { number in
                    let helpers = List<Person>()
                    if number == 7 { helpers.append(objectsIn: persons) }
                    return helpers
                }
            }
        }
        try await a.syncSession?.wait(for: .upload)
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        let chores = b.objects(Chore.self).sorted(byKeyPath: "id")
        #expect(chores.count == 1500)
        for (id, chore) in chores.enumerated() {
            #expect(chore.id == id && chore.title == "task \(id)" && chore.priority == 0)
            #expect(chore.owner?.name == (id % 3 == 0 ? nil : ["ann", "bob"][id % 2]))
            #expect(chore.helpers.map(\.name) == (id == 7 ? ["ann", "bob"] : []))
        }
        await bench.end()
    }

    @Test("a live change reaches the other device without anybody asking")
    func live() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "before"]) }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "before")
        let (titles, title) = AsyncStream.makeStream(of: String.self)
        let token = b.objects(Chore.self).observe { change in
            switch change {
            case .initial(let tasks), .update(let tasks, _, _, _): title.yield(tasks.first?.title ?? "")
            case .error(let error): title.yield("\(error)")
            }
        }
        // What is written before the observer was told the first time would be part of that.
        var iterator = titles.makeAsyncIterator()
        #expect(await iterator.next() == "before")
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.title = "after" }
        #expect(await iterator.next() == "after")
        token.invalidate()
        await bench.end()
    }

    @Test("sets and maps that two devices changed while they were cut off are joined by their elements and keys")
    func setsAndMaps() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = {
            $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write {
            let chore = a.create(
                Chore.self, value: ["id": 1, "labels": ["old", "big"], "hours": ["mon": 1, "tue": 2]])
            let ann = a.create(Person.self, value: ["name": "ann"])
            chore.crew.insert(ann)
            chore.roles["lead"] = ann
        }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        let (here, there) = (
            try #require(a.object(ofType: Chore.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        )
        #expect(Set(there.labels) == ["old", "big"])
        #expect((there.roles["lead"] ?? nil)?.name == "ann")

        bench.network("a").isCut = true
        bench.network("b").isCut = true
        try a.write {
            here.labels.removeAll()
            here.labels.insert("a")
            here.hours["mon"] = 10
            here.hours["wed"] = 3
            here.crew.insert(a.create(Person.self, value: ["name": "bob"]))
        }
        try b.write {
            there.labels.insert("b")
            there.hours["tue"] = nil
            there.crew.insert(b.create(Person.self, value: ["name": "eve"]))
            there.roles["cook"] = .some(nil)
        }
        bench.network("a").isCut = false
        bench.network("b").isCut = false
        for realm in [a, b] { realm.syncSession?.reconnect() }
        for realm in [a, b] { try await realm.syncSession?.wait(for: .upload) }
        for realm in [a, b] { try await realm.syncSession?.wait(for: .download) }
        for realm in [a, b] { realm.refresh() }
        for chore in [here, there] {
            #expect(Set(chore.labels) == ["a", "b"])
            #expect(chore.hours.keys == ["mon", "wed"] && chore.hours.values == [10, 3])
            #expect(Set(chore.crew.map(\.name)) == ["ann", "bob", "eve"])
            #expect(chore.roles.keys == ["cook", "lead"] && chore.roles["cook"] == .some(nil))
        }
        await bench.end()
    }

    @Test("two devices that were cut off and changed the same object hold the same afterwards")
    func conflict() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = {
            $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write {
            let ann = a.create(Person.self, value: ["name": "ann", "age": 30])
            let task = a.create(Chore.self, value: ["id": 1, "title": "paint"])
            task.owner = ann
            task.helpers.append(ann)
        }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 1)?.owner?.age == 30)

        bench.network("a").isCut = true
        bench.network("b").isCut = true
        try a.write {
            let task = try #require(a.object(ofType: Chore.self, forPrimaryKey: 1))
            task.title = "paint the door"
            task.helpers.append(a.create(Person.self, value: ["name": "bob"]))
        }
        try b.write {
            let task = try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
            task.title = "paint the wall"
            task.priority = 5
            task.helpers.append(b.create(Person.self, value: ["name": "eve"]))
        }
        bench.network("a").isCut = false
        bench.network("b").isCut = false
        for realm in [a, b] { realm.syncSession?.reconnect() }
        for realm in [a, b] { try await realm.syncSession?.wait(for: .upload) }
        for realm in [a, b] { try await realm.syncSession?.wait(for: .download) }
        for realm in [a, b] { realm.refresh() }
        let (here, there) = (
            try #require(a.object(ofType: Chore.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        )
        #expect(here.title == there.title)
        #expect(here.priority == 5)
        #expect(there.priority == 5)
        #expect(Array(here.helpers.map(\.name)) == Array(there.helpers.map(\.name)))
        #expect(here.helpers.count == 3)
        await bench.end()
    }

    @Test("S139 one-way objects are on the server once and not on the device")
    func oneWay() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        bench.network("a").isCut = true
        for batch in 0..<10 {
            try realm.write {
                for id in 0..<10 { realm.create(Reading.self, value: ["id": batch * 10 + id, "degrees": 21.5]) }
            }
        }
        bench.network("a").isCut = false
        realm.syncSession?.reconnect()
        try await realm.syncSession?.wait(for: .upload)
        #expect(try bench.store.count(of: "Reading") == 100)
        await bench.end()
    }

    @Test("subscribe and unsubscribe on results")
    func results() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a"))
        let b = try Realm(configuration: try await bench.configuration("b"))
        try a.write {
            for age in 0..<10 { a.create(Person.self, value: ["name": "person \(age)", "age": age]) }
        }
        try await a.syncSession?.wait(for: .upload)
        // `age` has another stored name, which is what the server knows.
        let adults = try await b.objects(Person.self).where { $0.age >= 5 }.subscribe(name: "adults")
        b.refresh()
        #expect(adults.count == 5)
        #expect(b.subscriptions.first(named: "adults") != nil)
        adults.unsubscribe()
        #expect(b.subscriptions.count == 0)
        await bench.end()
    }

    @Test("a query the server cannot serve is an error of the subscriptions; what was held stays")
    func refusedQuery() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let subscriptions = realm.subscriptions
        await #expect(throws: Realm.Error.self) {
            try await subscriptions.update {
                subscriptions.append(QuerySubscription<Chore>(name: "bad", where: "nosuchproperty == 1"))
            }
        }
        guard case .error = subscriptions.state else {
            Issue.record("the state of refused subscriptions is an error")
            return
        }
        await #expect(throws: Realm.Error.self) {
            try await subscriptions.update {
                subscriptions.append(QuerySubscription<Chore>(name: "worse", where: "this is (no query"))
            }
        }
        try await subscriptions.update {
            subscriptions.removeAll()
            subscriptions.append(QuerySubscription<Chore>())
        }
        #expect(subscriptions.state == .complete)
        await bench.end()
    }

    @Test("a suspended session is inactive and disconnected; a resumed one uploads what was written meanwhile")
    func suspend() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let session = try #require(realm.syncSession)
        try await session.wait(for: .download)
        #expect(session.state == .active)
        #expect(session.connectionState == .connected)
        session.suspend()
        #expect(session.state == .inactive)
        try realm.write { _ = realm.create(Chore.self, value: ["id": 7]) }
        session.resume()
        try await session.wait(for: .upload)
        #expect(try bench.store.count(of: "Chore") == 1)
        await bench.end()
    }

    @Test("a file opened again goes on from its checkpoint, with its unsent writes")
    func reopening() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a") { $0.append(QuerySubscription<Chore>()) }
        do {
            let realm = try Realm(configuration: configuration)
            try await realm.syncSession?.wait(for: .download)
            bench.network("a").isCut = true
            try realm.write { _ = realm.create(Chore.self, value: ["id": 1, "title": "kept"]) }
        }
        bench.network("a").isCut = false
        let realm = try Realm(configuration: configuration)
        realm.syncSession?.reconnect()
        try await realm.syncSession?.wait(for: .upload)
        #expect(try bench.store.count(of: "Chore") == 1)
        #expect(realm.objects(Chore.self).first?.title == "kept")
        await bench.end()
    }

    @Test("a Realm that downloads before it opens holds what its first subscriptions match")
    func downloadBeforeOpen() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a"))
        try a.write { for id in 0..<50 { a.create(Chore.self, value: ["id": id]) } }
        try await a.syncSession?.wait(for: .upload)
        let configuration = try await bench.configuration("b") {
            $0.append(QuerySubscription<Chore>(name: "few") { $0.id < 10 })
        }
        let b = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
        #expect(b.objects(Chore.self).count == 10)
        await bench.end()
    }

    @Test("progress is reported to the end, and never falls")
    func progress() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let session = try #require(realm.syncSession)
        bench.network("a").isCut = true
        for id in 0..<20 { try realm.write { _ = realm.create(Chore.self, value: ["id": id]) } }
        let (steps, step) = AsyncStream.makeStream(of: Double.self)
        let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) {
            step.yield($0.progressEstimate)
            if $0.isTransferComplete { step.finish() }
        }
        bench.network("a").isCut = false
        session.reconnect()
        var seen: [Double] = []
        for await estimate in steps { seen.append(estimate) }
        #expect(seen.last == 1)
        #expect(seen == seen.sorted())
        token?.invalidate()
        await bench.end()
    }

    @Test("a user's token must name the user, and a user that logs out ends the session")
    func login() async throws {
        let bench = try Bench()
        let app = bench.app("a")
        for token in ["", "x", "a.b.c", "e30.e30.e30", "e30.bm90IGpzb24.e30"] {
            await #expect(throws: AppError.self) { try await app.login(credentials: .jwt(token)) }
        }
        let user = try await app.login(credentials: .jwt(token: Bench.token(user: "ann")))
        #expect(user.id == "ann")
        #expect(user.isLoggedIn)
        #expect(app.currentUser == user)
        let realm = try Realm(configuration: try await bench.configuration("a"))
        try await realm.syncSession?.wait(for: .download)
        #expect(user.allSessions.count == 1)
        try await user.logOut()
        #expect(user.state == .loggedOut)
        #expect(realm.syncSession?.state == .invalid)
        await #expect(throws: SyncError.self) { try await realm.syncSession?.wait(for: .download) }
        _ = try await app.login(credentials: .jwt(Bench.token(user: "ann")))
        #expect(realm.syncSession?.state == .active)
        try await realm.syncSession?.wait(for: .download)
        await bench.end()
    }
}
