import Causeway
import Dispatch
import Foundation
import Testing

@Suite("Handing over what is confined to a thread")
struct ThreadSafeReferenceTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveItem.self, LiveOwner.self])

    class ItemProjection: Projection<LiveItem> {
        @Projected(\LiveItem.name) var name
    }

    private func realmWithItems() throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<3 {
                let item = realm.create(LiveItem.self, value: ["id": id, "number": id, "name": "n\(id)"])
                item.tags.append("t\(id)")
            }
        }
        return realm
    }

    /// Runs a body on a thread of its own, and waits for it.
    private func onOtherThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    @Test("an object, results, a list and a projection resolve on another thread")
    @MainActor
    func resolve() async throws {
        // Of a place that stays the same while this waits for others.
        let realm = try await Realm.open(configuration: configuration)
        _ = try realmWithItems()
        realm.refresh()
        let items = realm.objects(LiveItem.self)
        let object = ThreadSafeReference(to: items[1])
        let results = ThreadSafeReference(to: items.where { $0.number > 0 }.sorted(by: \.number, ascending: false))
        let list = ThreadSafeReference(to: items[2].tags)
        let projection = ThreadSafeReference(to: realm.objects(ItemProjection.self)[0])
        let sections = ThreadSafeReference(to: items.sectioned(by: \.name))
        let heard = try await onOtherThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            let item = try #require(realm.resolve(object))
            try realm.write { item.name = "renamed" }
            return [
                item.name, realm.resolve(results)!.map(\.name).joined(separator: " "), realm.resolve(list)![0],
                realm.resolve(projection)!.name, realm.resolve(sections)!.allKeys.joined(separator: " "),
            ]
        }
        #expect(heard == ["renamed", "n2 renamed", "t2", "n0", "n0 n2 renamed"])
        #expect(object.isInvalidated && results.isInvalidated && list.isInvalidated)
        realm.refresh()
        #expect(items[1].name == "renamed")
    }

    @Test("what was deleted meanwhile resolves to nil, and a Realm that is behind moves forward")
    func deletedAndBehind() throws {
        let realm = try realmWithItems()
        let queue = DispatchQueue(label: "behind")
        nonisolated(unsafe) var behind: Realm?
        try queue.sync {
            behind = try Realm(configuration: configuration, queue: queue)
            behind?.autorefresh = false
            _ = behind?.objects(LiveItem.self).count
        }
        try realm.write { realm.create(LiveItem.self, value: ["id": 9, "name": "new"]) }
        let new = ThreadSafeReference(to: realm.object(ofType: LiveItem.self, forPrimaryKey: 9)!)
        let doomed = realm.object(ofType: LiveItem.self, forPrimaryKey: 0)!
        let (object, list) = (ThreadSafeReference(to: doomed), ThreadSafeReference(to: doomed.tags))
        try realm.write { realm.delete(doomed) }
        queue.sync {
            #expect(behind!.resolve(new)?.name == "new")
            #expect(behind!.resolve(object) == nil)
            #expect(behind!.resolve(list) == nil)
            behind = nil
        }
    }

    @Test("a reference keeps its version until it is resolved")
    func pin() throws {
        let realm = try realmWithItems()
        let item = realm.objects(LiveItem.self)[0]
        let reference = ThreadSafeReference(to: item)
        for number in 0..<5 { try realm.write { item.number = number } }
        #expect(realm.resolve(reference)?.number == 4)
        let frozen = ThreadSafeReference(to: item.freeze())
        #expect(realm.resolve(frozen)?.number == 4)
    }

    @Test("an actor's Realm resolves what another place made")
    func onActor() async throws {
        actor Library {
            func name(_ reference: ThreadSafeReference<LiveItem>, _ configuration: Realm.Configuration) async throws
                -> String?
            {
                try await Realm.open(configuration: configuration).resolve(reference)?.name
            }
        }
        let reference = try ThreadSafeReference(to: realmWithItems().objects(LiveItem.self)[2])
        #expect(try await Library().name(reference, configuration) == "n2")
    }

    @Test("a variable that every thread may read follows the object to where it is read")
    func threadSafe() async throws {
        let configuration = configuration
        let kept = try { () throws -> ThreadSafe<LiveItem> in
            ThreadSafe(wrappedValue: try realmWithItems().objects(LiveItem.self)[1])
        }()
        let name = try await onOtherThread {
            let item = try #require(kept.wrappedValue)
            try item.realm!.write { item.name = "renamed" }
            return try Realm(configuration: configuration).objects(LiveItem.self)[1].name
        }
        #expect(name == "renamed")
        #expect(kept.wrappedValue?.name == "renamed")
        #expect(kept.wrappedValue?.isFrozen == false)
        try await onOtherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.deleteAll() }
        }
        #expect(kept.wrappedValue == nil)
    }

    @Test("@ThreadSafe declares variables and parameters")
    func wrapper() throws {
        func numbers(@ThreadSafe items: Results<LiveItem>?) -> [Int] { items.map { $0.map(\.number) } ?? [] }
        let realm = try realmWithItems()
        @ThreadSafe var item = realm.objects(LiveItem.self).first
        #expect(item?.name == "n0")
        item = realm.objects(LiveItem.self)[2]
        #expect(item?.name == "n2")
        item = nil
        #expect(item == nil)
        #expect(numbers(items: realm.objects(LiveItem.self)) == [0, 1, 2])
    }

    private func lastWords(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("a reference to what is unmanaged, one resolved twice, and one of another file stop the program")
    func misused() async {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ThreadSafeReference(to: LiveItem())
        }
        #expect(lastWords(unmanaged).contains("Cannot construct reference to unmanaged object"))
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: .init(inMemoryIdentifier: "twice", objectTypes: [LiveItem.self, LiveOwner.self]))
            let reference = ThreadSafeReference(to: realm.objects(LiveItem.self))
            _ = realm.resolve(reference)
            _ = realm.resolve(reference)
        }
        #expect(lastWords(twice).contains("Can only resolve a thread safe reference once."))
        let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let types: [ObjectBase.Type] = [LiveItem.self, LiveOwner.self]
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "one", objectTypes: types))
            let other = try Realm(configuration: .init(inMemoryIdentifier: "other", objectTypes: types))
            _ = other.resolve(ThreadSafeReference(to: realm.objects(LiveItem.self)))
        }
        #expect(lastWords(foreign).contains("in Realm with different configuration than the source Realm."))
        let kept = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ThreadSafe(wrappedValue: LiveItem())
        }
        #expect(lastWords(kept).contains("Only managed objects may be wrapped as thread safe."))
    }
}
