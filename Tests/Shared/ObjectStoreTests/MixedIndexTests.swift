import CausewayModel
import CausewayQuery
import CausewaySeeds
import Testing

@testable import CausewayObjectStore

@Suite("Indexes of mixed values")
struct MixedIndexTests {
    private static let seeds = SeedList.drawn(for: "mixed-index", count: 6)

    static func schema(isIndexed: Bool = true) -> Schema {
        Schema([
            ClassSchema(
                name: "Box",
                properties: [
                    Property(name: "id", type: .int, isPrimaryKey: true),
                    Property(name: "any", type: .mixed, isIndexed: isIndexed),
                    Property(name: "weight", type: .int),
                ])
        ])
    }

    /// Numbers that are equal in some types and not in others, around every edge; texts, long ones too; links.
    static func value(_ numbers: inout SeededNumbers) -> Value {
        let amounts: [Double] = [
            0, -0.0, 1, 0.1, 0.5, 1.5, 5, 16_777_215, 16_777_216, 16_777_217, 33_554_434, 134_217_744, 0x1p53,
            0x1p53 + 2,
            0x1p62, 9_223_372_036_854_774_784, 0x1p63, 1e10, 1e22, 3.4028234e38, 3.4028235e38, 0x1p128, 1e300,
            .infinity,
            .nan, 1e-45, 1e-300, Double(Float(0.1)), Double(Float(0.3)), 0.3,
        ]
        var amount = numbers.one(of: amounts)
        if numbers.once(in: 3) { amount = -amount }
        if numbers.once(in: 6) { amount = numbers.once(in: 2) ? amount.nextUp : amount.nextDown }
        switch numbers.below(16) {
        case 0: return .null
        case 1: return .bool(numbers.once(in: 2))
        case 2: return .int(Int64(exactly: amount.rounded()) ?? numbers.one(of: [.max, .min, .max - 1]))
        case 3: return .int(Int64(numbers.below(6)) + (numbers.once(in: 3) ? 1 << 53 : 0))
        case 4: return .float(Float(amount))
        case 5, 6: return .double(amount)
        case 7: return .decimal(DecimalNumber(reading: amount))
        case 8: return .decimal(DecimalNumber(reading: Float(amount)))
        case 9:
            return .decimal(
                DecimalNumber(
                    numbers.one(of: ["5.00", "0.1000000000000000000000001", "1E+6000", "-0", "9223372036854775807"]))
                    ?? .zero)
        case 10, 11:
            let text = numbers.one(of: [
                "", "a", "ab", "abc", "b", "\u{0}", "a\u{0}", String(repeating: "long", count: 60),
            ])
            return numbers.once(in: 3) ? .bytes(Array(text.utf8)) : .string(text)
        case 12: return .bytes(numbers.one(of: [[255], [0x61, 255], []]))
        case 13: return .timestamp(Timestamp(seconds: Int64(numbers.below(3)), nanoseconds: 0))
        case 14:
            return numbers.once(in: 2)
                ? .uuid(UUID16(high: 1, low: UInt64(numbers.below(3))))
                : .objectId(ObjectIdentifier12(high: 1, low: UInt32(numbers.below(3))))
        default:
            return .anyLink(ClassedLink(numbers.one(of: ["Box", "Box", "Unknown"]), .int(Int64(numbers.below(40)))))
        }
    }

    private static func predicate(_ numbers: inout SeededNumbers) -> BoundPredicate {
        let path = BoundPath(steps: [.init(className: "Box", property: 1, type: .mixed, collection: .none, target: nil)]
        )
        func present(_ numbers: inout SeededNumbers) -> Value {
            while true {
                let value = value(&numbers)
                if !value.isNull { return value }
            }
        }
        let comparator = numbers.one(of: [
            Comparator.equal, .equal, .in, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith,
        ])
        let operand: Operand =
            switch comparator {
            case .in: .values((0..<numbers.below(5)).map { _ in value(&numbers) })
            case .between: .values([present(&numbers), present(&numbers)])
            case .equal: .value(value(&numbers))
            default: .value(present(&numbers))
            }
        return .comparison(
            BoundComparison(quantifier: .implied, path: path, comparator: comparator, options: [], operand: operand))
    }

    private func compare(_ transaction: Transaction, _ numbers: inout SeededNumbers, _ when: String) throws -> Int {
        let boxes = try transaction.existing("Box")
        var served = 0
        for number in 0..<40 {
            var predicate = Self.predicate(&numbers)
            if numbers.once(in: 4) { predicate = .and([predicate, Self.predicate(&numbers)]) }
            let plan = QueryPlan(boxes, predicate, scanCost: .infinity)
            let expected = boxes.allKeys.filter { predicate.matches(StoredRow(table: boxes, key: $0)) }
            if plan.entrance != nil { served += 1 }
            #expect(plan.keys() == expected, "\(when), \(number): \(predicate), \(plan.explanation)")
            #expect(plan.count() == expected.count, "\(when), \(number): \(predicate), \(plan.explanation)")
        }
        return served
    }

