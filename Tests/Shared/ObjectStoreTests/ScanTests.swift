import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery
import Testing

@Suite("Scans against the row evaluator")
struct ScanTests {
    private static let seeds = SeedList.drawn(for: "scans", count: 8)

    @Test("a scan finds what the row evaluator finds, on leaves of every form", arguments: seeds)
    func everyForm(seed: UInt64) throws {
        let store = try openInMemory("scans \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(ScanModel.schema)
        var rows = ScanRows(seed: seed)
        try rows.fill(transaction)
        try expectSame(transaction, &rows, times: 60, "while writing")
        try transaction.commit()
        try expectSame(transaction, &rows, times: 140, "committed")
        try transaction.beginWriting()
        try rows.change(transaction)
        try expectSame(transaction, &rows, times: 60, "changed")
        try transaction.commit()
        try expectSame(transaction, &rows, times: 140, "with dead slots")
    }

    private func expectSame(
        _ transaction: Transaction, _ rows: inout ScanRows, times: Int, _ when: String
    ) throws {
        let keys = try transaction.existing("Scanned").allKeys
        for number in 0..<times {
            let predicate = rows.predicate(depth: 0)
            let expected = keys.filter { transaction.matches($0, "Scanned", predicate) }
            let found = try transaction.keys("Scanned", matching: predicate)
            let how = "seed \(rows.seed), \(when), \(number), \(predicate)"
            #expect(found == expected, "\(how), \(transaction.explain("Scanned", matching: predicate))")
            #expect(try transaction.count("Scanned", matching: predicate) == expected.count, "\(how)")
            let first = keys.isEmpty ? ObjectKey(0) : keys[rows.numbers.below(keys.count)]
            let range = first...ObjectKey(first.rawValue + Int64(rows.numbers.one(of: [0, 1, 70, 1_000, 100_000])))
            #expect(
                try transaction.keys("Scanned", matching: predicate, in: range) == expected.filter(range.contains),
                "\(range), \(how)")
            let limit = rows.numbers.one(of: [0, 1, 2, 1500])
            #expect(
                try transaction.firstKeys("Scanned", matching: predicate, limit: limit)
                    == Array(expected.prefix(limit)), "\(how)")
        }
    }

    @Test("a hit that lies in two strings is none")
    func borders() throws {
        let store = try openInMemory("borders")
        let transaction = try store.write()
        try transaction.extendSchema(ScanModel.schema)
        let table = try transaction.existing("Scanned")
        var row = ScanModel.emptyRow
        // So many that the leaf is not coded, and one of them has the needle.
        for number in 0..<900 {
            row[ScanModel.text] = .string(number == 500 ? "xyz" : number % 2 == 0 ? "\(number)x" : "yz\(number)")
            _ = try table.create(nil, row: row)
        }
        try transaction.commit()
        let predicates: [(CausewayQuery.Comparator, String)] = [(.contains, "xyz"), (.like, "*xyz*"), (.equal, "xyz")]
        for (comparator, needle) in predicates {
            let predicate = ScanModel.comparison([ScanModel.text], comparator, .value(.string(needle)))
            #expect(try transaction.count("Scanned", matching: predicate) == 1, "\(comparator)")
        }
    }
}

/// A class with every kind of column and links two deep.
enum ScanModel {
    static let schema = Schema([scanned, target])

    static let scanned = ClassSchema(
        name: "Scanned",
        properties: [
            Property(name: "int", type: .int),
            Property(name: "optionalInt", type: .int, isOptional: true),
            Property(name: "float", type: .float),
            Property(name: "double", type: .double),
            Property(name: "optionalDouble", type: .double, isOptional: true),
            Property(name: "text", type: .string),
            Property(name: "optionalText", type: .string, isOptional: true),
            Property(name: "data", type: .data, isOptional: true),
            Property(name: "date", type: .date),
            Property(name: "optionalDate", type: .date, isOptional: true),
            Property(name: "oid", type: .objectId, isOptional: true),
            Property(name: "uuid", type: .uuid),
            Property(name: "flag", type: .bool),
            Property(name: "optionalFlag", type: .bool, isOptional: true),
            Property(name: "decimal", type: .decimal128),
            Property(name: "target", type: .object, isOptional: true, target: "Target"),
            Property(name: "second", type: .object, isOptional: true, target: "Target"),
        ])
    static let text = 5
    static let firstLink = 15

    static let target = ClassSchema(
        name: "Target",
        properties: [
            Property(name: "id", type: .int, isPrimaryKey: true),
            Property(name: "text", type: .string, isOptional: true),
            Property(name: "number", type: .int),
            Property(name: "next", type: .object, isOptional: true, target: "Target"),
        ])

    static let emptyRow: [Value] = scanned.properties.map { property in
        switch property.type {
        case _ where property.isOptional: .null
        case .int: .int(0)
        case .float: .float(0)
        case .double: .double(0)
        case .string: .string("")
        case .date: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
        case .uuid: .uuid(UUID16(high: 0, low: 0))
        case .decimal128: .decimal(.zero)
        default: .bool(false)
        }
    }

    /// A comparison along a path that begins in `Scanned`.
    static func comparison(
        _ path: [Int], _ comparator: CausewayQuery.Comparator, _ operand: Operand, _ options: TextOptions = []
    ) -> BoundPredicate {
        .comparison(
            BoundComparison(
                quantifier: .implied, path: boundPath(path), comparator: comparator, options: options,
                operand: operand))
    }

    static func boundPath(_ path: [Int]) -> BoundPath {
        var known = scanned
        return BoundPath(
            steps: path.map { index in
                let property = known.properties[index]
                defer { known = target }
                return BoundPath.Step(
                    className: known.name, property: index, type: property.type, collection: .none,
                    target: property.target)
            })
    }
}
