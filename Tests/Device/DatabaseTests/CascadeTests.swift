import Causeway
import CausewaySeeds
import Foundation
import Testing

final class CascadeNode: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(deleteRule: .cascade) var next: CascadeNode?
    @Persisted(deleteRule: .cascade) var children: List<CascadeNode>
    @Persisted(deleteRule: .cascadeWhenLast) var shared: MutableSet<CascadeNode>
    @Persisted(deleteRule: .cascadeWhenLast) var named: Map<String, CascadeNode?>
    @Persisted(deleteRule: .nullify) var friend: CascadeNode?
    @Persisted var label: CascadeLabel?
}

final class CascadeLabel: EmbeddedObject {
    @Persisted var text = ""
    @Persisted var node: CascadeNode?
}

final class RuledPart: EmbeddedObject {
    @Persisted(deleteRule: .cascade) var node: CascadeNode?
}

final class RuledWhole: Object {
    @Persisted var part: RuledPart?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same stored class with two different rules.
final class BeforeRule: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var next: BeforeRule?

    override class func _realmObjectName() -> String? { "RuleChanges" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class AfterRule: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(deleteRule: .cascade) var next: AfterRule?

    override class func _realmObjectName() -> String? { "RuleChanges" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct CascadeTests {
    private static let seeds = SeedList.drawn(for: "cascades", count: 40)

    private func realm() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: "cascade-\(UUID())", objectTypes: [CascadeNode.self, CascadeLabel.self]))
    }

    private func ids(_ realm: Realm) -> Set<Int> { Set(realm.objects(CascadeNode.self).map(\.id)) }

    private func nodes(_ count: Int, in realm: Realm) -> [CascadeNode] {
        (0..<count).map { realm.create(CascadeNode.self, value: ["id": $0]) }
    }

    @Test("deleting an object deletes what its properties with a rule link to, and nothing else")
    func rules() throws {
        let realm = try realm()
        try realm.write {
            let nodes = nodes(12, in: realm)
            nodes[0].next = nodes[1]
            nodes[0].children.append(objectsIn: [nodes[2], nodes[3]])
            nodes[0].shared.insert(objectsIn: [nodes[4], nodes[5]])
            nodes[0].named["a"] = nodes[6]
            nodes[0].named["none"] = .some(nil)
            nodes[0].friend = nodes[7]
            nodes[0].label = CascadeLabel(value: ["text"])
            nodes[0].label?.node = nodes[8]
            nodes[9].children.append(nodes[3])
            nodes[10].shared.insert(nodes[5])
            nodes[11].friend = nodes[4]
        }
        try realm.write { realm.delete(realm.object(ofType: CascadeNode.self, forPrimaryKey: 0)!) }
        #expect(ids(realm) == [5, 7, 8, 9, 10, 11])
        #expect(realm.object(ofType: CascadeNode.self, forPrimaryKey: 9)?.children.isEmpty == true)
        #expect(realm.object(ofType: CascadeNode.self, forPrimaryKey: 11)?.friend == nil)
    }

    @Test("another value, and leaving a list, delete nothing; a rollback brings everything back")
    func onlyDeleting() throws {
        let realm = try realm()
        try realm.write {
            let nodes = nodes(4, in: realm)
            nodes[0].next = nodes[1]
            nodes[0].next = nodes[2]
            nodes[0].children.append(nodes[3])
            nodes[0].children.removeAll()
        }
        #expect(ids(realm) == [0, 1, 2, 3])
        realm.beginWrite()
        realm.delete(realm.object(ofType: CascadeNode.self, forPrimaryKey: 0)!)
        #expect(ids(realm) == [1, 3])
        realm.cancelWrite()
        #expect(ids(realm) == [0, 1, 2, 3])
    }

    @Test("a circle ends, and a chain as long as one likes goes without recursion")
    func circlesAndChains() throws {
        let realm = try realm()
        try realm.write {
            let nodes = nodes(4, in: realm)
            for index in 0..<4 { nodes[index].next = nodes[(index + 1) % 4] }
        }
        try realm.write { realm.delete(realm.objects(CascadeNode.self)[2]) }
        #expect(realm.objects(CascadeNode.self).isEmpty)
        try realm.write {
            var last: CascadeNode?
            for id in 0..<200_000 { last = realm.create(CascadeNode.self, value: ["id": id, "next": last as Any]) }
        }
        try realm.write { realm.delete(realm.object(ofType: CascadeNode.self, forPrimaryKey: 199_999)!) }
        #expect(realm.objects(CascadeNode.self).isEmpty)
    }

    @Test("what owns each other in a circle stays until one of it is deleted, and nothing owns itself")
    func sharedCircles() throws {
        let realm = try realm()
        try realm.write {
            let nodes = nodes(4, in: realm)
            nodes[0].shared.insert(nodes[1])
            nodes[1].shared.insert(nodes[2])
            nodes[2].shared.insert(nodes[1])
            nodes[0].named["self"] = nodes[3]
            nodes[3].named["self"] = nodes[3]
        }
        try realm.write { realm.delete(realm.object(ofType: CascadeNode.self, forPrimaryKey: 0)!) }
        #expect(ids(realm) == [1, 2])
        try realm.write { realm.delete(realm.object(ofType: CascadeNode.self, forPrimaryKey: 2)!) }
        #expect(ids(realm) == [])
    }

