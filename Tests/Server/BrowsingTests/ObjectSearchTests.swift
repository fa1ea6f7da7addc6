import CausewayAdmin
import CausewayModel
import CausewayObjectStore
import CausewaySeeds
import Testing

@testable import CausewayBrowsing

@Suite("A search, piece by piece")
struct ObjectSearchTests {
    /// What the test itself knows of a dog.
    private struct Dog {
        var key: ObjectKey
        var name: String
        var age: Int64
    }

    private static let schema = Schema([
        ClassSchema(
            name: "Dog",
            properties: [
                Property(name: "name", type: .string), Property(name: "age", type: .int, isIndexed: true),
                Property(name: "friend", type: .object, isOptional: true, target: "Dog"),
                Property(name: "litter", type: .object, collection: .list, target: "Dog"),
            ]),
        ClassSchema(name: "Collar", kind: .embedded, properties: [Property(name: "colour", type: .string)]),
    ])

    /// Makes dogs, and deletes some of them again.
    private func withDogs(
        _ count: Int, seed: UInt64, _ body: (BrowsedState, [Dog]) throws -> Void
    ) throws {
        var random = SeededNumbers(seed: seed)
        let store = try ObjectStore.open(
            path: "dogs-\(UInt64.random(in: 0...UInt64.max))", options: ObjectStore.Options(inMemory: true))
        defer { store.close() }
        let writing = try store.write()
        try writing.extendSchema(Self.schema)
        let table = try #require(writing.table("Dog"))
        var dogs: [Dog] = []
        for _ in 0..<count {
            let (name, age) = ("d\(random.next() % 50)", Int64(random.next() % 20))
            let key = try table.create(nil, row: [.string(name), .int(age), .null, .null])
            dogs.append(Dog(key: key, name: name, age: age))
        }
        for dog in dogs where dog.age == 13 { table.delete(dog.key) }
        dogs.removeAll { $0.age == 13 }
        try writing.commit()
        writing.end()
        let reading = try store.read()
        try body(BrowsedState(version: 1, reading, writing: { _, _, _ in }) { reading.end() }, dogs)
    }

    /// By name; equal names keep their order.
    private static func sorted(_ dogs: ArraySlice<Dog>) -> [Dog] {
        dogs.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    }

    private func found(
        _ text: String?, order: String? = nil, in state: BrowsedState, until isOver: () -> Bool = { false }
    ) throws -> [ObjectKey] {
        let search = try state.search("Dog", text, order: order)
        while try !search.go(until: isOver, within: .init(time: .seconds(60))) {}
        return search.found
    }

    @Test("finds what the text says, however often it gives way", arguments: SeedList.drawn(for: "search", count: 10))
    func answers(seed: UInt64) throws {
        try withDogs(3_000, seed: seed) { state, dogs in
            let age = Int64(seed % 20)
            let older = dogs.filter { $0.age > age }
            let byName = Self.sorted(older[...])
            var names: Set<String> = []
            let each = dogs.filter { names.insert($0.name).inserted }
            let wanted: [(text: String?, order: String?, keys: [ObjectKey])] = [
                (nil, nil, dogs.map(\.key)), ("  ", nil, dogs.map(\.key)),
                ("age > \(age)", nil, older.map(\.key)),
                ("age > \(age)", "name", byName.map(\.key)),
                ("age > \(age) SORT(name ASC)", nil, byName.map(\.key)),
                ("age > \(age) SORT(name ASC) LIMIT(7)", nil, byName.prefix(7).map(\.key)),
                ("age > \(age) LIMIT(7)", "name", Self.sorted(older.prefix(7)).map(\.key)),
                ("TRUEPREDICATE DISTINCT(name)", nil, each.map(\.key)),
                ("age == 13", nil, []),
            ]
            for (text, order, keys) in wanted {
                let label: Comment = "seed \(seed), \(text ?? "everything"), \(order ?? "no order")"
                let found = try found(text, order: order, in: state)
                #expect(found == keys, label)
                let stepwise = try self.found(text, order: order, in: state, until: { true })
                #expect(stepwise == keys, label)
                let whole = try state.search("Dog", text, order: order).all()
                #expect(whole == keys, label)
            }
        }
    }

    @Test("a search whose time is over is given up with a sentence")
    func time() throws {
        try withDogs(5_000, seed: 1) { state, _ in
            let search = try state.search("Dog", nil, order: nil)
            let failure = #expect(throws: AdminError.self) {
                while try !search.go(until: { true }, within: .init(time: .zero)) {}
            }
            #expect(failure?.code == .tooCostly)
        }
    }

    @Test(
        "what would take more work than its text shows is refused",
        arguments: [
            "litter.age == litter.age",
            String(repeating: " ", count: 70_000) + "age == 1",
            Array(repeating: "age == 1", count: 4_001).joined(separator: " OR "), "age ==", "nothing == 1",
            "age > 1 SORT(age ASC) SORT(name ASC) SORT(age ASC) SORT(name ASC) SORT(age ASC)",
            "age > 1 SORT(" + Array(repeating: "age ASC", count: 9).joined(separator: ", ") + ")",
        ])
    func refusals(text: String) throws {
        try withDogs(10, seed: 1) { state, _ in
            let failure = #expect(throws: AdminError.self) {
                try state.search("Dog", text, order: nil)
            }
            #expect(failure?.code == .queryInvalid, "\(text.prefix(60))")
        }
    }

    @Test("only so many searches run at a time, and one that ends makes room")
    func places() throws {
        let searches = Searches()
        var places: [Searches.Place] = []
        for _ in 0..<Searches.runningMax { places.append(try searches.enter()) }
        let failure = #expect(throws: AdminError.self) { try searches.enter() }
        #expect(failure?.code == .serverBusy)
        places.removeLast()
        places.append(try searches.enter())
        #expect(throws: AdminError.self) { try searches.enter() }
    }

    @Test("the last results are kept, and the ones that were not used longest go first")
    func kept() {
        let last = LastFound()
        func question(_ number: Int) -> LastFound.Question {
            LastFound.Question(version: UInt64(number), className: "Dog", text: "", order: "")
        }
        for number in 0..<LastFound.countMax { last.keep([ObjectKey(Int64(number))], for: question(number)) }
        #expect(last[question(0)] == [ObjectKey(0)])
        last.keep([], for: question(100))
        #expect(last[question(1)] == nil)
        #expect(last[question(0)] != nil && last[question(100)] == [])
    }
}
