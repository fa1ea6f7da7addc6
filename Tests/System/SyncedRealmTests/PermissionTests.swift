import Causeway
import CausewayIdentity
import CausewayStoreEmbedded
import Foundation
import Synchronization
import Testing

@Suite("Permissions, from the rules to the Realm", .serialized)
@MainActor
struct PermissionTests {
    private let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }

    private func rule(_ text: String) throws -> PermissionRules.Rule { .when(try RuleTemplate(text)) }

    private func ids(_ realm: Realm) -> [Int] {
        realm.refresh()
        return realm.objects(Chore.self).sorted(byKeyPath: "id").map(\.id)
    }

    /// Chores 0 to 9 with their number as priority, written by a user of another name whom nothing restricts yet.
    private func bench() async throws -> (Bench, boss: Realm) {
        let bench = try Bench()
        bench.caller("boss").is("boss", ["level": .int(100), "role": .string("boss")])
        let boss = try Realm(configuration: try await bench.configuration("boss", initial: all))
        try boss.write {
            for id in 0..<10 {
                boss.create(
                    Chore.self, value: ["id": id, "title": "t\(id)", "priority": id, "labels": ["secret \(id)"]])
            }
        }
        try await boss.syncSession?.wait(for: .upload)
        return (bench, boss)
    }

    @Test("each user sees what the rules permit; other rules and other claims take effect on the live session")
    func live() async throws {
        let (bench, boss) = try await bench()
        bench.rule(PermissionRules(byClass: ["Chore": .init(read: try rule("priority <= $user.claims.level"))]))
        bench.caller("a").is("ann", ["level": .int(3)])
        let ann = try Realm(configuration: try await bench.configuration("a", initial: all))
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == [0, 1, 2, 3])
        // A token with other claims comes with any request.
        bench.caller("a").is("ann", ["level": .int(5)])
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == [0, 1, 2, 3, 4, 5])
        bench.caller("a").is("ann")
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == [])
        // The operator's word needs no request.
        bench.rule(
            PermissionRules(byClass: ["Chore": .init(read: try rule("priority > 7 OR $user.claims.role == 'boss'"))]))
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == [8, 9])
        // Objects move across the border one by one as well.
        try boss.write {
            boss.object(ofType: Chore.self, forPrimaryKey: 9)?.priority = 1
            boss.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 9
        }
        try await boss.syncSession?.wait(for: .upload)
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == [1, 8])
        #expect(ids(boss) == Array(0..<10))
        bench.rule(nil)
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == Array(0..<10))
        await bench.end()
    }

    @Test("rules that changed while a device was away take effect when it comes back, and nothing unsent is lost")
    func away() async throws {
        let (bench, _) = try await bench()
        bench.caller("a").is("ann", ["level": .int(3)])
        let ann = try Realm(configuration: try await bench.configuration("a", initial: all))
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == Array(0..<10))
        bench.cutOff("a")
        bench.rule(
            PermissionRules(byClass: ["Chore": .init(read: try rule("priority <= $user.claims.level"), write: .always)])
        )
        try ann.write {
            ann.object(ofType: Chore.self, forPrimaryKey: 2)?.title = "mine"
            _ = ann.create(Chore.self, value: ["id": 50, "priority": 1])
        }
        try await bench.rejoin(["a": ann])
        #expect(ids(ann) == [0, 1, 2, 3, 50])
        #expect(ann.object(ofType: Chore.self, forPrimaryKey: 2)?.title == "mine")
        #expect(try bench.store.count("Chore", matching: "title == 'mine' OR id == 50") == 2)
        await bench.end()
    }

    @Test("a property that may not be read stands as in a new object, and comes and goes with its rule")
    func hiddenProperty() async throws {
        let (bench, boss) = try await bench()
        bench.rule(
            PermissionRules(byClass: [
                "Chore": .init(properties: [
                    "priority": .init(read: try rule("$user.claims.role == 'boss'")),
                    "labels": .init(read: try rule("title == 't3'")),
                ])
            ]))
        bench.caller("a").is("ann", ["role": .string("guest")])
        let ann = try Realm(configuration: try await bench.configuration("a", initial: all))
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == Array(0..<10))
        #expect(ann.objects(Chore.self).filter("priority != 0").count == 0)
        #expect(ann.objects(Chore.self).filter("labels.@count > 0").map(\.id) == [3])
        try boss.write {
            boss.object(ofType: Chore.self, forPrimaryKey: 3)?.title = "closed"
            boss.object(ofType: Chore.self, forPrimaryKey: 4)?.title = "t3"
            boss.object(ofType: Chore.self, forPrimaryKey: 5)?.priority = 1_000
        }
        try await boss.syncSession?.wait(for: .upload)
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == Array(0..<10))
        #expect(ann.objects(Chore.self).filter("labels.@count > 0").map(\.id) == [4])
        #expect(ann.object(ofType: Chore.self, forPrimaryKey: 3)?.title == "closed")
        bench.caller("a").is("ann", ["role": .string("boss")])
        try await ann.syncSession?.wait(for: .download)
        ann.refresh()
        #expect(ann.object(ofType: Chore.self, forPrimaryKey: 5)?.priority == 1_000)
        await bench.end()
    }

    @Test("a refused write stands neither on the server nor, in the end, on the device; the writes beside it do")
    func refusedWrites() async throws {
        let (bench, boss) = try await bench()
        bench.rule(
            PermissionRules(byClass: [
                "Chore": .init(
                    write: try rule("priority < 5 OR $user.claims.role == 'boss'"),
                    properties: ["story": .init(write: .never)])
            ]))
        bench.caller("a").is("ann")
        let ann = try Realm(configuration: try await bench.configuration("a", initial: all))
        try await ann.syncSession?.wait(for: .download)
        try ann.write {
            ann.refresh()
            for id in 3...6 { ann.object(ofType: Chore.self, forPrimaryKey: id)?.title = "by ann" }
            _ = ann.create(Chore.self, value: ["id": 20, "title": "fine", "priority": 1])
            _ = ann.create(Chore.self, value: ["id": 21, "title": "too urgent", "priority": 9])
        }
        try await ann.syncSession?.wait(for: .upload)
        try await ann.syncSession?.wait(for: .download)
        #expect(ids(ann) == Array(0..<10) + [20])
        #expect(ann.objects(Chore.self).filter("title == 'by ann'").sorted(byKeyPath: "id").map(\.id) == [3, 4])
        #expect(try bench.store.count("Chore", matching: "title == 'by ann'") == 2)
        #expect(try bench.store.count("Chore", matching: "id > 10") == 1)
        // The lane goes on.
        try ann.write { ann.object(ofType: Chore.self, forPrimaryKey: 0)?.title = "later" }
        try await ann.syncSession?.wait(for: .upload)
        try await boss.syncSession?.wait(for: .download)
        boss.refresh()
        #expect(boss.object(ofType: Chore.self, forPrimaryKey: 0)?.title == "later")
        #expect(boss.object(ofType: Chore.self, forPrimaryKey: 5)?.title == "t5")
        await bench.end()
    }

    @Test("an app with classes that its user may not add hears which, and sends its writes once they are there")
    func schemaExtension() async throws {
        let bench = try Bench()
        bench.rule(PermissionRules(extendSchema: try rule("$user.claims.role == 'developer'")))
        bench.caller("a").is("ann")
        let errors = Mutex<[SyncError]>([])
        bench.app("a").syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { errors.withLock { $0.append(error) } }
        }
        let ann = try Realm(configuration: try await bench.configuration("a", initial: all))
        try ann.write { _ = ann.create(Chore.self, value: ["id": 1]) }
        let error = await #expect(throws: SyncError.self) { try await ann.syncSession?.wait(for: .upload) }
        #expect(error?.code == .clientSession && error?.serverCode == 305)
        #expect(error?.message.contains("the class “Chore”") == true, "\(error?.message ?? "")")
        #expect(errors.withLock { $0.first } == error)
        #expect(throws: (any Error).self) { try bench.store.count(of: "Chore") }

        bench.caller("dev").is("dev", ["role": .string("developer")])
        let developer = try Realm(configuration: try await bench.configuration("dev", initial: all))
        try await developer.syncSession?.wait(for: .download)
        ann.syncSession?.reconnect()
        try await ann.syncSession?.wait(for: .upload)
        #expect(try bench.store.count(of: "Chore") == 1)
        await bench.end()
    }

    @Test("a one-way object is kept where its creation is permitted; a refused one holds up none and waits for the app")
    func oneWay() async throws {
        let (bench, _) = try await bench()
        bench.rule(PermissionRules(byClass: ["Reading": .init(read: .never, create: try rule("degrees < 100"))]))
        bench.caller("a").is("ann")
        let errors = Mutex<[String]>([])
        bench.app("a").syncManager.errorHandler = { error, _ in
            guard let error = error as? SyncError, let write = error.compensatingWriteInfo?.first else { return }
            errors.withLock { $0.append("\(error.serverCode ?? 0) \(write.objectType) \(write.primaryKey)") }
        }
        let ann = try Realm(configuration: try await bench.configuration("a"))
        try ann.write {
            ann.create(Reading.self, value: ["id": 1, "degrees": 20.0])
            ann.create(Reading.self, value: ["id": 2, "degrees": 2_000.0])
        }
        try ann.write { ann.create(Reading.self, value: ["id": 3, "degrees": 30.0]) }
        try await ann.syncSession?.wait(for: .upload)
        #expect(try bench.store.count("Reading", matching: "id IN {1, 3}") == 2)
        #expect(try bench.store.count(of: "Reading") == 2)
        let change = try #require(ann.unsyncedChanges.first)
        #expect(ann.unsyncedChanges.count == 1 && change.code == 103 && change.reason.contains("Reading"))
        #expect(change.objects.map(\.primaryKey) == [.int64(2)])
        #expect(change.operations.map(\.description).contains("set Reading 2.degrees to 2000.0"))
        #expect(errors.withLock { $0 } == ["103 Reading int64(2)"])

        bench.rule(PermissionRules(byClass: ["Reading": .init(read: .never, create: .always)]))
        try change.submitAgain()
        try await ann.syncSession?.wait(for: .upload)
        #expect(try bench.store.count(of: "Reading") == 3 && ann.unsyncedChanges.isEmpty)
        await bench.end()
    }
}
