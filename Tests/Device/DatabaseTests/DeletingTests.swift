import Causeway
import CausewaySeeds
import Foundation
import Testing

class DeletedAddress: EmbeddedObject {
    @Persisted var street: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DeletedOwner: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var items: List<DeletedItem>
    @Persisted var favourite: DeletedItem?
    @Persisted var addresses: List<DeletedAddress>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<DeletedItem>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DeletedItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var kind: String
    @Persisted var owner: DeletedOwner?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What is deleted is gone for everybody who asks in the same write, however many objects went before anybody asked.
@Suite("Deleting many objects")
struct DeletingTests {
    private let realm: Realm
    private let count = 2500

    /// How objects are deleted.
    enum Way: CaseIterable {
        case one, results, sequence, list
    }

    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [DeletedItem.self, DeletedOwner.self, DeletedAddress.self]))
        try realm.write {
            let owners = (0..<5).map { realm.create(DeletedOwner.self, value: ["name": "owner \($0)"]) }
            for owner in owners {
                let address = DeletedAddress()
                address.street = owner.name
                owner.addresses.append(address)
            }
            for id in 0..<count {
                let owner = owners[id % 5]
                let item = realm.create(
                    DeletedItem.self, value: ["id": id, "kind": "kind \(id % 7)", "owner": owner])
                owner.items.append(item)
                if id / 5 == 100 { owner.favourite = item }
            }
        }
    }

    private var owners: [DeletedOwner] { Array(realm.objects(DeletedOwner.self).sorted(byKeyPath: "name")) }

    private func delete(_ way: Way, _ ids: Set<Int>) {
        let items = realm.objects(DeletedItem.self).filter("id IN %@", ids.map { $0 })
        switch way {
        case .one: for item in Array(items) { realm.delete(item) }
        case .results: realm.delete(items)
        case .sequence: realm.delete(Array(items).reversed())
        case .list:
            let owner = realm.create(DeletedOwner.self, value: ["name": "z, for a list"])
            owner.items.append(objectsIn: items)
            realm.delete(owner.items)
            #expect(owner.items.isEmpty)
            realm.delete(owner)
        }
    }

    private func expectLeft(_ left: [Int], _ when: String) {
        let items = realm.objects(DeletedItem.self)
        #expect(items.map(\.id) == left, "\(when)")
        for (number, owner) in owners.enumerated() {
            let own = left.filter { $0 % 5 == number }
            #expect(owner.items.map(\.id) == own, "\(when)")
            #expect(owner.items.count == own.count, "\(when)")
            #expect(owner.owned.count == own.count, "\(when)")
            let favourite = 500 + number
            #expect(owner.favourite?.id == (left.contains(favourite) ? favourite : nil), "\(when)")
            #expect(items.filter("owner.name == %@", owner.name).count == own.count, "\(when)")
        }
        let without = (0..<5).count { !left.contains(500 + $0) }
        #expect(realm.objects(DeletedOwner.self).filter("favourite == nil").count == without, "\(when)")
        for kind in 0..<7 {
            #expect(
                items.filter("kind == %@", "kind \(kind)").map(\.id) == left.filter { $0 % 7 == kind }, "\(when)")
        }
        for id in [0, 3, 500, 501, 2499] {
            let found = realm.object(ofType: DeletedItem.self, forPrimaryKey: id)
            #expect(found?.id == (left.contains(id) ? id : nil), "\(when)")
        }
    }

    @Test("links, lists, indexes and primary keys forget them", arguments: Way.allCases, [3, 1200, 2499])
    func forgotten(way: Way, number: Int) throws {
        var random = SeededNumbers(seed: UInt64(number))
        let ids = Set((0..<count).shuffled(using: &random).prefix(number)).union([500, 502])
        let left = (0..<count).filter { !ids.contains($0) }
        try realm.write {
            delete(way, ids)
            expectLeft(left, "\(way), in the write")
        }
        expectLeft(left, "\(way), after it")
        try realm.write {
            // A key that went may come back.
            realm.create(DeletedItem.self, value: ["id": 500, "kind": "new"])
            #expect(realm.object(ofType: DeletedItem.self, forPrimaryKey: 500)?.kind == "new")
        }
        #expect(realm.objects(DeletedItem.self).count == left.count + 1)
    }

    @Test("a deleted key is given again in the same write, before anybody looked", arguments: Way.allCases)
    func givenAgain(way: Way) throws {
        try realm.write {
            delete(way, [7, 8, 9, 2499])
            for id in [2499, 8] { realm.create(DeletedItem.self, value: ["id": id, "kind": "new"]) }
            delete(way, [8])
            realm.create(DeletedItem.self, value: ["id": 8, "kind": "newer"])
            realm.delete(owners[1])
            realm.create(DeletedOwner.self, value: ["name": "owner 1"])
        }
        let items = realm.objects(DeletedItem.self)
        #expect(items.count == count - 2)
        #expect(realm.object(ofType: DeletedItem.self, forPrimaryKey: 8)?.kind == "newer")
        #expect(realm.object(ofType: DeletedItem.self, forPrimaryKey: 2499)?.kind == "new")
        #expect(realm.object(ofType: DeletedItem.self, forPrimaryKey: 7) == nil)
        #expect(items.filter("kind == 'new'").map(\.id) == [2499])
        #expect(realm.object(ofType: DeletedOwner.self, forPrimaryKey: "owner 1")?.items.isEmpty == true)
        #expect(items.filter("owner == nil").count == (0..<count).count { $0 % 5 == 1 } + 2)
    }

    @Test("embedded objects go with their parents at once")
    func embedded() throws {
        let addresses = owners.map { $0.addresses[0] }
        try realm.write {
            realm.delete(owners.prefix(3))
            #expect(addresses.map(\.isInvalidated) == [true, true, true, false, false])
        }
        #expect(addresses.map(\.isInvalidated) == [true, true, true, false, false])
        try realm.write { realm.deleteAll() }
        #expect(addresses.allSatisfy { $0.isInvalidated })
        #expect(realm.isEmpty)
    }

    @Test("an undone write brings all of them back", arguments: Way.allCases)
    func undone(way: Way) throws {
        realm.beginWrite()
        delete(way, Set(0..<count))
        #expect(realm.objects(DeletedItem.self).isEmpty)
        realm.cancelWrite()
        expectLeft(Array(0..<count), "undone")
    }

    @Test("observers hear of deletions and of links that became nil", arguments: Way.allCases)
    func observed(way: Way) throws {
        let ids: Set<Int> = [500, 3, 1700, 4]
        var deletions: [Int] = []
        var modifications: [Int] = []
        let items = realm.objects(DeletedItem.self)
        let owners = realm.objects(DeletedOwner.self).sorted(byKeyPath: "name")
        let first = items.observe { if case .update(_, let gone, _, _) = $0 { deletions = gone } }
        let second = owners.observe(keyPaths: ["favourite"]) {
            if case .update(_, _, _, let changed) = $0 { modifications = changed }
        }
        realm.refresh()
        try realm.write { delete(way, ids) }
        realm.refresh()
        #expect(deletions == [3, 4, 500, 1700])
        #expect(modifications == [0])
        first.invalidate()
        second.invalidate()
    }
}
