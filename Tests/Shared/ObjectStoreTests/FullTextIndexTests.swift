import CausewayFolders
import CausewayModel
import CausewayQuery
import CausewaySeeds
import Testing

@testable import CausewayObjectStore

@Suite("Full-text indexes")
struct FullTextIndexTests {
    private static let seeds = SeedList.drawn(for: "full-text-index", count: 6)

    static func schema(isIndexed: Bool = true) -> Schema {
        Schema([
            ClassSchema(
                name: "Note",
                properties: [
                    Property(name: "id", type: .int, isPrimaryKey: true),
                    Property(name: "body", type: .string, isOptional: true, isFullTextIndexed: isIndexed),
                    Property(name: "title", type: .string, isIndexed: isIndexed, isFullTextIndexed: isIndexed),
                    Property(name: "next", type: .object, isOptional: true, target: "Note"),
                ])
        ])
    }

    private static let words = [
        "rex", "Rex", "REX", "dog", "dogs", "dogma", "Größe", "grosse", "cafe\u{301}", "café", "a", "I", "x86", "日本",
        "東京",
        String(repeating: "long", count: 20), "the", "the", "the", "the",
    ]

    private static func text(_ numbers: inout SeededNumbers) -> Value {
        if numbers.once(in: 9) { return .null }
        let separators = [" ", ", ", "-", "\n", " — "]
        return .string(
            (0..<numbers.one(of: [0, 1, 2, 3, 12])).map { _ in numbers.one(of: words) }
                .joined(separator: numbers.one(of: separators)))
    }

    private static func present(_ numbers: inout SeededNumbers) -> Value {
        let value = text(&numbers)
        return value.isNull ? .string("") : value
    }

    private static func search(_ numbers: inout SeededNumbers) -> String {
        (0..<numbers.one(of: [0, 1, 1, 1, 2, 3])).map { _ in
            let word = numbers.one(of: words)
            let cut = String(word.prefix(1 + numbers.below(word.count)))
            return (numbers.once(in: 4) ? "-" : "") + (numbers.once(in: 3) ? cut + "*" : word)
        }.joined(separator: " ")
    }

    private func compare(_ transaction: Transaction, _ numbers: inout SeededNumbers, _ when: String) throws -> Int {
        let notes = try transaction.existing("Note")
        var served = 0
        for number in 0..<30 {
            let property = numbers.one(of: ["body", "body", "title", "next.body"])
            let search = Self.search(&numbers)
            var text = "\(property) TEXT '\(search)'"
            if numbers.once(in: 5) { text += " AND title TEXT 'do*'" }
            if numbers.once(in: 5) { text = "NOT (\(text))" }
            let predicate = try Predicate.parse(text).bound(to: "Note", in: transaction.schema)
            let plan = QueryPlan(notes, predicate, scanCost: .infinity)
            let expected = notes.allKeys.filter { predicate.matches(StoredRow(table: notes, key: $0)) }
            if plan.explanation.contains("full-text index") { served += 1 }
            #expect(plan.keys() == expected, "\(when), \(number): \(text), \(plan.explanation)")
            #expect(plan.count() == expected.count, "\(when), \(number): \(text), \(plan.explanation)")
            // And by reading every text.
            #expect(try transaction.keys("Note", matching: .and([predicate, .constant(true)])) == expected)
            let scan = QueryPlan(notes, predicate, scanCost: 0)
            #expect(scan.keys() == expected, "\(when), \(number): \(text), \(scan.explanation)")
        }
        return served
    }

    private func change(_ transaction: Transaction, _ numbers: inout SeededNumbers, _ round: Int) throws {
        let notes = try transaction.existing("Note")
        var next = Int64(round) * 10_000 + 100
        for _ in 0..<100 {
            let keys = notes.allKeys
            switch numbers.below(10) {
            case 0..<4:
                next += 1
                let id = numbers.once(in: 4) ? Int64(numbers.below(40)) : next
                guard notes.key(for: .int(id)) == nil else { continue }
                _ = try notes.create(
                    .int(id),
                    row: [
                        .null, Self.text(&numbers), Self.present(&numbers),
                        keys.isEmpty ? .null : .object(numbers.one(of: keys)),
                    ])
            case 4:
                next += 1
                let row = try notes.beginRow(.int(next))
                row.set(0, next)
                notes.set(row, 1, Self.text(&numbers))
                Array("Rex the \(numbers.one(of: Self.words))".utf8).withUnsafeBytes { notes.set(row, 2, indexed: $0) }
                row.setNull(3)
            case 5 where numbers.once(in: 6):
                let rows = try notes.beginRows(.integers((0..<40).map { next + 1 + Int64($0) }))
                next += 40
                while let elements = rows.next() {
                    let first = rows.open()
                    for position in 0..<elements.count {
                        first.advanced(by: position).set(0, next - 39 + Int64(elements.lowerBound + position))
                        rows.set(position, 1, Self.text(&numbers))
                        rows.set(position, 2, Self.present(&numbers))
                        first.advanced(by: position).setNull(3)
                    }
                    rows.close()
                }
            case 6 where !keys.isEmpty: notes.delete(numbers.one(of: keys), leavingGhost: numbers.once(in: 2))
            case 7 where keys.count > 9: notes.delete((0..<4).map { _ in numbers.one(of: keys) })
            default:
                guard !keys.isEmpty else { continue }
                let column = numbers.one(of: [1, 2])
                notes.set(
                    numbers.one(of: keys), column, column == 1 ? Self.text(&numbers) : Self.present(&numbers))
            }
        }
    }

