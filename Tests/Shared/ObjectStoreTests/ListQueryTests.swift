import CausewayModel
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery
import Testing

@testable import CausewayObjectStore

@Suite("Queries through lists, leaf by leaf against row by row")
struct ListQueryTests {
    private static let seeds = SeedList.drawn(for: "list-queries", count: 4)

    @Test("quantifiers, aggregates and subqueries find what the row evaluator finds", arguments: seeds)
    func sameAsRows(seed: UInt64) throws {
        let store = try openInMemory("list queries \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(ListModel.schema)
        var people = RandomPeople(seed: seed)
        try people.fill(transaction, count: 1020)
        try expectSame(transaction, &people, 15, "while writing")
        try transaction.commit()
        try expectSame(transaction, &people, 60, "committed")
        try transaction.beginWriting()
        for _ in 0..<40 { try people.change(transaction) }
        try expectSame(transaction, &people, 40, "changed")
        transaction.abort()
        try expectSame(transaction, &people, 5, "undone")
    }

    private func expectSame(
        _ transaction: Transaction, _ people: inout RandomPeople, _ times: Int, _ when: String
    ) throws {
        let keys = try transaction.existing("Person").allKeys
        for _ in 0..<times {
            let (text, argument) = people.predicate(keys)
            let predicate = try Predicate.parse(text, arguments: [argument]).bound(
                to: "Person", in: ListModel.schema)
            let expected = keys.filter { transaction.matches($0, "Person", predicate) }
            let found = try transaction.keys("Person", matching: predicate)
            #expect(
                found == expected,
                "seed \(people.seed), \(when), \(text), \(transaction.explain("Person", matching: predicate))")
        }
    }

    @Test("what is gathered of a column is there once for a thousand aggregates, and is another after a write")
    func gathered() throws {
        final class Gathered {}
        let transaction = try openInMemory("gathered").write()
        try transaction.extendSchema(ListModel.schema)
        var people = RandomPeople(seed: 1)
        try people.fill(transaction, count: 20)
        try transaction.commit()
        let table = try transaction.existing("Person")
        var first: Gathered? = table.gathered(of: 1) { Gathered() }
        #expect(table.gathered(of: 1) { Gathered() } === first)
        #expect(table.gathered(of: 2) { Gathered() } !== first)
        let predicate = try Predicate.parse(
            (0..<1_000).map { "friends.@sum.number == \(10_000 + $0)" }.joined(separator: " OR ")
        ).bound(to: "Person", in: ListModel.schema)
        #expect(try transaction.keys("Person", matching: predicate).isEmpty)

        try transaction.beginWriting()
        for _ in 0..<40 { try people.change(transaction) }
        let written = table.gathered(of: 1) { Gathered() }
        #expect(written !== first)
        #expect(table.gathered(of: 1) { Gathered() } !== written, "each its own while something is written")
        try transaction.commit()
        #expect(table.gathered(of: 1) { Gathered() } !== first)
        weak let kept = first
        first = nil
        #expect(kept == nil, "nobody asks it any more")
    }

    @Test(
        "a list is asked as a whole, not element by element",
        arguments: [
            ("ANY friends.number == 3", "lists Person.friends of ("),
            ("ALL friends.number == 3", "lists Person.friends of (not "),
            ("ANY friends.numbers == 3", "lists Person.friends of (lists Person.numbers"),
            ("mate.friends.@count > 3", "follow Person.mate to lists Person.friends"),
            ("friends.@avg.number > 3", "lists Person.friends of Person.number"),
            ("numbers.@sum > 3", "lists Person.numbers"),
            ("ANY texts == 'a'", "lists Person.texts"),
            ("SUBQUERY(homes, $h, $h.code > 3 AND $h.city == 'a').@count > 0", "lists Person.homes of (("),
        ])
    func plans(text: String, plan: String) throws {
        let store = try openInMemory("list plans \(text)")
        let transaction = try store.write()
        try transaction.extendSchema(ListModel.schema)
        let predicate = try Predicate.parse(text).bound(to: "Person", in: ListModel.schema)
        let explanation = transaction.explain("Person", matching: predicate)
        #expect(explanation.hasPrefix(plan), "\(explanation)")
    }

