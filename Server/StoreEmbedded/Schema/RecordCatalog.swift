import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayStore

/// The classes of the database as the record needs them: by a number that never changes, with everything precomputed
/// that each operation would otherwise look up.
struct RecordCatalog: Sendable {
    let schema: Schema
    private let byName: ExactDictionary<ClassPlan>
    private let byNumber: [Int: ClassPlan]
    /// Per embedded class, the columns that can hold its objects.
    private let holders: [Int: [(classNumber: Int, column: Int)]]
    /// The classes of collections inside of mixed values.
    private let nested: [NestedCollection: Int]

    init(_ schema: Schema, in transaction: Transaction) {
        self.schema = schema
        let numbers = Self.numbers(in: transaction)
        var byName: ExactDictionary<ClassPlan> = [:]
        for classSchema in schema.classes {
            guard let number = numbers[classSchema.name] else {
                preconditionFailure("The class \(classSchema.name) is in the schema but has no number.")
            }
            byName[classSchema.name] = ClassPlan(classSchema, number: number, schema, numbers)
        }
        self.byName = byName
        byNumber = Dictionary(uniqueKeysWithValues: byName.values.map { ($0.number, $0) })
        var holders: [Int: [(classNumber: Int, column: Int)]] = [:]
        for plan in byName.values.sorted(by: { $0.number < $1.number }) {
            for column in plan.embeddedColumns {
                if let target = plan.targets[column] { holders[target, default: []].append((plan.number, column)) }
            }
        }
        nested = Dictionary(
            uniqueKeysWithValues: NestedCollection.allCases.compactMap { kind in
                numbers[kind.className].map { (kind, $0) }
            })
        // Any mixed value may hold one.
        for plan in byName.values.sorted(by: { $0.number < $1.number }) where plan.schema.kind != .asymmetric {
            for column in plan.mixedColumns {
                for target in nested.values.sorted() { holders[target, default: []].append((plan.number, column)) }
            }
        }
        self.holders = holders
    }

    /// The row that a value makes a part of the object that holds it: of an embedded object, or of a collection inside
    /// of a mixed value. Nil for all other values.
    func part(_ value: Value, _ plan: ClassPlan, _ column: Int, in transaction: Transaction) -> Row? {
        switch value {
        case .object(let key):
            guard plan.isEmbedded(column), let target = plan.targets[column] else { return nil }
            return Row(target, key)
        case .anyObject:
            guard let (_, key, kind) = transaction.nested(value), let number = nested[kind] else { return nil }
            return Row(number, key)
        default: return nil
        }
    }

    func holders(of classNumber: Int) -> [(classNumber: Int, column: Int)] {
        holders[classNumber] ?? []
    }

    /// Ordered by number.
    var oneWayClasses: [ClassPlan] {
        byNumber.values.filter { $0.schema.kind == .asymmetric }.sorted { $0.number < $1.number }
    }

    func number(_ name: String) -> Int? { byName[name]?.number }

    subscript(name: String) -> ClassPlan? { byName[name] }

    func table(_ number: Int, in transaction: Transaction) -> Table {
        guard let table = transaction.table(self[number].name) else {
            preconditionFailure("The class \(self[number].name) has a number but no table.")
        }
        return table
    }

    /// Whether a class has the number: for numbers that are read from a tree, which may be damaged.
    func knows(_ number: Int) -> Bool { byNumber[number] != nil }

    /// The name of a property by the numbers of its class and column; nil where there is none, for numbers from a tree.
    func property(_ column: Int, ofClass number: Int) -> String? {
        guard let properties = byNumber[number]?.schema.properties, properties.indices.contains(column) else {
            return nil
        }
        return properties[column].name
    }

    subscript(number: Int) -> ClassPlan {
        guard let plan = byNumber[number] else {
            preconditionFailure("The record names a class by the number \(number), which no class has.")
        }
        return plan
    }

    static func numbers(in transaction: Transaction) -> ExactDictionary<Int> {
        var numbers: ExactDictionary<Int> = [:]
        transaction.tree(Layout.classes).scan(from: [], upTo: nil) { key, value in
            if let number: UInt32 = Layout.number(value) { numbers[String(decoding: key, as: UTF8.self)] = Int(number) }
            return true
        }
        return numbers
    }

    /// Gives every class of a schema that was just extended a number.
    static func number(_ schema: Schema, in transaction: Transaction) {
        let numbers = numbers(in: transaction)
        var next = (numbers.values.max() ?? 0) + 1
        for classSchema in schema.classes where numbers[classSchema.name] == nil {
            transaction.tree(Layout.classes).put(Array(classSchema.name.utf8), Layout.bytes(UInt32(next)))
            next += 1
        }
    }
}

/// One class, ready for work.
final class ClassPlan: Sendable {
    let number: Int
    let schema: ClassSchema
    let name: String
    let primaryKey: Int?
    let columns: ExactDictionary<Int>
    let types: [PropertyType]
    /// Columns that hold embedded objects.
    let embeddedColumns: [Int]
    /// Columns whose values may hold collections.
    let mixedColumns: [Int]
    /// Columns of single values, without the primary key and texts.
    let fieldColumns: [Int]
    let counterColumns: [Int]
    /// In the order of names, which is the order within a state.
    let fieldsByName: [Int]
    /// Columns of lists, sets, maps and texts, in the order within a state.
    let parts: [(column: Int, kind: ObjectState.Kind)]
    /// Whether many of its objects can be read column by column.
    let travelsInColumns: Bool
    /// What a new row holds.
    let zeroRow: [Value]
    /// The class number that each column links to.
    let targets: [Int?]
    /// The primary key of the class that each column links to; nil for embedded ones.
    let targetKeys: [Property?]

    init(_ schema: ClassSchema, number: Int, _ all: Schema, _ numbers: ExactDictionary<Int>) {
        self.number = number
        self.schema = schema
        name = schema.name
        let primaryKey = schema.primaryKeyIndex
        self.primaryKey = primaryKey
        let properties = schema.properties
        columns = ExactDictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
        types = properties.map(\.type)
        let targetSchemas = properties.map { property in property.target.flatMap { all[$0] } }
        targets = properties.map { property in property.target.flatMap { numbers[$0] } }
        targetKeys = targetSchemas.map { target in
            target.flatMap { target in target.primaryKeyIndex.map { target.properties[$0] } }
        }
        embeddedColumns = properties.indices.filter { targetSchemas[$0]?.kind == .embedded }
        mixedColumns = properties.indices.filter { properties[$0].type == .mixed && properties[$0].collection != .set }
        fieldColumns = properties.indices.filter { properties[$0].isField && $0 != primaryKey }
        let columnsOfState = schema.columnsOfState
        fieldsByName = columnsOfState.filter { properties[$0].part == nil }
        counterColumns = properties.indices.filter { properties[$0].isCounter }
        parts = columnsOfState.compactMap { column in properties[column].part.map { (column, $0) } }
        zeroRow = properties.map(\.zero)
        travelsInColumns =
            schema.kind == .object && !properties.contains { $0.type == .mixed && $0.collection == .none }
    }

    func isEmbedded(_ column: Int) -> Bool {
        embeddedColumns.contains(column)
    }

    /// Whether values of the column may be parts of their object: see `RecordCatalog.part`.
    func mayHoldParts(_ column: Int) -> Bool {
        embeddedColumns.contains(column) || mixedColumns.contains(column)
    }
}
