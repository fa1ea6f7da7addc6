import Causeway
import Dispatch
import Foundation
import Testing

class MixedBox: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var some: MutableSet<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MixedTarget: Object {
    @Persisted(primaryKey: true) var id = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Mixed values in sets, maps and many rows at once")
struct MixedCollectionsTests {
    private func realm(_ name: String) throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: name, objectTypes: [MixedBox.self, MixedTarget.self]))
    }

    private func box(_ id: Int, _ realm: Realm) throws -> MixedBox {
        try #require(realm.object(ofType: MixedBox.self, forPrimaryKey: id))
    }

    private func target(_ id: Int, _ realm: Realm) throws -> MixedTarget {
        try #require(realm.object(ofType: MixedTarget.self, forPrimaryKey: id))
    }

    @Test("a set holds each value of each type once, and forgets deleted objects")
    func sets() throws {
        let realm = try realm("mixed sets")
        try realm.write {
            let box = realm.create(
                MixedBox.self,
                value: ["id": 1, "some": [1, "a", 1, 2.5, "a", true, NSNull()] as [Any]] as [String: Any]
            )
            for id in 1...3 { realm.create(MixedTarget.self, value: ["id": id]) }
            for id in [1, 2, 1] { box.some.insert(.object(try target(id, realm))) }
            box.some.insert(.double(1))
        }
        let some = try box(1, realm).some
        #expect(some.count == 8)
        for value in [AnyRealmValue.int(1), .double(1), .string("a"), .double(2.5), .bool(true), .none] {
            #expect(some.contains(value))
        }
        #expect(some.contains(.object(try target(2, realm))))
        #expect(!some.contains(.object(try target(3, realm))))
        #expect(!some.contains(.object(MixedTarget())) && !some.contains(.int(2)))
        #expect(realm.objects(MixedBox.self).where { $0.some.contains(.string("a")) }.count == 1)
        #expect(realm.objects(MixedBox.self).filter("ANY #some == 'b'").isEmpty)
        let first = try target(1, realm)
        try realm.write {
            some.remove(.object(first))
            some.remove(.int(1))
            realm.delete(try target(2, realm))
        }
        #expect(Set(some) == [.none, .bool(true), .double(1), .double(2.5), .string("a")])
    }

    @Test("a map holds values of any type; a link to a deleted object becomes none")
    func maps() throws {
        let realm = try realm("mixed maps")
        try realm.write {
            let one = realm.create(MixedTarget.self, value: ["id": 1])
            realm.create(
                MixedBox.self,
                value: [
                    "id": 1, "named": ["text": "a", "number": 7, "one": one, "nothing": NSNull()] as [String: Any],
                ] as [String: Any])
        }
        let named = try box(1, realm).named
        #expect(named["text"] == .string("a") && named["number"] == .int(7) && named["nothing"] == AnyRealmValue.none)
        #expect(named["one"]?.object(MixedTarget.self)?.id == 1 && named["other"] == nil)
        #expect(realm.objects(MixedBox.self).filter("named['number'] == 7.0").count == 1)
        try realm.write {
            named["number"] = .object(try target(1, realm))
            realm.delete(realm.objects(MixedTarget.self))
        }
        #expect(named.keys.sorted() == ["nothing", "number", "one", "text"])
        #expect(named["one"] == AnyRealmValue.none && named["number"] == AnyRealmValue.none)
    }

    @Test("an object that ends takes its mixed links back: what they led to can end, and a row can be used again")
    func endedOrigins() throws {
        let realm = try realm("mixed origins")
        for round in 0..<3 {
            try realm.write {
                let targets = (0..<300).map { realm.create(MixedTarget.self, value: ["id": 1000 * round + $0]) }
                for (id, target) in targets.enumerated() {
                    let link = AnyRealmValue.object(target)
                    let box = realm.create(MixedBox.self, value: ["id": id])
                    box.any = link
                    box.anys.append(objectsIn: [link, .int(id), link])
                    box.some.insert(link)
                    box.named["k"] = link
                }
            }
            try realm.write {
                realm.delete(realm.objects(MixedBox.self).filter("id >= 100"))
                let ids = 1000 * round..<1000 * round + 50
                realm.delete(realm.objects(MixedTarget.self).where { $0.id.contains(ids) })
            }
            let boxes = realm.objects(MixedBox.self).sorted(byKeyPath: "id")
            #expect(boxes.count == 100)
            for box in boxes {
                let expected = box.id < 50 ? nil : 1000 * round + box.id
                #expect(box.any.object(MixedTarget.self)?.id == expected)
                #expect(box.anys.map { $0.object(MixedTarget.self)?.id } == [expected, nil, expected])
                #expect(box.anys[1] == .int(box.id) && box.some.count == (box.id < 50 ? 0 : 1))
                #expect(box.named["k"]?.object(MixedTarget.self)?.id == expected && box.named.count == 1)
            }
            try realm.write {
                realm.delete(realm.objects(MixedTarget.self))
                realm.delete(realm.objects(MixedBox.self))
            }
        }
    }

    @Test("loops over lists of mixed values give the objects, also in a frozen Realm read by several threads")
    func loops() throws {
        let realm = try realm("mixed loops")
        try realm.write {
            let target = realm.create(MixedTarget.self, value: ["id": 5])
            let box = realm.create(MixedBox.self, value: ["id": 1])
            box.anys.append(objectsIn: [.object(target), .int(2), .object(box)])
            box.any = .object(target)
        }
        let box = try box(1, realm)
        for (position, value) in box.anys.enumerated() {
            switch position {
            case 0: #expect(value.object(MixedTarget.self)?.id == 5)
            case 1: #expect(value == .int(2))
            default: #expect(value.object(MixedBox.self)?.id == 1)
            }
        }
        // Any thread may read what is frozen.
        nonisolated(unsafe) let frozen = box.freeze()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<20 {
                #expect(frozen.any.object(MixedTarget.self)?.id == 5)
                #expect(frozen.anys.map { $0.object(MixedTarget.self)?.id } == [5, nil, nil])
                #expect(frozen.anys[2].object(MixedBox.self)?.id == 1)
            }
        }
    }

    @Test("many objects are made at once with mixed values and links")
    func manyRows() throws {
        let realm = try realm("mixed rows")
        try realm.write {
            let target = realm.create(MixedTarget.self, value: ["id": 5])
            try realm.create(MixedBox.self, from: 0..<1_500) { new in
                new.set(\.id) { $0 }
                new.set(\.any) { id in
                    switch id % 3 {
                    case 0: AnyRealmValue.int(id)
                    case 1: AnyRealmValue.object(target)
                    default: AnyRealmValue.none
                    }
                }
            }
        }
        let boxes = realm.objects(MixedBox.self)
        #expect(boxes.filter("#any == nil").count == 500)
        #expect(boxes.filter("#any > 1490").map(\.id).sorted() == [1491, 1494, 1497])
        #expect(boxes.where { $0.any == .object(realm.objects(MixedTarget.self)[0]) }.count == 500)
        try realm.write { realm.delete(realm.objects(MixedTarget.self)) }
        #expect(boxes.filter("#any == nil").count == 1_000)
    }

    @Test("objects that are known by name have mixed properties too")
    func dynamic() throws {
        let realm = try realm("mixed dynamic")
        try realm.write {
            let target = realm.dynamicCreate("MixedTarget", value: ["id": 9])
            let box = realm.dynamicCreate(
                "MixedBox", value: ["id": 1, "any": target, "anys": [1, "b", target] as [Any]] as [String: Any])
            box["named"] = ["k": AnyRealmValue.string("v")]
            box["some"] = [AnyRealmValue.int(3), .int(3)]
        }
        let box = try box(1, realm)
        #expect(box.any.object(MixedTarget.self)?.id == 9)
        #expect(box.anys.map(\.stringValue) == [nil, "b", nil] && box.anys[2].object(MixedTarget.self)?.id == 9)
        #expect(box.named["k"] == .string("v") && Array(box.some) == [.int(3)])
        let known = try #require(realm.dynamicObjects("MixedBox").first)
        #expect((known["named"] as? Map<String, AnyRealmValue>)?["k"] == .string("v"))
        try realm.write { known["any"] = 2.5 }
        #expect(box.any == .double(2.5))
    }

    @Test("a migration that removes mixed properties takes their links back, and reads them by name before")
    func migration() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mixed-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("mixed.realm")
        try {
            let realm = try Realm(
                configuration: .init(fileURL: url, objectTypes: [MixedBox.self, MixedTarget.self]))
            try realm.write {
                for id in 0..<100 {
                    let link = AnyRealmValue.object(realm.create(MixedTarget.self, value: ["id": id]))
                    realm.create(
                        MixedBox.self,
                        value: [
                            "id": id, "any": link, "anys": [link, AnyRealmValue.int(id)], "named": ["k": link],
                        ] as [String: Any])
                }
            }
        }()
        let realm = try Realm(
            configuration: .init(
                fileURL: url, schemaVersion: 1,
                migrationBlock: { migration, _ in
                    migration.enumerateObjects(ofType: "MixedBox") { old, new in
                        guard let target = old?["any"] as? DynamicObject else {
                            Issue.record("\(String(describing: old?["any"]))")
                            return
                        }
                        new?["id2"] = target["id"] as? Int
                    }
                }, objectTypes: [Later.MixedBox.self, MixedTarget.self]))
        let boxes = realm.objects(Later.MixedBox.self).sorted(byKeyPath: "id")
        #expect(boxes.map(\.id2) == Array(0..<100))
        #expect(boxes[7].anys[0].object(MixedTarget.self)?.id == 7 && boxes[7].anys[1] == .int(7))
        try realm.write { realm.delete(realm.objects(MixedTarget.self).where { $0.id < 50 }) }
        #expect(boxes[7].anys[0] == .none && boxes[57].anys[0].object(MixedTarget.self)?.id == 57)
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }
}

private enum Later {
    class MixedBox: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var id2 = 0
        @Persisted var anys: List<AnyRealmValue>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