    @Test("a sum of ints beyond an Int64 stays at its end, and NaN counts as the row evaluator counts it")
    func extremes() throws {
        let store = try openInMemory("list extremes")
        let transaction = try store.write()
        try transaction.extendSchema(ListModel.schema)
        let table = try transaction.existing("Person")
        let lists: [(ints: [Int64], reals: [Double])] = [
            ([.max, .max, 1], [.nan, 1]), ([.min, .min], [1, .nan]), ([.max, .min], [.infinity, -.infinity]), ([], []),
        ]
        for (index, list) in lists.enumerated() {
            let key = try table.create(.int(Int64(index)))
            table.listReplace(key, try ListModel.column("numbers"), list.ints.map { .int($0) })
            table.listReplace(key, try ListModel.column("reals"), list.reals.map { .double($0) })
        }
        try transaction.commit()
        for text in [
            "numbers.@sum == 9223372036854775807", "numbers.@sum == -9223372036854775808", "numbers.@sum == -1",
            "numbers.@avg > 1e18", "numbers.@avg == -0.5", "numbers.@avg == nil", "numbers.@max == nil",
            "reals.@min == 1", "reals.@max >= 1", "reals.@sum == nan", "reals.@sum != nan", "reals.@avg > 0",
            "ANY reals == nan", "ALL reals != nan", "reals.@min != nil", "numbers.@sum BETWEEN {-1, 0}",
        ] {
            let predicate = try Predicate.parse(text).bound(to: "Person", in: ListModel.schema)
            let expected = table.allKeys.filter { transaction.matches($0, "Person", predicate) }
            #expect(try transaction.keys("Person", matching: predicate) == expected, "\(text)")
        }
    }
}

/// One class with lists of every type, links to itself, and embedded objects.
enum ListModel {
    static let schema = Schema([
        ClassSchema(
            name: "Person",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "number", type: .int), Property(name: "maybe", type: .int, isOptional: true),
                Property(name: "single", type: .float), Property(name: "real", type: .double, isOptional: true),
                Property(name: "text", type: .string), Property(name: "born", type: .date, isOptional: true),
                Property(name: "mate", type: .object, isOptional: true, target: "Person"),
                Property(name: "friends", type: .object, collection: .list, target: "Person"),
                Property(name: "homes", type: .object, collection: .list, target: "Home"),
                Property(name: "numbers", type: .int, collection: .list),
                Property(name: "maybes", type: .int, collection: .list, isOptional: true),
                Property(name: "singles", type: .float, collection: .list),
                Property(name: "reals", type: .double, collection: .list, isOptional: true),
                Property(name: "flags", type: .bool, collection: .list, isOptional: true),
                Property(name: "texts", type: .string, collection: .list, isOptional: true),
                Property(name: "blobs", type: .data, collection: .list),
                Property(name: "dates", type: .date, collection: .list),
                Property(name: "oids", type: .objectId, collection: .list),
                Property(name: "uuids", type: .uuid, collection: .list, isOptional: true),
                Property(name: "decimals", type: .decimal128, collection: .list, isOptional: true),
            ]),
        ClassSchema(
            name: "Home", kind: .embedded,
            properties: [
                Property(name: "city", type: .string, isOptional: true), Property(name: "code", type: .int),
                Property(name: "owner", type: .object, isOptional: true, target: "Person"),
            ]),
    ])

    static func column(_ name: String) throws -> Int { try #require(schema["Person"]?.index(of: name)) }
}

/// People and questions about their lists, drawn from a seed: values that meet often, ghosts, repeated elements.
struct RandomPeople {
    let seed: UInt64
    private var numbers: SeededNumbers
    private var nextHome: UInt64 = 0

    init(seed: UInt64) {
        self.seed = seed
        numbers = SeededNumbers(seed: seed &+ 77)
    }

    // MARK: - Data

    mutating func fill(_ transaction: Transaction, count: Int) throws {
        let table = try transaction.existing("Person")
        for id in 0..<count {
            let row = (ListModel.schema["Person"]?.properties ?? []).map { property -> Value in
                property.isPrimaryKey
                    ? .int(Int64(id)) : property.collection == .list ? .null : value(property, table, id)
            }
            _ = try table.create(.int(Int64(id)), row: row)
        }
        for key in table.allKeys {
            for column in 8..<20 where !numbers.once(in: 3) { try setList(transaction, key, column) }
        }
        for _ in 0..<count / 20 { delete(table) }
    }

