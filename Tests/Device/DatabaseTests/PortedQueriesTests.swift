import Causeway
import Foundation
import Testing

class PortedNode: Object {
    @Persisted var n = 0
    @Persisted var limit = 0
    @Persisted var isOn = false
    @Persisted var name = ""
    @Persisted var kind = PortedKind.small
    @Persisted var lastStatus: PortedStatus?
    @Persisted var anything: AnyRealmValue
    @Persisted var parent: PortedNode?
    @Persisted var nodes: List<PortedNode>
    @Persisted var numbers: List<Int>
    @Persisted var byName: Map<String, Int>
    @Persisted var statuses: List<PortedStatus>
    @Persisted var statusesByName: Map<String, PortedStatus>
    @Persisted var lastStatuses: MutableSet<PortedStatus?>
    @Persisted var codes: List<PortedCode>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A condition and the text that RealmSwift gives for it.
private struct Spelling: Sendable, CustomTestStringConvertible {
    let text: String
    let argumentCount: Int
    let condition: @Sendable (Query<PortedNode>) -> Query<Bool>

    init(_ text: String, _ argumentCount: Int, _ condition: @escaping @Sendable (Query<PortedNode>) -> Query<Bool>) {
        (self.text, self.argumentCount, self.condition) = (text, argumentCount, condition)
    }

    var testDescription: String { text }

