import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery
import Testing

@Suite("Order and aggregates against plain loops over values")
struct OrderingTests {
    /// Four in a row, one of which has many rows.
    private static let seeds = SeedList.drawn(for: "ordering", count: 4)
    private static let widthSeeds = SeedList.drawn(for: "ordering-widths", count: 3)
    private static let stringSeeds = SeedList.drawn(for: "ordering-strings", count: 2)

    private static func hasManyRows(_ seed: UInt64) -> Bool { seed.isMultiple(of: 4) }

    /// Calls the body with objects fresh from their making, committed, changed in an open write, and committed again.
    private func inEveryState(
        seed: UInt64, rows count: Int, _ body: (inout OrderedRows, Transaction, _ when: String) throws -> Void
    ) throws {
        let store = try openInMemory("ordering \(seed) \(UInt64.random(in: 0 ... .max))")
        let transaction = try store.write()
        try transaction.extendSchema(OrderedRows.schema)
        var rows = OrderedRows(seed: seed)
        try rows.create("Target", 60, in: transaction)
        try rows.create("Row", count, in: transaction)
        try body(&rows, transaction, "while made")
        try transaction.commit()
        try body(&rows, transaction, "committed")
        try transaction.beginWriting()
        try rows.change(transaction, times: 60)
        try body(&rows, transaction, "while changed")
        try transaction.commit()
        try body(&rows, transaction, "committed again")
    }

