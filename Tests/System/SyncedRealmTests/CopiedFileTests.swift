import Causeway
import CausewayModel
import CausewayOperations
import CausewayStoreEmbedded
import Foundation
import Synchronization
import Testing

@Suite("A device's file that was copied, or restored from a backup", .serialized)
@MainActor
struct CopiedFileTests {
    private nonisolated static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
    }

    private func settle(_ realms: Realm...) async throws {
        for _ in 0..<2 {
            for realm in realms { try await realm.syncSession?.wait(for: .upload) }
            for realm in realms {
                try await realm.syncSession?.wait(for: .download)
                realm.refresh()
            }
        }
    }

    private func picture(_ realm: Realm) -> [String] {
        realm.objects(Chore.self).map { chore in
            "\(chore.id) \(chore.title) \(Array(chore.helpers.map(\.name))) \(Array(chore.labels).sorted()) "
                + chore.story.string
        }.sorted()
    }

    /// The device's files as they are now, as those of another one.
    private func copy(_ bench: Bench, _ device: String, as other: String) throws {
        try FileManager.default.copyItem(
            at: bench.folder.appendingPathComponent(device), to: bench.folder.appendingPathComponent(other))
    }

    @Test("both go on, one as a client of its own, and neither loses a write, made offline or at the same time")
    func bothGoOn() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try a.write {
            let chore = a.create(Chore.self, value: ["id": 1, "title": "sweep"])
            chore.story.append("Once")
            chore.helpers.append(a.create(Person.self, value: ["name": "ann"]))
        }
        try await settle(a)
        // The copy is made with something unsent, which the original sends later.
        bench.cutOff("a")
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.story.append(" more") }
        try copy(bench, "a", as: "b")
        try await bench.rejoin(["a": a])
        for (id, title) in [(2, "two of the original"), (3, "three of the original")] {
            try a.write {
                _ = a.create(Chore.self, value: ["id": id, "title": title])
                let chore = a.object(ofType: Chore.self, forPrimaryKey: 1)
                chore?.story.append("!")
                chore?.helpers.append(a.create(Person.self, value: ["name": "o\(id)"]))
            }
        }
        try await settle(a)

        // As many changesets, and more, were made on the copy before it was online.
        bench.cutOff("b")
        let b = try Realm(configuration: try await bench.configuration("b"))
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 1)?.story.string == "Once more")
        for id in 12...14 {
            try b.write {
                _ = b.create(Chore.self, value: ["id": id, "title": "of the copy"])
                let chore = b.object(ofType: Chore.self, forPrimaryKey: 1)
                chore?.story.append("?")
                chore?.helpers.append(b.create(Person.self, value: ["name": "c\(id)"]))
            }
        }
        try await bench.rejoin(["b": b])
        try await settle(a, b)
        #expect(picture(a) == picture(b))
        #expect(a.objects(Chore.self).map(\.id).sorted() == [1, 2, 3, 12, 13, 14])
        let chore = try #require(a.object(ofType: Chore.self, forPrimaryKey: 1))
        #expect(
            chore.story.string.filter { $0 == "!" }.count == 2 && chore.story.string.filter { $0 == "?" }.count == 3)
        #expect(chore.story.string.hasPrefix("Once more"))
        #expect(Set(chore.helpers.map(\.name)) == ["ann", "o2", "o3", "c12", "c13", "c14"] && chore.helpers.count == 6)

        // From here on they are two devices.
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 12)?.title = "seen by the original" }
        try b.write { b.object(ofType: Chore.self, forPrimaryKey: 2)?.title = "seen by the copy" }
        try await settle(a, b)
        #expect(picture(a) == picture(b))
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 2)?.title == "seen by the copy")
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 12)?.title == "seen by the original")
        #expect(a.unsyncedChanges.isEmpty && b.unsyncedChanges.isEmpty)
        await bench.end()
    }

    /// On its way to the server such a title becomes a number, which a title cannot be.
    private nonisolated static let spoil: @Sendable (CausewayOperations.Operation) -> CausewayOperations.Operation = {
        guard case .set(let target, let field) = $0, field.value == .string("spoilt") else { return $0 }
        return .set(target, FieldValue(field.property, .int(0)))
    }

    @Test(
        "what the server refuses of their common past each is told, once, whether it keeps its name or takes another",
        arguments: [false, true])
    func refusedOfTheCommonPast(goesOn: Bool) async throws {
        let bench = try Bench()
        let errors = Mutex<[String: Int]>([:])
        for device in ["a", "b", "c"] {
            bench.app(device).syncManager.errorHandler = { error, _ in
                guard let error = error as? SyncError, error.code == .writeRejected else { return }
                errors.withLock { $0[device, default: 0] += 1 }
            }
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "sweep"]) }
        try await settle(a)
        bench.cutOff("a")
        bench.network("a").change = Self.spoil
        try a.write {
            let chore = a.object(ofType: Chore.self, forPrimaryKey: 1)
            chore?.title = "spoilt"
            chore?.priority = 7
        }
        for other in ["b", "c"] { try copy(bench, "a", as: other) }
        try await bench.rejoin(["a": a])
        try await settle(a)
        if goesOn { try a.write { _ = a.create(Chore.self, value: ["id": 2, "title": "of the original"]) } }
        try await settle(a)
        // The original has it, and says so.
        bench.cutOff("a")
        try await bench.rejoin(["a": a])
        try await settle(a)
        #expect(a.unsyncedChanges.count == 1)
        bench.cutOff("a")

        for (device, id) in [("b", 12), ("c", 13)] {
            bench.cutOff(device)
            let realm = try Realm(configuration: try await bench.configuration(device))
            #expect(
                realm.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "spoilt" && realm.unsyncedChanges.isEmpty)
            if goesOn { try realm.write { _ = realm.create(Chore.self, value: ["id": id, "title": "of a copy"]) } }
            try await bench.rejoin([device: realm])
            try await settle(realm)
            let change = try #require(realm.unsyncedChanges.first, "\(device)")
            #expect(realm.unsyncedChanges.count == 1 && change.code == 307, "\(device)")
            #expect(change.operations.map(\.description) == ["set Chore 1.title to \"spoilt\""], "\(device)")
            // Told once: not by the next sessions.
            for _ in 0..<2 {
                bench.cutOff(device)
                try await bench.rejoin([device: realm])
                try await settle(realm)
            }
            #expect(realm.unsyncedChanges.count == 1, "\(device)")
            let chore = try #require(realm.object(ofType: Chore.self, forPrimaryKey: 1))
            #expect(chore.title == "sweep" && chore.priority == 7, "\(device)")
            bench.cutOff(device)
        }
        try await bench.rejoin(["a": a])
        try await settle(a)
        #expect(a.objects(Chore.self).map(\.id).sorted() == (goesOn ? [1, 2, 12, 13] : [1]))
        #expect(a.unsyncedChanges.count == 1)
        #expect(errors.withLock { $0 } == ["a": 1, "b": 1, "c": 1])
        await bench.end()
    }

    @Test("both send one-way objects, made offline or at the same time, and the server keeps all of them once")
    func oneWayObjects() async throws {
        let bench = try Bench()
        func measure(_ realm: Realm, _ ids: ClosedRange<Int>) throws {
            for id in ids { try realm.write { realm.create(Reading.self, value: ["id": id, "degrees": 1.0]) } }
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try measure(a, 1...3)
        try await settle(a)
        bench.cutOff("a")
        try measure(a, 4...5)
        try copy(bench, "a", as: "b")
        try await bench.rejoin(["a": a])
        try measure(a, 6...8)
        try await settle(a)
        #expect(try bench.store.count(of: "Reading") == 8)

        bench.cutOff("b")
        let b = try Realm(configuration: try await bench.configuration("b"))
        try measure(b, 16...20)
        try await bench.rejoin(["b": b])
        try await settle(a, b)
        #expect(try bench.store.count("Reading", matching: "id BETWEEN {16, 20}") == 5)
        try measure(a, 21...22)
        try measure(b, 31...32)
        try await settle(a, b)
        #expect(try bench.store.count(of: "Reading") == 17)
        await bench.end()
    }

    @Test("two copies that only read are both told what others write, and leave each other alone")
    func readers() async throws {
        let bench = try Bench()
        let writer = try Realm(configuration: try await bench.configuration("w", initial: Self.all))
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try writer.write { _ = writer.create(Chore.self, value: ["id": 1, "title": "sweep"]) }
        try await settle(writer, a)
        bench.cutOff("a")
        try copy(bench, "a", as: "b")
        try await bench.rejoin(["a": a])
        let b = try Realm(configuration: try await bench.configuration("b"))
        try await settle(a, b)
        for id in 2...6 {
            try writer.write { _ = writer.create(Chore.self, value: ["id": id, "title": "dust"]) }
            try await settle(writer, a, b)
            #expect(a.objects(Chore.self).count == id && b.objects(Chore.self).count == id)
        }
        try b.write { _ = b.create(Chore.self, value: ["id": 20, "title": "of the copy"]) }
        try a.write { _ = a.create(Chore.self, value: ["id": 10, "title": "of the original"]) }
        try await settle(a, b, writer)
        #expect(picture(writer).count == 8)
        await bench.end()
    }
}