    static let all = [
        Spelling("(n == %@)", 1) { $0.n == 1 },
        Spelling("(n > limit)", 0) { $0.n > $0.limit },
        Spelling("(NOT n == %@)", 1) { !($0.n == 1) },
        Spelling("(n BETWEEN {%@, %@})", 2) { $0.n.contains(1...2) },
        Spelling("(NOT n BETWEEN {%@, %@})", 2) { !$0.n.contains(1...2) },
        Spelling("((n >= %@) && (n < %@))", 2) { $0.n.contains(1..<2) },
        Spelling("(n IN %@)", 1) { $0.n.in([1, 2]) },
        Spelling("(name BEGINSWITH[cd] %@)", 1) {
            $0.name.starts(with: "a", options: [.caseInsensitive, .diacriticInsensitive])
        },
        Spelling("(name CONTAINS %@)", 1) { $0.name.contains("a") },
        Spelling("(name LIKE[c] %@)", 1) { $0.name.like("a*", caseInsensitive: true) },
        Spelling("(((n == %@) && (n == %@)) && (n == %@))", 3) { $0.n == 1 && $0.n == 2 && $0.n == 3 },
        Spelling("((n == %@) && ((n == %@) && (n == %@)))", 3) { $0.n == 1 && ($0.n == 2 && $0.n == 3) },
        Spelling("((n == %@) || ((n == %@) && (n == %@)))", 3) { $0.n == 1 || $0.n == 2 && $0.n == 3 },
        Spelling("NOT ((n == %@) || (n == %@))", 2) { !($0.n == 1 || $0.n == 2) },
        Spelling("isOn == true", 0) { $0.isOn },
        Spelling("isOn == false", 0) { !$0.isOn },
        Spelling("(isOn == %@)", 1) { $0.isOn == true },
        Spelling("((n == %@) && isOn == true)", 1) { $0.n == 1 && $0.isOn },
        Spelling("(parent.parent.n == %@)", 1) { $0.parent.parent.n == 1 },
        Spelling("(ANY nodes.n == %@)", 1) { $0.nodes.n == 1 },
        Spelling("(ANY nodes.n IN %@)", 1) { $0.nodes.n.containsAny(in: [1]) },
        Spelling("(ANY numbers > %@)", 1) { $0.numbers > 1 },
        Spelling("(%@ IN numbers)", 1) { $0.numbers.contains(1) },
        Spelling("(ANY numbers IN %@)", 1) { $0.numbers.containsAny(in: [1]) },
        Spelling("((numbers.@min >= %@) && (numbers.@max <= %@))", 2) { $0.numbers.contains(1...2) },
        Spelling("(numbers.@count == %@)", 1) { $0.numbers.count == 1 },
        Spelling("(numbers.@sum == %@)", 1) { $0.numbers.sum == 1 },
        Spelling("(nodes.@avg.n == %@)", 1) { $0.nodes.n.avg == 1 },
        Spelling("(%@ IN byName)", 1) { $0.byName.contains(1) },
        Spelling("(ANY byName.@allKeys == %@)", 1) { $0.byName.keys == "a" },
        Spelling("(ANY byName.@allValues == %@)", 1) { $0.byName.values == 1 },
        Spelling("(byName[%@] == %@)", 2) { $0.byName["a"] == 1 },
        Spelling("(anything[%@] == %@)", 2) { $0.anything[0] == .int(1) },
        Spelling("(anything[%@][%@] == %@)", 3) { $0.anything["a"]["b"] == .int(1) },
        Spelling("(anything[#any] == %@)", 1) { $0.anything.any == .int(1) },
        Spelling("(kind == %@)", 1) { $0.kind == .medium },
        Spelling("(SUBQUERY(nodes, $col1, ($col1.n == %@)).@count > %@)", 2) { ($0.nodes.n == 1).count > 0 },
        Spelling("(SUBQUERY(nodes, $col1, (($col1.n == %@) && $col1.isOn == true)).@count > %@)", 2) {
            ($0.nodes.n == 1 && $0.nodes.isOn).count > 0
        },
        Spelling(
            "((SUBQUERY(nodes, $col1, ($col1.n == %@)).@count > %@) && (SUBQUERY(nodes, $col2, ($col2.n == %@)).@count > %@))",
            4
        ) { ($0.nodes.n == 1).count > 0 && ($0.nodes.n == 2).count > 0 },
    ]
}

/// Typed conditions, as apps for RealmSwift write them.
@Suite("Conditions of an app that comes from RealmSwift")
struct PortedQueriesTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [PortedNode.self, PortedToy.self]))
    }

    @Test("a condition is shown in RealmSwift's words, and they mean the same here", arguments: Spelling.all)
    fileprivate func spelling(_ spelling: Spelling) throws {
        let (text, arguments) = spelling.condition(Query<PortedNode>._constructForTesting())._constructPredicate()
        #expect(text == spelling.text && arguments.count == spelling.argumentCount)
        let realm = try realm()
        try realm.write {
            for n in 0..<4 {
                let inner = PortedNode(value: ["n": 3 - n, "isOn": n < 2] as [String: Any])
                realm.create(
                    PortedNode.self,
                    value: [
                        "n": n, "limit": 1, "isOn": n > 1, "name": ["a", "Á", "b", ""][n], "kind": n % 3 + 1,
                        "anything": [["b": n], 1] as [Any], "parent": inner, "nodes": [inner], "numbers": [n, 1],
                        "byName": ["a": n],
                    ] as [String: Any])
            }
        }
        let nodes = realm.objects(PortedNode.self)
        let typed = nodes.where(spelling.condition)
        let read = nodes.filter(NSPredicate(format: text, argumentArray: arguments))
        #expect(read.elementsEqual(typed) { $0.isSameObject(as: $1) })
    }

    @Test("in the condition of a count, a path without the collection begins at the element, and so does a subquery")
    func subqueries() throws {
        let realm = try realm()
        let leaf = PortedNode(value: ["n": 1] as [String: Any])
        let small = PortedNode(value: ["n": 3, "limit": 5, "nodes": [leaf]] as [String: Any])
        let large = PortedNode(value: ["n": 7, "limit": 5] as [String: Any])
        try realm.write {
            realm.add(PortedNode(value: ["n": 100, "name": "both", "nodes": [small, large]] as [String: Any]))
            realm.add(PortedNode(value: ["n": 200, "name": "large", "nodes": [large]] as [String: Any]))
        }
        func names(_ condition: (Query<PortedNode>) -> Query<Bool>) -> [String] {
            realm.objects(PortedNode.self).where(condition).map(\.name).filter { !$0.isEmpty }
        }
        #expect(names { ($0.nodes.n < $0.limit).count == 1 } == ["both"])
        #expect(names { ($0.nodes.n > 2 && ($0.nodes.n == 1).count > 0).count == 1 } == ["both"])
    }

    @Test("raw and persisted values of collections")
    func rawValues() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                PortedNode.self,
                value: [
                    "statuses": ["open", "done"], "statusesByName": ["a": "waiting"], "lastStatus": "open",
                    "lastStatuses": ["done"], "codes": ["x", "y"],
                ] as [String: Any])
        }
        func count(_ condition: (Query<PortedNode>) -> Query<Bool>) -> Int {
            realm.objects(PortedNode.self).where(condition).count
        }
        #expect(count { $0.statuses.rawValue.contains("open") } == 1)
        #expect(count { $0.statuses.rawValue.containsAny(in: ["nothing"]) } == 0)
        #expect(count { $0.statuses.rawValue == "gone" } == 0)
        #expect(count { $0.lastStatuses.rawValue.contains("done") } == 1)
        #expect(count { $0.statusesByName.rawValue.contains("waiting") } == 1)
        #expect(count { $0.statusesByName.persistableValue.contains("open") } == 0)
        #expect(count { $0.codes.persistableValue.contains("y") } == 1)
        #expect(count { $0.lastStatus.rawValue.contains("pe") && $0.lastStatus.rawValue.starts(with: "o") } == 1)
        #expect(count { $0.lastStatus.rawValue.like("*n") } == 1)
        #expect(count { $0.kind.persistableValue > 1 } == 0)
    }

    @Test("no mixed value leads to an object that no Realm manages")
    func unmanagedObject() throws {
        let realm = try realm()
        let toy = try realm.write { realm.create(PortedToy.self) }
        try realm.write {
            realm.add(PortedNode(value: ["anything": toy]))
            realm.add(PortedNode(value: ["anything": 1]))
        }
        let nodes = realm.objects(PortedNode.self)
        #expect(nodes.where { $0.anything == .object(toy) }.count == 1)
        #expect(nodes.where { $0.anything == .object(PortedToy()) }.isEmpty)
        #expect(nodes.where { $0.anything != .object(PortedToy()) }.count == 2)
        #expect(nodes.where { $0.anything.in([.object(PortedToy()), .int(1)]) }.count == 1)
        #expect(nodes.filter("anything == %@", AnyRealmValue.object(PortedToy())).isEmpty)
    }

    @Test("a collection that no Realm manages tells the objects of two Realms apart")
    func objectsOfTwoRealms() throws {
        let (realm, other) = (try portedRealm(), try portedRealm())
        let mine = try realm.write { realm.create(PortedToy.self) }
        let theirs = try other.write { other.create(PortedToy.self) }
        let dog = PortedDog(value: ["toy": mine])
        let dogs = List<PortedDog>()
        dogs.append(objectsIn: [PortedDog(), dog])
        #expect(dogs.index(matching: { $0.toy == mine }) == 1)
        #expect(dogs.index(matching: { $0.toy == theirs }) == nil)
        #expect(dogs.index(matching: "toy == %@", theirs) == nil)
        // Both toys have the first key of their files.
        dogs.append(PortedDog(value: ["toy": theirs, "name": "Rex"]))
        try mine.realm?.write { mine.name = "mine" }
        try theirs.realm?.write { theirs.name = "theirs" }
        #expect(dogs.index(matching: "toy.name == 'mine'") == 1)
        #expect(dogs.index(matching: "toy.name == 'theirs'") == 2)
    }
}
