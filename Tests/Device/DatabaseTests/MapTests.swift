import Causeway
import Foundation
import Testing

private class Atlas: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var parks: Map<String, String>
    @Persisted var heights: Map<String, Int?>
    @Persisted var areas: Map<String, Double>
    @Persisted var neighbours: Map<String, Atlas?>
    @Persisted var sheets: Map<String, Sheet?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Sheet: EmbeddedObject {
    @Persisted var number = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct MapTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Atlas.self, Sheet.self]))
    }

    @Test("a map has one value a key, unmanaged and managed alike")
    func entries() throws {
        let atlas = Atlas(value: ["name": "a", "parks": ["Ulm": "Au", "Bonn": "Aue"], "heights": ["x": 1]])
        atlas.heights["y"] = .some(nil)
        #expect(atlas.parks["Ulm"] == "Au")
        let realm = try realm()
        try realm.write {
            realm.add(atlas)
            atlas.parks["Ulm"] = "Friedrichsau"
            atlas.parks["Köln"] = "Stadtwald"
            atlas.parks["Bonn"] = nil
        }
        #expect(atlas.parks.keys == ["Köln", "Ulm"])
        #expect(atlas.parks.values == ["Stadtwald", "Friedrichsau"])
        #expect(atlas.parks["Bonn"] == nil && atlas.parks.count == 2)
        #expect(atlas.heights["x"] == .some(1) && atlas.heights["y"] == .some(nil))
        #expect(atlas.heights["z"] == nil)
        try realm.write {
            atlas.parks.merge(["Ulm": "2", "Trier": "3"]) { "\($0) \($1)" }
            atlas.areas["a", default: 1] += 2
            atlas.heights.removeObject(for: "y")
        }
        #expect(atlas.parks["Ulm"] == "Friedrichsau 2" && atlas.parks["Trier"] == "3")
        #expect(atlas.areas["a"] == 3)
        #expect(atlas.heights.keys == ["x"])
        var pairs: [String] = []
        for (key, value) in atlas.parks.asKeyValueSequence() { pairs.append("\(key) \(value)") }
        #expect(pairs == ["Köln Stadtwald", "Trier 3", "Ulm Friedrichsau 2"])
        #expect(atlas.parks.contains { key, value in key == "Trier" && value == "3" })
        try realm.write { atlas.parks.removeAll() }
        #expect(atlas.parks.isEmpty && atlas.parks["Ulm"] == nil)
        #expect("\(atlas.heights)".contains("[x]: 1"))
    }

    @Test("an object in a map becomes nil when it is deleted, an embedded one ends with its entry")
    func objects() throws {
        let realm = try realm()
        let atlas = try realm.write {
            let atlas = Atlas(value: ["name": "a", "sheets": ["1": ["number": 1], "2": ["number": 2]]])
            atlas.neighbours["north"] = Atlas(value: ["name": "n"])
            atlas.neighbours["south"] = .some(nil)
            realm.add(atlas)
            return atlas
        }
        let sheet = try #require(atlas.sheets["1"] ?? nil)
        #expect(sheet.number == 1)
        #expect((atlas.neighbours["north"] ?? nil)?.name == "n")
        #expect(atlas.neighbours.where { $0.name == "n" }.count == 1)
        try realm.write {
            if let north = atlas.neighbours["north"] ?? nil { realm.delete(north) }
            atlas.sheets["1"] = nil
            atlas.sheets["2"] = Sheet(value: ["number": 20])
        }
        #expect(atlas.neighbours.keys == ["north", "south"])
        #expect(atlas.neighbours["north"] == .some(nil))
        #expect(sheet.isInvalidated)
        #expect((atlas.sheets["2"] ?? nil)?.number == 20 && atlas.sheets.count == 1)
        let copy = Atlas(value: atlas)
        #expect((copy.sheets["2"] ?? nil)?.number == 20 && copy.neighbours.count == 2)
    }

    @Test("creating with a dictionary replaces the content of a map")
    func update() throws {
        let realm = try realm()
        try realm.write {
            realm.create(Atlas.self, value: ["name": "a", "areas": ["x": 1.5, "y": 2]])
            realm.create(Atlas.self, value: ["name": "a", "areas": ["z": 3]], update: .modified)
        }
        let atlas = try #require(realm.object(ofType: Atlas.self, forPrimaryKey: "a"))
        #expect(atlas.areas.keys == ["z"] && atlas.areas["z"] == 3)
        #expect(atlas.areas.sum() == 3)
    }

    @Test("keys that a path could not name are refused")
    func keys() async {
        let dollar = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Atlas().parks["$a"] = "x"
        }
        let dot = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Atlas().parks["a.b"] = "x"
        }
        func words(_ result: ExitTest.Result?) -> String {
            String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        }
        #expect(words(dollar).contains("key must not start with '$'"))
        #expect(words(dot).contains("key must not contain '.'"))
    }

    @Test("observers hear the keys of a map")
    func observed() throws {
        let realm = try realm()
        let atlas = try realm.write {
            realm.create(Atlas.self, value: ["name": "a", "parks": ["a": "1", "b": "2"]])
        }
        var heard: [String] = []
        let token = atlas.parks.observe { change in
            switch change {
            case .initial(let map): heard.append("initial \(map.count)")
            case .update(_, let deletions, let insertions, let modifications):
                heard.append("\(deletions) \(insertions) \(modifications)")
            case .error: break
            }
        }
        realm.refresh()
        try realm.write {
            atlas.parks["a"] = nil
            atlas.parks["b"] = "3"
            atlas.parks["c"] = "4"
        }
        realm.refresh()
        try realm.write { realm.create(Atlas.self, value: ["name": "other"]) }
        realm.refresh()
        token.invalidate()
        #expect(heard == ["initial 2", #"["a"] ["c"] ["b"]"#])
    }

    @Test("queries reach into maps")
    func queries() throws {
        let realm = try realm()
        try realm.write {
            realm.create(Atlas.self, value: ["name": "a", "parks": ["Ulm": "Au"], "areas": ["x": 1, "y": 5]])
            let b = realm.create(Atlas.self, value: ["name": "b", "parks": ["Bonn": "Aue"], "areas": ["x": 3]])
            b.neighbours["a"] = realm.object(ofType: Atlas.self, forPrimaryKey: "a")
        }
        let all = realm.objects(Atlas.self)
        #expect(all.where { $0.parks["Ulm"] == "Au" }.map(\.name) == ["a"])
        #expect(all.where { $0.areas["x"] > 2 }.map(\.name) == ["b"])
        #expect(all.where { $0.parks["nowhere"] == "x" }.isEmpty)
        #expect(all.where { $0.parks.keys == "Bonn" }.map(\.name) == ["b"])
        #expect(all.where { $0.parks.keys.starts(with: "U") }.map(\.name) == ["a"])
        #expect(all.where { $0.parks.values == "Aue" }.map(\.name) == ["b"])
        #expect(all.where { $0.parks.contains("Aue") }.map(\.name) == ["b"])
        #expect(all.where { $0.areas.sum == 6 && $0.areas.max == 5 }.map(\.name) == ["a"])
        #expect(all.where { $0.areas.count == 1 }.map(\.name) == ["b"])
        #expect(all.filter("parks['Ulm'] == 'Au'").map(\.name) == ["a"])
        #expect(all.filter("parks[%@] == %@", "Ulm", "Au").map(\.name) == ["a"])
        #expect(all.filter("parks['Ulm'] == nil").map(\.name) == ["b"])
        #expect(all.filter("ANY parks.@keys BEGINSWITH 'B'").map(\.name) == ["b"])
        #expect(all.filter("parks.@allValues CONTAINS 'ue'").map(\.name) == ["b"])
        #expect(all.filter("areas.@min == 1 AND areas.@count == 2").map(\.name) == ["a"])
        #expect(all.filter("ANY neighbours.name == 'a'").map(\.name) == ["b"])
        #expect(all.filter("neighbours['a'] != nil").map(\.name) == ["b"])
    }
}