    /// What is left by the words of `DeleteRule`, without any order.
    private struct Reference {
        var cascades: [Int: Set<Int>] = [:]
        var whenLast: [Int: Set<Int>] = [:]

        func rest(of all: Set<Int>, deleting deleted: Set<Int>) -> Set<Int> {
            var gone = deleted
            while true {
                var more: Set<Int> = []
                for id in gone {
                    more.formUnion(cascades[id] ?? [])
                    for target in whenLast[id] ?? [] {
                        let owners = all.filter {
                            $0 != target && (cascades[$0]?.contains(target) ?? false)
                                || $0 != target && (whenLast[$0]?.contains(target) ?? false)
                        }
                        if owners.isSubset(of: gone) { more.insert(target) }
                    }
                }
                if more.isSubset(of: gone) { return all.subtracting(gone) }
                gone.formUnion(more)
            }
        }
    }

    @Test("of random graphs the same is left as the reference says, whatever was used to delete", arguments: 0..<4)
    func randomGraphs(_ block: Int) throws {
        for seed in Self.seeds.part(block, of: 4) {
            var random = SeededNumbers(seed: seed)
            let realm = try realm()
            let count = Int.random(in: 2...40, using: &random)
            var reference = Reference()
            try realm.write {
                let nodes = nodes(count, in: realm)
                for _ in 0..<count * Int.random(in: 1...2, using: &random) {
                    let (from, to) = (
                        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
                    )
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0:
                        guard nodes[from].next == nil else { break }
                        nodes[from].next = nodes[to]
                        reference.cascades[from, default: []].insert(to)
                    case 1:
                        nodes[from].children.append(nodes[to])
                        reference.cascades[from, default: []].insert(to)
                    case 2:
                        nodes[from].named["\(to)"] = nodes[to]
                        reference.whenLast[from, default: []].insert(to)
                    case 3: nodes[from].friend = nodes[to]
                    default:
                        nodes[from].shared.insert(nodes[to])
                        reference.whenLast[from, default: []].insert(to)
                    }
                }
            }
            let chosen = Set((0..<3).map { _ in Int.random(in: 0..<count, using: &random) })
            let way = Int.random(in: 0..<3, using: &random)
            try realm.write {
                switch way {
                case 0:
                    for id in chosen.sorted() {
                        if let node = realm.object(ofType: CascadeNode.self, forPrimaryKey: id) { realm.delete(node) }
                    }
                case 1: realm.delete(realm.objects(CascadeNode.self).where { $0.id.in(chosen) })
                default: realm.delete(Array(realm.objects(CascadeNode.self).where { $0.id.in(chosen) }))
                }
            }
            let expected = reference.rest(of: Set(0..<count), deleting: chosen)
            #expect(ids(realm) == expected, "seed \(seed), way \(way)")
            for node in realm.objects(CascadeNode.self) {
                #expect(node.children.allSatisfy { expected.contains($0.id) }, "seed \(seed)")
                #expect(node.next.map { expected.contains($0.id) } ?? true, "seed \(seed)")
            }
        }
    }

    @Test("the dynamic API and migrations follow the rules, which the file remembers and an app may change")
    func dynamicAndMigrations() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("cascade-\(UUID()).realm")
        defer { try? FileManager.default.removeItem(at: url) }
        func open(_ type: Object.Type, _ version: UInt64, _ block: @escaping MigrationBlock) throws -> Realm {
            try Realm(
                configuration: .init(
                    fileURL: url, schemaVersion: version, migrationBlock: block, objectTypes: [type]))
        }
        do {
            let realm = try open(BeforeRule.self, 1) { _, _ in }
            try realm.write {
                for start in [0, 10, 20, 30] {
                    let last = realm.create(BeforeRule.self, value: ["id": start + 1])
                    realm.create(BeforeRule.self, value: ["id": start, "next": last])
                }
                realm.delete(realm.object(ofType: BeforeRule.self, forPrimaryKey: 0)!)
            }
            #expect(realm.objects(BeforeRule.self).count == 7)
        }
        do {
            // The same version: a rule needs no migration.
            let realm = try open(AfterRule.self, 1) { _, _ in }
            try realm.write { realm.delete(realm.object(ofType: AfterRule.self, forPrimaryKey: 10)!) }
            #expect(Set(realm.objects(AfterRule.self).map(\.id)) == [1, 20, 21, 30, 31])
            try realm.write {
                realm.delete(realm.dynamicObjects("RuleChanges").filter("id == 20"))
            }
            #expect(Set(realm.objects(AfterRule.self).map(\.id)) == [1, 30, 31])
        }
        let realm = try open(AfterRule.self, 2) { migration, _ in
            migration.enumerateObjects(ofType: "RuleChanges") { _, new in
                if let new, new.id as? Int == 30 { migration.delete(new) }
            }
        }
        #expect(realm.objects(AfterRule.self).map(\.id) == [1])
    }

    @Test("a rule on a property of an embedded object is refused when the Realm opens")
    func refused() {
        #expect {
            try Realm(
                configuration: .init(
                    inMemoryIdentifier: "cascade-\(UUID())",
                    objectTypes: [CascadeNode.self, CascadeLabel.self, RuledWhole.self, RuledPart.self]))
        } throws: {
            "\($0)".contains("'RuledPart.node' cannot have a delete rule")
        }
    }
}