    @Test("sorting is stable, puts null first or last, and follows links", arguments: seeds)
    func sorting(seed: UInt64) throws {
        try inEveryState(seed: seed, rows: Self.hasManyRows(seed) ? 1200 : 150) { rows, transaction, when in
            for _ in 0..<(Self.hasManyRows(seed) ? 12 : 60) {
                let keys = try rows.keys(transaction)
                let sortKeys = (0..<1 + rows.numbers.below(3)).map { _ in
                    BoundSortKey(path: rows.path(), ascending: rows.numbers.once(in: 2))
                }
                let values = try sortKeys.map { sortKey in
                    try keys.map { try OrderedRows.value($0, sortKey.path, transaction) }
                }
                let expected = keys.indices.sorted { left, right in
                    for (values, sortKey) in zip(values, sortKeys) {
                        let order = OrderedRows.order(values[left], values[right])
                        if order != 0 { return (order < 0) == sortKey.ascending }
                    }
                    return left < right
                }
                #expect(
                    transaction.sorted(keys, "Row", by: sortKeys) == expected.map { keys[$0] },
                    "seed \(seed), \(when), \(sortKeys)")
                for limit in [0, 1, 3, 20, keys.count / 5, keys.count] {
                    #expect(
                        transaction.sortedPrefix(limit, of: keys, "Row", by: sortKeys)
                            == expected.prefix(limit).map { keys[$0] },
                        "first \(limit), seed \(seed), \(when), \(sortKeys)")
                }
            }
        }
    }

    @Test("distinct keeps the first of what a set holds equal", arguments: seeds)
    func distinct(seed: UInt64) throws {
        try inEveryState(seed: seed, rows: Self.hasManyRows(seed) ? 1200 : 150) { rows, transaction, when in
            for _ in 0..<(Self.hasManyRows(seed) ? 12 : 60) {
                let keys = try rows.keys(transaction)
                let paths = (0..<1 + rows.numbers.below(4)).map { _ in rows.path() }
                var seen: Set<[SetElement]> = []
                let expected = try keys.filter { key in
                    let values = try paths.compactMap { try OrderedRows.reachedValue(key, $0, transaction) }
                    guard values.count == paths.count else { return false }
                    // Nothing equals a NaN.
                    return values.contains(where: \.isNaN)
                        || seen.insert(values.map(SetElement.init)).inserted
                }
                #expect(
                    transaction.distinct(keys, "Row", by: paths) == expected, "seed \(seed), \(when), \(paths)")
            }
        }
    }

    @Test("distinct over a class and over a condition is distinct over their keys", arguments: seeds)
    func distinctOfClass(seed: UInt64) throws {
        try inEveryState(seed: seed, rows: Self.hasManyRows(seed) ? 2300 : 150) { rows, transaction, when in
            let keys = try transaction.existing("Row").allKeys
            for column in 1..<1 + 2 * OrderedRows.types.count {
                let type = OrderedRows.types[(column - 1) % OrderedRows.types.count]
                let path = BoundPath(steps: [
                    .init(className: "Row", property: column, type: type, collection: .none, target: nil)
                ])
                #expect(
                    try transaction.distinct("Row", matching: nil, by: [path])
                        == transaction.distinct(keys, "Row", by: [path]), "seed \(seed), \(when), \(path)")
                let condition = Self.isBelow(Int64(rows.numbers.below(7)))
                #expect(
                    try transaction.distinct("Row", matching: condition, by: [path])
                        == transaction.distinct(
                            try transaction.keys("Row", matching: condition), "Row", by: [path]),
                    "seed \(seed), \(when), \(path)")
            }
        }
    }

    @Test("distinct of short strings and small integers, leaf by leaf", arguments: [1, 3, 200, 700, 5000])
    func distinctOfManyLeaves(values: Int) throws {
        let store = try openInMemory("distinct \(values)")
        let transaction = try store.write()
        try transaction.extendSchema(
            Schema([
                ClassSchema(
                    name: "Row",
                    properties: [
                        Property(name: "text", type: .string, isOptional: true),
                        Property(name: "number", type: .int, isOptional: true),
                    ])
            ]))
        let table = try transaction.existing("Row")
        var numbers = SeededNumbers(seed: UInt64(values))
        let letters = Array("abcdefghijklmnop")
        let texts = (0..<values).map { _ in
            String((0..<numbers.below(11)).map { _ in numbers.one(of: letters) })
        }
        for row in 0..<7300 {
            let text = numbers.once(in: 50) ? Value.null : .string(numbers.one(of: texts))
            let number = numbers.once(in: 50) ? Value.null : .int(Int64(numbers.below(min(values, 250)) + row / 5000))
            _ = try table.create(nil, row: [text, number])
        }
        try transaction.commit()
        for column in 0...1 {
            var seen: Set<Value> = []
            let expected = table.allKeys.filter { seen.insert(table.value($0, column)).inserted }
            let path = BoundPath(steps: [
                .init(
                    className: "Row", property: column, type: column == 0 ? .string : .int, collection: .none,
                    target: nil)
            ])
            #expect(try transaction.distinct("Row", matching: nil, by: [path]) == expected, "\(column)")
        }
    }

    private static func isBelow(_ limit: Int64) -> BoundPredicate {
        .comparison(
            BoundComparison(
                quantifier: .implied,
                path: BoundPath(steps: [
                    .init(className: "Row", property: 2, type: .int, collection: .none, target: nil)
                ]),
                comparator: .less, options: [], operand: .value(.int(limit))))
    }

    @Test("aggregates of a column, of a condition and of keys", arguments: seeds)
    func aggregates(seed: UInt64) throws {
        try inEveryState(seed: seed, rows: Self.hasManyRows(seed) ? 2300 : 150) { rows, transaction, when in
            let table = try transaction.existing("Row")
            for round in 0..<(Self.hasManyRows(seed) ? 40 : 150) {
                let path = rows.path()
                let aggregate = rows.numbers.one(of: [Aggregate.count, .minimum, .maximum, .sum, .average])
                let type = rows.numbers.below(7)
                let condition = Self.isBelow(Int64(type))
                let (over, keys): (AggregatedRows, [ObjectKey])
                switch round % 3 {
                case 0: (over, keys) = (.all, table.allKeys)
                case 1: (over, keys) = (.matching(condition), try transaction.keys("Row", matching: condition))
                default:
                    let some = try rows.keys(transaction)
                    (over, keys) = (.keys(some), some)
                }
                let values = try keys.map { try OrderedRows.value($0, path, transaction) }
                let found = try transaction.aggregate(aggregate, of: path, "Row", over: over)
                let how = "seed \(seed), \(when), \(aggregate) of \(path) over \(keys.count), way \(round % 3)"
                Self.expect(found, aggregate, values, path.steps.last?.type ?? .bool, how)
            }
        }
    }

    private static func expect(
        _ found: Value?, _ aggregate: Aggregate, _ values: [Value], _ type: PropertyType, _ how: String
    ) {
        let isNumber = [.int, .float, .double, .decimal128].contains(type)
        let isOrdered = isNumber || type == .date
        guard isNumber || isOrdered && [.minimum, .maximum, .count].contains(aggregate) else {
            #expect(found == nil, "\(how)")
            return
        }
        let present = values.filter { !$0.isNull }
        switch aggregate {
        case .count: #expect(found == .int(Int64(present.count)), "\(how)")
        case .minimum, .maximum:
            var best = Value.null
            // Nothing is less or greater than NaN, so a NaN is neither.
            for value in present where ValueComparison.holds(value, .equal, value, []) {
                let comparator = aggregate == .minimum ? Comparator.less : .greater
                if best.isNull || ValueComparison.holds(value, comparator, best, []) { best = value }
            }
            #expect(isSame(found, best), "\(how): \(best)")
        case .sum where type == .int:
            var sum: Int64 = 0
            for case .int(let value) in present { sum &+= value }
            #expect(found == .int(sum), "\(how)")
        case .sum where type == .decimal128, .average where type == .decimal128:
            expectDecimal(found, aggregate, present, how)
        case .sum, .average:
            var sum = 0.0
            var total: Int128 = 0
            var magnitude = 0.0
            for value in present {
                switch value {
                case .int(let value): total += Int128(value)
                case .float(let value): (sum, magnitude) = (sum + Double(value), magnitude + abs(Double(value)))
                case .double(let value): (sum, magnitude) = (sum + value, magnitude + abs(value))
                default: break
                }
            }
            if type == .int { sum = Double(total) }
            if aggregate == .average, present.isEmpty {
                #expect(found == .null, "\(how)")
                return
            }
            if aggregate == .average { sum /= Double(present.count) }
            guard case .double(let found) = found else {
                Issue.record("\(how): \(String(describing: found))")
                return
            }
            // The lanes add in another order, so infinities and rounding may come elsewhere.
            let isClose = found == sum || abs(found - sum) <= magnitude * 1e-12 || (found.isNaN && sum.isNaN)
            #expect(isClose || !sum.isFinite && !found.isFinite, "\(how): \(found), not \(sum)")
        }
    }

    /// Decimals are added in the order of the rows, so the answer is the same to the last digit.
    private static func expectDecimal(_ found: Value?, _ aggregate: Aggregate, _ present: [Value], _ how: String) {
        var sum = DecimalNumber.zero
        for case .decimal(let value) in present { sum = sum + value }
        guard aggregate == .sum || !present.isEmpty else {
            #expect(found == .null, "\(how)")
            return
        }
        let expected = aggregate == .sum ? sum : sum / DecimalNumber(Int64(present.count))
        guard case .decimal(let found) = found else {
            Issue.record("\(how): \(String(describing: found))")
            return
        }
        #expect(found.hasSameBits(as: expected), "\(how): \(found), not \(expected)")
    }

    private static func isSame(_ left: Value?, _ right: Value) -> Bool {
        switch (left, right) {
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        case (.float(let left), .float(let right)): left == right || (left.isNaN && right.isNaN)
        case (.decimal(let left), .decimal(let right)): left == right || (left.isNaN && right.isNaN)
        default: left == right
        }
    }

    @Test("packed leaves of every width are summed, sorted and told apart", arguments: widthSeeds)
    func widths(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let store = try openInMemory("ordering widths \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(OrderedRows.schema)
        let table = try transaction.existing("Row")
        for (index, width) in [0, 3, 8, 13, 16, 30, 32, 50, 63, 64].enumerated() {
            for row in 0..<(width == 64 ? 333 : 1000) {
                let bits = width == 64 ? numbers.next() : numbers.next() & ((1 << UInt64(width)) - 1)
                var values = table.schema.properties.map { $0.isOptional ? Value.null : nil }
                values[0] = .string("\(index) \(row)")
                values[2] = .int(Int64(width) * 1_000_003 &+ Int64(bitPattern: bits))
                for (column, property) in table.schema.properties.enumerated() where values[column] == nil {
                    values[column] = RandomValues.value(of: property.type, &numbers)
                }
                _ = try table.create(.string("\(index) \(row)"), row: values.map { $0 ?? .null })
            }
        }
        try transaction.commit()
        for key in table.allKeys where numbers.once(in: seed.isMultiple(of: 3) ? 1 << 20 : 9) {
            if !transaction.isWritable { try transaction.beginWriting() }
            table.delete(key, leavingGhost: false)
        }
        if transaction.isWritable { try transaction.commit() }
        let path = BoundPath(steps: [
            .init(className: "Row", property: 2, type: .int, collection: .none, target: nil)
        ])
        let keys = table.allKeys
        let values = try keys.map { try OrderedRows.value($0, path, transaction) }
        for aggregate in [Aggregate.sum, .average, .minimum, .maximum] {
            let how = "seed \(seed), \(aggregate)"
            Self.expect(
                try transaction.aggregate(aggregate, of: path, "Row", over: .all), aggregate, values, .int, how)
            Self.expect(
                try transaction.aggregate(aggregate, of: path, "Row", over: .keys(keys.shuffled(using: &numbers))),
                aggregate, values, .int, how)
        }
        let sorted = transaction.sorted(keys, "Row", by: [BoundSortKey(path: path, ascending: true)])
        let expected = keys.indices.sorted {
            let order = OrderedRows.order(values[$0], values[$1])
            return order < 0 || order == 0 && $0 < $1
        }
        #expect(sorted == expected.map { keys[$0] }, "seed \(seed)")
        #expect(
            transaction.distinct(keys, "Row", by: [path]).count == Set(values.map(SetElement.init)).count,
            "seed \(seed)")
    }

    @Test("strings of which nearly all differ are sorted and told apart", arguments: stringSeeds)
    func manyStrings(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let store = try openInMemory("ordering strings \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(
            Schema([
                ClassSchema(name: "Text", properties: [Property(name: "text", type: .string, isOptional: true)])
            ]))
        let table = try transaction.existing("Text")
        var texts: [String?] = []
        for number in 0..<40_000 {
            let isOld = number > 35_000 && numbers.once(in: 3)
            let text = isOld ? numbers.one(of: texts) : "text \(numbers.next() >> 20)"
            texts.append(numbers.once(in: 500) ? nil : text)
            _ = try table.create(nil, row: [texts[number].map { .string($0) } ?? .null])
        }
        try transaction.commit()
        let path = BoundPath(steps: [
            .init(className: "Text", property: 0, type: .string, collection: .none, target: nil)
        ])
        let keys = table.allKeys
        let expected = keys.indices.sorted { left, right in
            let (first, second) = (texts[left].map { Array($0.utf8) } ?? [], texts[right].map { Array($0.utf8) } ?? [])
            if first.lexicographicallyPrecedes(second) { return true }
            return !second.lexicographicallyPrecedes(first) && left < right
        }
        let sorted = transaction.sorted(keys, "Text", by: [BoundSortKey(path: path, ascending: true)])
        #expect(sorted == expected.map { keys[$0] }, "seed \(seed)")
        var seen: Set<ExactString?> = []
        let first = keys.indices.filter { seen.insert(texts[$0].map { ExactString($0) }).inserted }.map { keys[$0] }
        #expect(transaction.distinct(keys, "Text", by: [path]) == first, "seed \(seed)")
    }
}