    @Test("what the index answers is what the texts say, through changes of every kind", arguments: seeds)
    func random(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let store = try openInMemory("full text \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema())
        try transaction.commit()
        var served = 0
        for round in 0..<5 {
            try transaction.beginWriting()
            try change(transaction, &numbers, round)
            served += try compare(transaction, &numbers, "seed \(seed), writing \(round)")
            if numbers.once(in: 4) { transaction.abort() } else { try transaction.commit() }
            served += try compare(transaction, &numbers, "seed \(seed), committed \(round)")
        }
        #expect(served > 60, "seed \(seed)")
    }

    @Test("an index that is added to a file knows its texts, and stays when nobody asks for it")
    func adding() throws {
        var numbers = SeededNumbers(seed: 3)
        let folder = try TemporaryFolder()
        let path = folder.file("added.causeway")
        do {
            let store = try ObjectStore.open(path: path)
            let transaction = try store.write()
            try transaction.extendSchema(Self.schema(isIndexed: false))
            try change(transaction, &numbers, 0)
            try transaction.commit()
            #expect(try compare(transaction, &numbers, "without") == 0)
            try transaction.beginWriting()
            try transaction.extendSchema(Self.schema())
            try transaction.commit()
            #expect(try compare(transaction, &numbers, "added") > 5)
            store.close()
        }
        let store = try ObjectStore.open(path: path)
        let transaction = try store.write()
        #expect(transaction.schema["Note"]?.properties.map(\.isFullTextIndexed) == [false, true, true, false])
        try transaction.extendSchema(Self.schema(isIndexed: false))
        try change(transaction, &numbers, 1)
        try transaction.commit()
        #expect(try compare(transaction, &numbers, "kept") > 5)
        let before = try store.read()
        try transaction.beginWriting()
        try transaction.restructure(to: Self.schema(isIndexed: false), before: before)
        try transaction.finishRestructuring(to: Self.schema(isIndexed: false))
        try change(transaction, &numbers, 2)
        try transaction.commit()
        #expect(try compare(transaction, &numbers, "migrated") > 5)
        // Whoever makes the text another property's type loses its words.
        var other = Self.schema(isIndexed: false).classes[0]
        other.properties[1] = Property(name: "body", type: .int)
        let old = try store.read()
        try transaction.beginWriting()
        try transaction.restructure(to: Schema([other]), before: old)
        try transaction.finishRestructuring(to: Schema([other]))
        try transaction.commit()
        let body = try #require(transaction.schema["Note"]?.properties.first { $0.name == "body" })
        #expect(body.type == .int && !body.isFullTextIndexed)
    }

    @Test("the plan intersects words, and reads texts only for what the index leaves open")
    func explaining() throws {
        let store = try openInMemory("full text explaining")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema())
        let notes = try transaction.existing("Note")
        for number in 0..<20_000 {
            let text =
                "note \(number) of kind\(number % 50) and group\(number % 30) the" + (number % 3 == 0 ? " third" : "")
            _ = try notes.create(.int(Int64(number)), row: [.null, .string(text), .string(""), .null])
        }
        try transaction.commit()
        for (text, count, explanation) in [
            ("body TEXT 'kind7'", 400, "full-text index on Note.body"),
            ("body TEXT 'kind7 group7'", 134, "full-text index on Note.body"),
            ("body TEXT 'kind7 -third'", 267, "full-text index on Note.body"),
            ("body TEXT 'note 1234*'", 11, "full-text index on Note.body, then scan Note.body"),
            ("body TEXT 'kind7 nothing'", 0, "full-text index on Note.body"),
            ("body TEXT 'kind7' AND id < 1000", 20, "full-text index on Note.body, then scan Note.id"),
            ("body TEXT '-the'", 0, "scan Note.body"),
        ] {
            let predicate = try Predicate.parse(text).bound(to: "Note", in: transaction.schema)
            #expect(transaction.explain("Note", matching: predicate) == explanation, "\(text)")
            #expect(try transaction.count("Note", matching: predicate) == count, "\(text)")
        }
    }
}
