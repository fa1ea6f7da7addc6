import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery
import Testing

/// Rows of every type, required and optional, that link to each other, to others and to nothing, and the plain answers
/// to what order and aggregates they have.
struct OrderedRows {
    static let types: [PropertyType] = [
        .bool, .int, .float, .double, .string, .data, .date, .objectId, .uuid,
        .decimal128,
    ]

    static let schema = Schema(
        ["Row", "Target"].map { name in
            ClassSchema(
                name: name,
                properties: [Property(name: "id", type: .string, isPrimaryKey: true)]
                    + types.enumerated().map { Property(name: "required\($0)", type: $1) }
                    + types.enumerated().map { Property(name: "optional\($0)", type: $1, isOptional: true) }
                    + [
                        Property(name: "next", type: .object, isOptional: true, target: "Row"),
                        Property(name: "target", type: .object, isOptional: true, target: "Target"),
                    ])
        })

    static let next = 1 + 2 * types.count
    static let target = next + 1

    let seed: UInt64
    var numbers: SeededNumbers
    private var nextID = 0

    init(seed: UInt64) {
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
    }

    // MARK: - Changing

    private mutating func value(_ property: Property) -> Value {
        if property.isOptional, numbers.once(in: 4) { return .null }
        if property.type == .string, numbers.once(in: 2) { return .string(text()) }
        if property.type == .int, numbers.once(in: 2) { return .int(Int64(numbers.below(7))) }
        return RandomValues.value(of: property.type, &numbers)
    }

    /// Strings that share their first bytes, end in zeros, or are equal though written differently.
    private mutating func text() -> String {
        let beginnings = ["", "abcdefgh", "abcdefghabcdefgh", "abcdefghabcdefghijklmno", "caf"]
        let ends = ["", "\u{0}", "\u{0}\u{0}", "a", "é", "e\u{301}", "K", "\u{212A}", "日本", "가", "가"]
        let end = numbers.one(of: ends)
        return numbers.one(of: beginnings) + (numbers.once(in: 3) ? "\(numbers.below(300))" : "") + end
    }

    private mutating func link(_ property: Property, _ transaction: Transaction) throws -> Value {
        guard let name = property.target, !numbers.once(in: 4) else { return .null }
        let table = try transaction.existing(name)
        if numbers.once(in: 6) {
            nextID += 1
            return .object(table.ghost(.string("ghost \(nextID)")))
        }
        return table.allKeys.randomElement(using: &numbers).map { .object($0) } ?? .null
    }

    mutating func create(_ name: String, _ count: Int, in transaction: Transaction) throws {
        let table = try transaction.existing(name)
        let linked = try (0..<20).map { _ in
            try table.schema.properties.suffix(2).map { try link($0, transaction) }
        }
        for _ in 0..<count {
            nextID += 1
            let id = "\(nextID)"
            var row: [Value] = [.string(id)]
            for property in table.schema.properties.dropFirst().dropLast(2) { row.append(value(property)) }
            row += linked.isEmpty ? [.null, .null] : numbers.one(of: linked)
            _ = try table.create(.string(id), row: row)
        }
    }

    mutating func change(_ transaction: Transaction, times: Int) throws {
        for _ in 0..<times {
            let table = try transaction.existing(numbers.once(in: 3) ? "Target" : "Row")
            guard let key = table.allKeys.randomElement(using: &numbers) else { continue }
            if numbers.once(in: 6) {
                table.delete(key, leavingGhost: numbers.once(in: 2))
                continue
            }
            let column = 1 + numbers.below(table.schema.properties.count - 1)
            let property = table.schema.properties[column]
            table.set(key, column, property.target == nil ? value(property) : try link(property, transaction))
        }
    }

    // MARK: - Asking

    /// A path to any property, through up to two links.
    mutating func path() -> BoundPath {
        var steps: [BoundPath.Step] = []
        var name = "Row"
        for _ in 0..<numbers.below(3) {
            let isNext = numbers.once(in: 2)
            let target = isNext ? "Row" : "Target"
            steps.append(
                .init(
                    className: name, property: isNext ? Self.next : Self.target, type: .object, collection: .none,
                    target: target))
            name = target
        }
        let column = numbers.below(1 + 2 * Self.types.count)
        let type = column == 0 ? .string : Self.types[(column - 1) % Self.types.count]
        steps.append(.init(className: name, property: column, type: type, collection: .none, target: nil))
        return BoundPath(steps: steps)
    }

    /// All keys, some of them in any order and more than once, or keys of deleted objects and of none.
    mutating func keys(_ transaction: Transaction) throws -> [ObjectKey] {
        let all = try transaction.existing("Row").allKeys
        switch numbers.below(4) {
        case 0: return all
        case 1: return all.shuffled(using: &numbers)
        case 2: return (0..<numbers.below(300)).map { _ in numbers.one(of: all) }
        default: return (0..<40).map { _ in ObjectKey(Int64(numbers.below(4000)) - 500) } + all.suffix(5)
        }
    }

    static func value(_ key: ObjectKey, _ path: BoundPath, _ transaction: Transaction) throws -> Value {
        try reachedValue(key, path, transaction) ?? .null
    }

    /// The value at the end of a path; nil where a link on the way is empty.
    static func reachedValue(_ key: ObjectKey, _ path: BoundPath, _ transaction: Transaction) throws -> Value? {
        var key = key
        var table = try transaction.existing("Row")
        for step in path.steps.dropLast() {
            guard case .object(let next) = table.value(key, step.property) else { return nil }
            table = try transaction.existing(step.target ?? "")
            guard table.exists(next) else { return nil }
            key = next
        }
        return path.steps.last.map { table.value(key, $0.property) }
    }

    /// Negative, zero or positive: null first, then NaN, strings and data by their bytes.
    static func order(_ left: Value, _ right: Value) -> Int {
        func rank(_ value: Value) -> Int {
            switch value {
            case .null: 0
            case .double(let value) where value.isNaN: 1
            case .float(let value) where value.isNaN: 1
            case .decimal(let value) where value.isNaN: 1
            default: 2
            }
        }
        if rank(left) != rank(right) || rank(left) < 2 { return rank(left) - rank(right) }
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.string(let left), .string(let right)):
            if left.utf8.lexicographicallyPrecedes(right.utf8) { return -1 }
            return right.utf8.lexicographicallyPrecedes(left.utf8) ? 1 : 0
        default:
            if ValueComparison.holds(left, .less, right, []) { return -1 }
            return ValueComparison.holds(right, .less, left, []) ? 1 : 0
        }
    }
}
