import Causeway
import CausewayObjectStore
import CausewayStorage
import Dispatch
import Foundation
import Testing

@Suite("Frozen Realms, objects and collections")
struct FreezingTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveItem.self, LiveOwner.self])

    /// Carries frozen things to other threads, which they are made for and the compiler cannot know.
    private struct Carried<Value>: @unchecked Sendable {
        let value: Value
    }

    private func makeItems(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            let owner = realm.create(LiveOwner.self, value: ["id": 0, "name": "x"])
            for id in 0..<count {
                let item = realm.create(LiveItem.self, value: ["id": id, "number": id % 10, "name": "n\(id % 7)"])
                item.owner = owner
                item.tags.append("t\(id)")
            }
        }
    }

    @Test("what is frozen stays as it was")
    func unchanged() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 20)
        let items = realm.objects(LiveItem.self).where { $0.number < 5 }
        let item = items[0]
        let (frozenItems, frozenItem, frozenTags) = (items.freeze(), item.freeze(), item.tags.freeze())
        #expect(frozenItems.isFrozen && frozenItem.isFrozen && frozenTags.isFrozen && !items.isFrozen)
        #expect(frozenItem.realm == realm.freeze())
        try realm.write {
            item.number = 9
            item.tags.append("more")
            item.owner?.name = "y"
        }
        #expect(items.count == 9)
        #expect(frozenItems.count == 10)
        #expect(frozenItem.number == 0)
        #expect(frozenItem.owner?.name == "x")
        #expect(Array(frozenTags) == ["t0"])
        #expect(frozenItems.sorted(by: \.number, ascending: false).first?.number == 4)
        #expect(frozenItem.freeze() === frozenItem)
        #expect(!frozenItem.realm!.refresh())
        #expect(frozenItem.realm!.autorefresh == false)
    }

    @Test("frozen objects are equal by row and version, and not equal to live ones")
    func equality() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 2)
        let item = realm.objects(LiveItem.self)[0]
        let frozen = item.freeze()
        #expect(frozen == item.freeze())
        #expect(frozen == realm.freeze().object(ofType: LiveItem.self, forPrimaryKey: 0))
        #expect(frozen != item)
        try realm.write { item.number = 5 }
        #expect(frozen != item.freeze())
    }

    @Test("thawing gives the live object, or nil when it was deleted")
    func thawing() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 3)
        let items = realm.objects(LiveItem.self)
        let frozen = items.freeze()
        let (first, second, tags) = (frozen[0], frozen[1], frozen[0].tags)
        try realm.write {
            realm.delete(items[0])
            items[0].number = 77
        }
        #expect(first.thaw() == nil)
        #expect(tags.thaw() == nil)
        #expect(second.thaw()?.number == 77)
        #expect(second.thaw()?.realm == realm)
        #expect(frozen.thaw()?.count == 2)
        #expect(frozen.realm?.thaw() == realm)
        #expect(items[0].thaw() === items[0].thaw() || items[0].thaw() == items[0])
    }

    @Test("several threads read the same frozen objects and results")
    func threads() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 3000)
        let items = realm.objects(LiveItem.self).where { $0.number < 5 }.freeze()
        let carried = Carried(value: (items, items.sorted(by: \.name), items[7], realm.freeze()))
        try realm.write { realm.deleteAll() }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let (items, sorted, item, realm) = carried.value
            for _ in 0..<20 {
                #expect(items.count == 1500)
                #expect(sorted.first?.name == "n0")
                #expect(item.id == 12 && item.name == "n5" && item.owner?.name == "x")
                #expect(realm.object(ofType: LiveItem.self, forPrimaryKey: 30)?.number == 0)
                #expect(items.where { $0.name == "n1" }.allSatisfy { $0.id % 7 == 1 })
            }
        }
        #expect(realm.isEmpty)
    }

    @Test("during a write the frozen Realm shows what was before it")
    func duringWrite() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 2)
        try realm.write {
            let item = realm.objects(LiveItem.self)[0]
            item.number = 50
            #expect(item.freeze().number == 0)
            #expect(item.number == 50)
        }
    }

    @Test("a snapshot that nobody holds any more is released")
    func released() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = configuration
        configuration.fileURL = folder.appendingPathComponent("a.realm")
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 10)
        func commitsBehind() throws -> UInt64 {
            try #require(FileCoordinator.existing(path: realm.configuration.fileURL!.path))
                .store.statistics().oldestSnapshot?.commitsBehind ?? 0
        }
        var frozen: Results<LiveItem>? = realm.objects(LiveItem.self).freeze()
        for number in 0..<5 { try realm.write { realm.objects(LiveItem.self)[0].number = number } }
        #expect(frozen?.count == 10)
        #expect(try commitsBehind() == 5)
        frozen = nil
        #expect(try commitsBehind() == 0)

        let queue = DispatchQueue(label: "writer")
        try queue.sync {
            let writer = try Realm(configuration: configuration, queue: queue)
            try writer.write { writer.objects(LiveItem.self)[0].number = 10 }
        }
        #expect(try commitsBehind() == 1)
        realm.refresh()
        #expect(try commitsBehind() == 0)
    }

    @Test("the file is compacted at the first opening when the configuration says so")
    func compacting() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = configuration
        let url = folder.appendingPathComponent("a.realm")
        configuration.fileURL = url
        try autoreleased {
            let realm = try Realm(configuration: configuration)
            try makeItems(realm, 5000)
            try realm.write { realm.deleteAll() }
        }
        let before = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
        let asked = Asked()
        configuration.shouldCompactOnLaunch = { total, used in
            asked.add(total, used)
            return true
        }
        try autoreleased {
            let realm = try Realm(configuration: configuration)
            #expect(realm.isEmpty)
            _ = try Realm(configuration: configuration)
        }
        let after = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
        #expect(asked.times == 1)
        #expect(asked.total >= asked.used)
        #expect(after < before)
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

    /// Unchecked: used by one thread.
    private final class Asked: @unchecked Sendable {
        var times = 0
        var total = 0
        var used = 0

        func add(_ total: Int, _ used: Int) {
            times += 1
            (self.total, self.used) = (total, used)
        }
    }
}