    mutating func change(_ transaction: Transaction) throws {
        let table = try transaction.existing("Person")
        let key = numbers.one(of: table.allKeys)
        switch numbers.below(8) {
        case 0: delete(table)
        case 1: _ = try table.create(.int(100_000 + Int64(numbers.below(1 << 30))))
        case 2, 3:
            let column = 1 + numbers.below(7)
            guard let property = ListModel.schema["Person"]?.properties[column] else { return }
            table.set(key, column, value(property, table, 100))
        default: try setList(transaction, key, 8 + numbers.below(12))
        }
    }

    private mutating func delete(_ table: Table) {
        table.delete(numbers.one(of: table.allKeys), leavingGhost: numbers.once(in: 2))
    }

    private mutating func setList(_ transaction: Transaction, _ key: ObjectKey, _ column: Int) throws {
        let table = try transaction.existing("Person")
        guard let property = ListModel.schema["Person"]?.properties[column] else { return }
        var values: [Value] = []
        for _ in 0..<numbers.one(of: [0, 1, 2, 5, 9]) {
            if let last = values.last, property.name == "friends", numbers.once(in: 5) { values.append(last) }
            let value = try property.target == "Home" ? home(transaction) : value(property, table, 1020)
            if !value.isNull || property.isOptional { values.append(value) }
        }
        table.listReplace(key, column, values)
    }

    private mutating func home(_ transaction: Transaction) throws -> Value {
        nextHome += 1
        let id = PrimaryKey.container(ElementID(client: ClientID(seed), counter: nextHome))
        let owner: Value =
            numbers.once(in: 3)
            ? .null
            : value(
                .init(
                    name: "owner", type: .object, isOptional: true, target: "Person"),
                try transaction.existing("Person"), 900)
        let city: Value = numbers.once(in: 4) ? .null : .string(numbers.one(of: ["a", "b", "abc"]))
        let key = try transaction.existing("Home").create(id, row: [city, .int(Int64(numbers.below(8))), owner])
        return .object(key)
    }

    private mutating func value(_ property: Property, _ table: Table, _ people: Int) -> Value {
        if property.isOptional, numbers.once(in: 4) { return .null }
        switch property.type {
        case .int where !numbers.once(in: 20): return .int(Int64(numbers.below(12)))
        case .double where !numbers.once(in: 20): return .double(Double(numbers.below(24)) / 2)
        case .object:
            let id = PrimaryKey.int(Int64(numbers.below(max(people, 1))))
            // Now and then somebody who is not here.
            if numbers.once(in: 20) { return .object(table.ghost(.int(Int64(5000 + numbers.below(20))))) }
            return table.keyOrGhost(for: id).map { .object($0) } ?? .null
        default: return RandomValues.value(of: property.type, &numbers)
        }
    }

    // MARK: - Questions

    mutating func predicate(_ keys: [ObjectKey]) -> (text: String, argument: Argument) {
        var parts = [condition("", keys.count)]
        if numbers.once(in: 4) { parts.append(condition("", keys.count)) }
        let argument = Argument.value(
            numbers.once(in: 6) ? .link(.int(Int64(numbers.below(6000)))) : .object(numbers.one(of: keys)))
        return (parts.joined(separator: numbers.one(of: [" AND ", " OR NOT "])), argument)
    }

    private mutating func condition(_ start: String, _ people: Int, depth: Int = 0) -> String {
        switch numbers.below(depth == 0 ? 8 : 5) {
        case 0, 1, 2: return quantified(start)
        case 3, 4: return aggregated(start)
        default: return subquery(start, people, depth)
        }
    }

    private static let order = ["==", "!=", "<", "<=", ">", ">="]