    @Test("a value of several is found though the range around it begins where another's does")
    func oneBeginning() throws {
        let store = try openInMemory("mixed index, one beginning")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema())
        let boxes = try transaction.existing("Box")
        let least = Value.float(-.greatestFiniteMagnitude)
        for number in 0..<50 {
            boxes.set(try boxes.create(.int(Int64(number))), 1, number == 7 ? least : .int(Int64(number)))
        }
        let path = BoundPath(steps: [.init(className: "Box", property: 1, type: .mixed, collection: .none, target: nil)]
        )
        // In what order they are looked for is another in each run, and follows from how many there are.
        for others in 0..<40 {
            let predicate = BoundPredicate.comparison(
                BoundComparison(
                    quantifier: .implied, path: path, comparator: .in, options: [],
                    operand: .values(
                        [.decimal(-DecimalNumber.infinity), least] + (0..<others).map { .int(Int64(1_000 + $0)) })))
            let plan = QueryPlan(boxes, predicate, scanCost: .infinity)
            #expect(plan.entrance != nil && plan.keys().count == 1 && plan.count() == 1)
        }
    }

    @Test("what the index answers is what the values say, through changes of every kind", arguments: seeds)
    func random(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let store = try openInMemory("mixed index \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema())
        var served = 0
        for round in 0..<5 {
            if round > 0 { try transaction.beginWriting() }
            try change(transaction, &numbers, round)
            served += try compare(transaction, &numbers, "seed \(seed), writing \(round)")
            if numbers.once(in: 4) {
                transaction.abort()
                if round == 0 {
                    try transaction.beginWriting()
                    try transaction.extendSchema(Self.schema())
                    try transaction.commit()
                }
            } else {
                try transaction.commit()
            }
            served += try compare(transaction, &numbers, "seed \(seed), committed \(round)")
        }
        #expect(served > 100, "seed \(seed)")
    }

    private func change(_ transaction: Transaction, _ numbers: inout SeededNumbers, _ round: Int) throws {
        let boxes = try transaction.existing("Box")
        var next = Int64(round) * 10_000 + 100
        for _ in 0..<100 {
            let keys = boxes.allKeys
            switch numbers.below(10) {
            case 0..<4:
                next += 1
                let id = numbers.once(in: 4) ? Int64(numbers.below(40)) : next
                guard boxes.key(for: .int(id)) == nil else { continue }
                let key = try boxes.create(.int(id), row: [.null, .null, .int(1)])
                boxes.set(key, 1, Self.value(&numbers))
            case 4:
                next += 1
                _ = try boxes.create(.int(next), row: [.null, Self.value(&numbers), .int(2)])
            case 5 where numbers.once(in: 6):
                let rows = try boxes.beginRows(.integers((0..<40).map { next + 1 + Int64($0) }))
                next += 40
                while let elements = rows.next() {
                    let first = rows.open()
                    for position in 0..<elements.count {
                        first.advanced(by: position).set(0, next - 39 + Int64(elements.lowerBound + position))
                        rows.set(position, 1, Self.value(&numbers))
                        first.advanced(by: position).set(2, Int64(3))
                    }
                    rows.close()
                }
            case 6 where !keys.isEmpty: boxes.delete(numbers.one(of: keys), leavingGhost: numbers.once(in: 2))
            case 7 where keys.count > 9: boxes.delete((0..<4).map { _ in numbers.one(of: keys) })
            default:
                guard !keys.isEmpty else { continue }
                boxes.set(numbers.one(of: keys), 1, Self.value(&numbers))
            }
        }
    }

    @Test("an index that is added to a file finds what is there, and stays when nobody asks for it")
    func adding() throws {
        var numbers = SeededNumbers(seed: 9)
        let store = try openInMemory("mixed index added")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema(isIndexed: false))
        try change(transaction, &numbers, 0)
        try transaction.commit()
        #expect(try compare(transaction, &numbers, "without") == 0)
        try transaction.beginWriting()
        try transaction.extendSchema(Self.schema())
        #expect(try compare(transaction, &numbers, "added") > 15)
        try transaction.commit()
        try transaction.beginWriting()
        try transaction.extendSchema(Self.schema(isIndexed: false))
        try change(transaction, &numbers, 1)
        try transaction.commit()
        #expect(try compare(transaction, &numbers, "kept") > 15)
        let before = try store.read()
        try transaction.beginWriting()
        try transaction.restructure(to: Self.schema(isIndexed: false), before: before)
        try transaction.finishRestructuring(to: Self.schema(isIndexed: false))
        try change(transaction, &numbers, 2)
        try transaction.commit()
        #expect(try compare(transaction, &numbers, "migrated") > 15)
    }

    @Test("the plan names the index, and counts it without reading a value where that is exact")
    func explaining() throws {
        let store = try openInMemory("mixed explaining")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema())
        let boxes = try transaction.existing("Box")
        for number in 0..<20_000 {
            let value: Value =
                switch number % 4 {
                case 0: .int(Int64(number / 4 % 1000))
                case 1: .double(Double(number / 4 % 1000))
                case 2: .string("text \(number % 500)")
                default: .null
                }
            _ = try boxes.create(.int(Int64(number)), row: [.null, value, .int(0)])
        }
        try transaction.commit()
        for (text, count, isExact) in [
            ("`any` == 7", 10, true), ("`any` IN {7, 7.0, 8}", 20, true), ("`any` > 997", 20, true),
            ("`any` BETWEEN {5, 6}", 20, true), ("`any` == 'text 2'", 40, true),
            ("`any` BEGINSWITH 'text 49'", 120, true),
            ("`any` == 0.1", 0, true), ("`any` == 7 AND weight == 0", 10, false),
        ] {
            let predicate = try Predicate.parse(text).bound(to: "Box", in: transaction.schema)
            let plan = QueryPlan(boxes, predicate)
            #expect(plan.explanation.hasPrefix("index on Box.any"), "\(text): \(plan.explanation)")
            #expect((plan.entrance?.rest == nil) == isExact, "\(text)")
            #expect(try transaction.count("Box", matching: predicate) == count, "\(text)")
        }
    }
}
