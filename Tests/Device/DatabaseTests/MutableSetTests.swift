import Causeway
import Foundation
import Testing

private class Pack: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var cities: MutableSet<String>
    @Persisted var years: MutableSet<Int>
    @Persisted var weights: MutableSet<Double?>
    @Persisted var days: MutableSet<Date>
    @Persisted var ids: MutableSet<ObjectId>
    @Persisted var flags: MutableSet<Bool>
    @Persisted var others: MutableSet<Pack>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct MutableSetTests {
    private func realm() throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Pack.self]))
    }

    @Test("a set holds every element once, unmanaged and managed alike")
    func elements() throws {
        let pack = Pack(value: ["name": "a", "cities": ["Ulm", "Bonn", "Ulm"], "years": [3, 1, 3]])
        #expect(pack.cities.count == 2)
        #expect(pack.years.contains(3) && !pack.years.contains(2))
        let realm = try realm()
        try realm.write {
            realm.add(pack)
            pack.cities.insert("Bonn")
            pack.cities.insert("Köln")
            pack.weights.insert(objectsIn: [2.5, nil, 2.5, nil])
            pack.days.insert(Date(timeIntervalSince1970: 5))
            pack.ids.insert(ObjectId("11223344556677889900aabb"))
            pack.flags.insert(objectsIn: [true, false, true])
        }
        #expect(Set(pack.cities) == ["Ulm", "Bonn", "Köln"])
        #expect(Set(pack.years) == [1, 3])
        #expect(Set(pack.weights) == [2.5, nil])
        #expect(pack.days.contains(Date(timeIntervalSince1970: 5)))
        #expect(pack.ids[0] == ObjectId("11223344556677889900aabb"))
        #expect(pack.flags.count == 2)
        try realm.write {
            pack.cities.remove("Ulm")
            pack.cities.remove("Trier")
            pack.years.removeAll()
        }
        #expect(Set(pack.cities) == ["Bonn", "Köln"])
        #expect(pack.years.isEmpty)
    }

    @Test("sets are compared and combined as mathematics has it")
    func combined() throws {
        let realm = try realm()
        let (a, b) = try realm.write {
            (
                realm.create(Pack.self, value: ["name": "a", "years": [1, 2, 3]]),
                realm.create(Pack.self, value: ["name": "b", "years": [2, 3, 4]])
            )
        }
        #expect(a.years.intersects(b.years))
        #expect(!a.years.isSubset(of: b.years))
        try realm.write { a.years.formIntersection(b.years) }
        #expect(Set(a.years) == [2, 3])
        #expect(a.years.isSubset(of: b.years))
        try realm.write { a.years.formUnion(b.years) }
        #expect(Set(a.years) == [2, 3, 4])
        try realm.write { a.years.subtract(b.years) }
        #expect(a.years.isEmpty)
        #expect(b.years.sum() == 9 && b.years.min() == 2 && b.years.max() == 4)
        #expect(Array(b.years.sorted(ascending: false)) == [4, 3, 2])
    }

    @Test("sets of objects link, and lose what is deleted")
    func objects() throws {
        let realm = try realm()
        let (a, b) = try realm.write {
            let b = Pack(value: ["name": "b"])
            let a = Pack(value: ["name": "a"])
            a.others.insert(objectsIn: [b, b, Pack(value: ["name": "c"])])
            realm.add(a)
            return (a, b)
        }
        #expect(a.others.count == 2)
        #expect(a.others.contains(b))
        #expect(!a.others.contains(Pack()))
        #expect(a.others.where { $0.name == "c" }.count == 1)
        try realm.write { realm.delete(b) }
        #expect(a.others.map(\.name) == ["c"])
        let copy = Pack(value: a)
        #expect(copy.others.count == 1)
    }

    @Test("a rolled back write leaves a set as it was, and frozen ones stay")
    func rollback() throws {
        let realm = try realm()
        let pack = try realm.write { realm.create(Pack.self, value: ["name": "a", "years": [1]]) }
        let frozen = pack.years.freeze()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try realm.write {
                pack.years.insert(2)
                throw Stop()
            }
        }
        #expect(Array(pack.years) == [1])
        try realm.write { pack.years.insert(2) }
        #expect(Array(frozen) == [1] && pack.years.count == 2)
        #expect(frozen.thaw()?.count == 2)
    }

    @Test("observers hear positions of a set")
    func observed() throws {
        let realm = try realm()
        let pack = try realm.write { realm.create(Pack.self, value: ["name": "a", "years": [1, 5]]) }
        var heard: [String] = []
        let token = pack.years.observe { change in
            switch change {
            case .initial(let set): heard.append("initial \(set.count)")
            case .update(_, let deletions, let insertions, let modifications):
                heard.append("\(deletions) \(insertions) \(modifications)")
            case .error: break
            }
        }
        realm.refresh()
        try realm.write { pack.years.insert(3) }
        realm.refresh()
        token.invalidate()
        #expect(heard == ["initial 2", "[] [1] []"])
    }

    @Test("queries reach into sets")
    func queries() throws {
        let realm = try realm()
        try realm.write {
            realm.create(Pack.self, value: ["name": "a", "years": [1, 2], "cities": ["Ulm"]])
            realm.create(Pack.self, value: ["name": "b", "years": [5, 9]])
        }
        let packs = realm.objects(Pack.self)
        #expect(packs.where { $0.years.contains(2) }.map(\.name) == ["a"])
        #expect(packs.where { $0.years.containsAny(in: [5, 7]) }.map(\.name) == ["b"])
        #expect(packs.where { $0.years.max > 5 }.map(\.name) == ["b"])
        #expect(packs.where { $0.cities.count == 0 }.map(\.name) == ["b"])
        #expect(packs.filter("ALL years > 3").map(\.name) == ["b"])
        #expect(packs.filter("years.@sum == 3 AND ANY cities BEGINSWITH 'U'").map(\.name) == ["a"])
    }
}