    private mutating func quantified(_ start: String) -> String {
        let (path, kind) = numbers.one(of: [
            ("friends.number", 0), ("friends.maybe", 1), ("friends.single", 0), ("friends.real", 1),
            ("friends.text", 2), ("friends.born", 3), ("friends.mate.number", 1), ("friends.numbers", 0),
            ("friends.maybes", 1), ("friends.friends.number", 0), ("friends.homes.code", 0), ("friends", 4),
            ("mate.friends.number", 0), ("mate.numbers", 1), ("mate.friends", 4), ("homes.code", 0), ("homes.city", 2),
            ("homes.owner.number", 1), ("homes.owner.friends.number", 0), ("numbers", 0), ("maybes", 1),
            ("singles", 0), ("reals", 1), ("flags", 5), ("texts", 2), ("blobs", 6), ("dates", 3), ("oids", 7),
            ("uuids", 8), ("mate.mate.friends.real", 1),
        ])
        let prefix = numbers.one(of: ["ANY", "ALL", "NONE"]) + " \(start)\(path) "
        let number = "\(numbers.below(12))" + numbers.one(of: ["", "", ".5"])
        switch kind {
        case 0, 1:
            if numbers.once(in: 5) { return prefix + "IN {\(number), 3, 1e300}" }
            if numbers.once(in: 5) { return prefix + "BETWEEN {\(numbers.below(6)), \(numbers.below(12))}" }
            return kind == 1 && numbers.once(in: 4)
                ? prefix + numbers.one(of: ["== nil", "!= nil"]) : prefix + numbers.one(of: Self.order) + " " + number
        case 2:
            return prefix + numbers.one(of: ["== 'a'", "CONTAINS 'b'", "==[c] 'ABC'", "IN {'a', 'dog'}", "LIKE '*a*'"])
        case 3: return prefix + numbers.one(of: Self.order) + " T\(numbers.below(12)):0"
        case 4: return prefix + numbers.one(of: ["== $0", "!= $0", "IN {$0}"])
        case 5: return prefix + numbers.one(of: ["== true", "!= true", "IN {false}", "IN {}"])
        case 6: return prefix + numbers.one(of: ["== B64\"AA==\"", "CONTAINS B64\"QQ==\""])
        case 7: return prefix + numbers.one(of: ["==", "!="]) + " oid(100000000000000000000001)"
        default: return prefix + numbers.one(of: ["==", "!="]) + " uuid(10000000-0000-0000-0000-000000000001)"
        }
    }

    private mutating func aggregated(_ start: String) -> String {
        let list = numbers.one(of: ["friends", "mate.friends", "homes", "homes.owner", "numbers", "mate.numbers"])
        if numbers.once(in: 4), list != "homes.owner" {
            return "\(start)\(list).@count " + numbers.one(of: Self.order) + " \(numbers.below(9))"
        }
        let (before, after) = numbers.one(of: [
            ("friends.", ".number"), ("friends.", ".maybe"), ("friends.", ".single"), ("friends.", ".real"),
            ("friends.mate.", ".number"), ("mate.friends.", ".real"), ("mate.friends.", ".maybe"), ("homes.", ".code"),
            ("homes.owner.", ".number"), ("numbers.", ""), ("maybes.", ""), ("singles.", ""), ("reals.", ""),
            ("mate.numbers.", ""), ("friends.", ".born"), ("dates.", ""),
        ])
        if after == ".born" || before == "dates." {
            return "\(start)\(before)\(numbers.one(of: ["@min", "@max"]))\(after) "
                + numbers.one(of: ["== nil", "> T3:0", "<= T5:0"])
        }
        let aggregate = numbers.one(of: ["@min", "@max", "@sum", "@avg"])
        let path = "\(start)\(before)\(aggregate)\(after) "
        if aggregate != "@sum", numbers.once(in: 5) { return path + numbers.one(of: ["== nil", "!= nil"]) }
        if numbers.once(in: 6) { return path + "BETWEEN {\(numbers.below(6)), \(numbers.below(40))}" }
        if numbers.once(in: 8) { return path + "IN {1, 5, 7.5, 30}" }
        return path + numbers.one(of: Self.order) + " \(numbers.below(aggregate == "@sum" ? 60 : 12))"
    }

    private mutating func subquery(_ start: String, _ people: Int, _ depth: Int) -> String {
        let list = numbers.one(of: ["friends", "friends", "mate.friends", "homes"])
        var parts: [String] = []
        for _ in 0..<1 + numbers.below(3) {
            if list == "homes" {
                parts.append(
                    numbers.one(of: [
                        "$x.code > 3", "$x.city == 'a'", "$x.city == nil", "NOT $x.owner.number == 5", "$x.owner != $0",
                    ]))
            } else if depth < 1, numbers.once(in: 4) {
                parts.append(condition("$x.", people, depth: 2))
            } else {
                parts.append(
                    numbers.one(of: [
                        "$x.number > 3", "$x.maybe == nil", "NOT $x.real < 4", "$x.text BEGINSWITH 'a'",
                        "$x.mate.number != 2", "$x.mate == $0", "$x.number < $x.maybe",
                    ]))
            }
        }
        let condition = parts.joined(separator: numbers.one(of: [" AND ", " OR "]))
        let count = numbers.one(of: ["> 0", "== 0", "> 1", "<= 2", "!= 1", "BETWEEN {1, 3}", "IN {0, 2}"])
        return "SUBQUERY(\(start)\(list), $x, \(condition)).@count \(count)"
    }
}
