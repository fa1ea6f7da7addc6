package import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewayQuery
import CausewaySeeds
import CausewayStorage

/// Every operator and option on properties of every type against constants of every type, and against each other: each
/// combination answers as loops over values do, or is refused with the sentence that belongs to it.
///
/// What is expected follows the tables of the grammar's page and shares no code with the binder.
package struct OperatorMatrix {
    /// The product says something else than the tables.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Counts: Sendable {
        package var answered = 0
        package var refused = 0
    }

    /// A property of the class that is tried.
    package struct Subject: Sendable, CustomStringConvertible {
        package let property: Property
        let column: Int

        package var description: String { property.name }
        var isToMany: Bool { property.collection != .none }
    }

    // MARK: - The class

    private static let types: [PropertyType] = [
        .bool, .int, .float, .double, .string, .data, .date, .objectId, .uuid, .decimal128, .mixed, .object,
    ]

    private static let properties: [Property] = types.flatMap { type -> [Property] in
        let target = type == .object ? "Thing" : nil
        let isAlwaysOptional = type == .object || type == .mixed
        var found: [Property] = []
        if !isAlwaysOptional { found.append(Property(name: "\(type)", type: type)) }
        found.append(Property(name: "\(type)Maybe", type: type, isOptional: true, target: target))
        for collection in [CollectionKind.list, .set, .map] {
            let isOptional = type == .mixed || type == .object && collection == .map
            found.append(
                Property(
                    name: "\(type)\(collection)", type: type, collection: collection, isOptional: isOptional,
                    target: target))
        }
        return found
    }

    private static let schema = Schema([
        ClassSchema(name: "Thing", properties: [Property(name: "id", type: .int, isPrimaryKey: true)] + properties)
    ])

    package static let subjects: [Subject] = properties.enumerated().map {
        Subject(property: $1, column: $0 + 1)
    }

    // MARK: - The objects

    private var numbers: SeededNumbers
    private let transaction: Transaction
    /// What each object holds, by column; one value where the property is no collection.
    private var rows: [ObjectKey: [Int: [Value]]] = [:]
    private var keys: [ObjectKey] = []
    package private(set) var counts = Counts()

    package init(seed: UInt64) throws {
        numbers = SeededNumbers(seed: seed)
        let store = try ObjectStore.open(
            path: "matrix-\(seed)-\(UInt64.random(in: 0 ... .max))",
            options: .init(inMemory: true, mapSizeBytes: 1 << 30))
        transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        for _ in 0..<12 { try addObject() }
        for key in keys { try fill(key) }
    }

    private mutating func addObject() throws {
        let table = try transaction.required("Thing")
        let id = Int64(keys.count)
        var row: [Value] = [.int(id)]
        for property in Self.properties {
            row.append(property.collection != .none || property.type == .object ? .null : value(of: property))
        }
        let key = try table.create(.int(id), row: row)
        keys.append(key)
        var held: [Int: [Value]] = [:]
        for subject in Self.subjects where !subject.isToMany { held[subject.column] = [row[subject.column]] }
        rows[key] = held
    }

    /// Links and collections, once there are objects to link to.
    private mutating func fill(_ key: ObjectKey) throws {
        let table = try transaction.required("Thing")
        for subject in Self.subjects {
            let (column, property) = (subject.column, subject.property)
            guard subject.isToMany else {
                guard property.type == .object else { continue }
                let value = value(of: property)
                table.set(key, column, value)
                rows[key]?[column] = [value]
                continue
            }
            for index in 0..<numbers.below(4) {
                let value = value(of: property)
                switch property.collection {
                case .list: table.listInsert(key, column, index, property.type == .object ? link() : value)
                case .set: table.setInsert(key, column, property.type == .object ? link() : value)
                default: table.mapPut(key, column, "key \(index)", value)
                }
            }
            rows[key]?[column] = table.listValues(key, column)
        }
    }

    private mutating func value(of property: Property) -> Value {
        if property.isOptional, numbers.once(in: 4) { return .null }
        return property.type == .object ? link() : RandomValues.value(of: property.type, &numbers)
    }

    private mutating func link() -> Value { .object(numbers.one(of: keys)) }

    // MARK: - Against constants

    private static let comparators: [CausewayQuery.Comparator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between, .beginsWith, .endsWith,
        .contains, .like,
    ]
    private static let options: [TextOptions] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    /// One of each type, and those that are numbers in more ways than one.
    private static let constants: [Value] = [
        .null, .bool(true), .int(1), .int(3), .float(0.5), .double(2.5), .double(1), .double(.nan), .string("a"),
        .string("?b*"), .string(""), .bytes([65]), .timestamp(Timestamp(seconds: 3, nanoseconds: 0)),
        .objectId(ObjectIdentifier12(high: 1 << 60, low: 1)), .uuid(UUID16(high: 1 << 60, low: 1)),
        .decimal(DecimalNumber(7) / DecimalNumber(2)), .decimal(.zero), .link(.int(3)), .link(.int(99)),
        .anyLink(ClassedLink("Thing", .int(3))), .anyLink(ClassedLink("Other", .int(3))),
    ]

    /// Tries one property with everything.
    package mutating func runConstants(_ subject: Subject) throws {
        let quantifiers: [Quantifier] = subject.isToMany ? [.implied, .any, .all, .none] : [.implied, .any]
        for comparator in Self.comparators {
            for options in Self.options {
                for quantifier in quantifiers where options.isEmpty || quantifier != .none {
                    for constant in Self.constants {
                        let values =
                            comparator == .in
                            ? [constant, .null] : comparator == .between ? [constant, constant] : [constant]
                        try tryConstants(subject, quantifier, comparator, options, values)
                        if comparator == .in { try tryConstants(subject, quantifier, comparator, options, [constant]) }
                    }
                }
            }
        }
    }

    private mutating func tryConstants(
        _ subject: Subject, _ quantifier: Quantifier, _ comparator: CausewayQuery.Comparator, _ options: TextOptions,
        _ values: [Value]
    ) throws {
        let isList = comparator == .in || comparator == .between
        let predicate = CausewayQuery.Predicate.comparison(
            Comparison(
                quantifier: quantifier, .path(PropertyPath([subject.property.name])), comparator,
                isList ? .values(values) : .value(values[0]), options: options))
        let type = subject.property.type
        if quantifier != .implied, !subject.isToMany {
            return try expectRefusal(predicate, "Invalid predicate: Aggregate operations can only be used")
        }
        if let refusal = MatrixRules.refusal(comparator, type, options) { return try expectRefusal(predicate, refusal) }
        for value in values {
            if let refusal = MatrixRules.refusal(value, subject.property) {
                return try expectRefusal(predicate, refusal)
            }
        }
        let constants = values.map { constant(MatrixRules.converted($0, for: type)) }
        let rule = NaiveComparison(options: type == .string || type == .mixed ? options : [])
        try expectAnswer(predicate) { row in
            let answers = (row[subject.column] ?? []).map { value -> Bool in
                switch comparator {
                case .in: constants.contains { rule.holds(value, .equal, $0) }
                case .between:
                    rule.holds(value, .greaterOrEqual, constants[0]) && rule.holds(value, .lessOrEqual, constants[1])
                default: rule.holds(value, comparator, constants[0])
                }
            }
            return Self.holds(quantifier, answers)
        }
    }

    private static func holds(_ quantifier: Quantifier, _ answers: [Bool]) -> Bool {
        switch quantifier {
        case .implied, .any: answers.contains(true)
        case .all: !answers.contains(false)
        case .none: !answers.contains(true)
        }
    }

    /// A link as the key of its object; one that leads nowhere as a key that no object has.
    private func constant(_ value: Value) -> Value {
        let primaryKey: PrimaryKey? =
            switch value {
            case .link(let key): key
            case .anyLink(let link) where link.className == "Thing": link.key
            default: nil
            }
        guard case .int(let id)? = primaryKey else { return value }
        return .object(keys.indices.contains(Int(id)) ? keys[Int(id)] : ObjectKey(-7))
    }

    // MARK: - Against each other

    /// Tries one property against every property.
    package mutating func runPairs(_ left: Subject) throws {
        for right in Self.subjects {
            for comparator in Self.comparators {
                for options in [TextOptions(), .caseInsensitive] { try tryPair(left, comparator, options, right) }
            }
        }
    }

    private mutating func tryPair(
        _ written: Subject, _ operation: CausewayQuery.Comparator, _ options: TextOptions, _ other: Subject
    ) throws {
        let predicate = CausewayQuery.Predicate.comparison(
            Comparison(
                .path(PropertyPath([written.property.name])), operation, .path(PropertyPath([other.property.name])),
                options: options))
        var (left, right, comparator) = (written, other, operation)
        if comparator == .in {
            guard right.isToMany else { return try expectRefusal(predicate, "Invalid predicate: IN needs a list") }
            comparator = .equal
        }
        // IN asks for any of the elements on the right, of any on the left.
        let isOfPairs = operation == .in && left.isToMany && right.isToMany
        if right.isToMany, !isOfPairs {
            guard !left.isToMany, let turned = MatrixRules.turned(comparator) else {
                return try expectRefusal(predicate, "Comparing two collection columns is not permitted.")
            }
            (left, right, comparator) = (right, left, turned)
        }
        let (leftType, rightType) = (left.property.type, right.property.type)
        guard
            leftType == rightType
                || (leftType == .mixed || rightType == .mixed)
                    && leftType != .object && rightType != .object
                || MatrixRules.isNumber(leftType) && MatrixRules.isNumber(rightType)
        else { return try expectRefusal(predicate, "Property type mismatch: Properties of type") }
        if comparator == .between { return try expectRefusal(predicate, "Invalid value: BETWEEN operations require") }
        if let refusal = MatrixRules.refusal(comparator, rightType == .mixed ? .mixed : leftType, options) {
            return try expectRefusal(predicate, refusal)
        }
        let rule = NaiveComparison(options: leftType == .string || leftType == .mixed ? options : [])
        try expectAnswer(predicate) { row in
            let others = isOfPairs ? row[right.column] ?? [] : [row[right.column]?.first ?? .null]
            return (row[left.column] ?? []).contains { value in
                others.contains { rule.holds(value, comparator, $0) }
            }
        }
    }

    // MARK: - Comparing

    private mutating func expectRefusal(_ predicate: CausewayQuery.Predicate, _ sentence: String) throws {
        counts.refused += 1
        do {
            _ = try predicate.bound(to: "Thing", in: Self.schema)
        } catch {
            guard error.message.hasPrefix(sentence) else {
                throw Difference(description: "\(predicate): refused with '\(error.message)', expected '\(sentence)'")
            }
            return
        }
        throw Difference(description: "\(predicate): answered, expected to be refused with '\(sentence)'")
    }

    private mutating func expectAnswer(
        _ predicate: CausewayQuery.Predicate, _ holds: ([Int: [Value]]) -> Bool
    ) throws {
        counts.answered += 1
        let bound: BoundPredicate
        do {
            bound = try predicate.bound(to: "Thing", in: Self.schema)
        } catch {
            throw Difference(description: "\(predicate): refused with '\(error.message)'")
        }
        let expected = keys.filter { holds(rows[$0] ?? [:]) }
        let found = try transaction.keys("Thing", matching: bound)
        let oneByOne = keys.filter { transaction.matches($0, "Thing", bound) }
        guard found == expected, oneByOne == expected else {
            throw Difference(
                description: "\(predicate), run as \(transaction.explain("Thing", matching: bound)): found "
                    + "\(found.map(\.rawValue)), one by one \(oneByOne.map(\.rawValue)), expected "
                    + "\(expected.map(\.rawValue)) of \(expected.isEmpty ? "" : "\(rows[expected[0]] ?? [:])")")
        }
    }
}

/// The tables of the grammar's page: which operators a type has, and which constants.
private enum MatrixRules {
    static func isNumber(_ type: PropertyType) -> Bool { [.int, .float, .double, .decimal128].contains(type) }

    private static let names: [PropertyType: String] = [
        .bool: "bool", .int: "int", .float: "float", .double: "double", .string: "string", .data: "data",
        .date: "date", .objectId: "object id", .uuid: "uuid", .object: "object", .decimal128: "decimal128",
        .mixed: "mixed",
    ]

    static func turned(_ comparator: CausewayQuery.Comparator) -> CausewayQuery.Comparator? {
        switch comparator {
        case .equal, .notEqual: comparator
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }

    private static func isOrder(_ comparator: CausewayQuery.Comparator) -> Bool {
        [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparator)
    }

    private static func isText(_ comparator: CausewayQuery.Comparator) -> Bool {
        [.beginsWith, .endsWith, .contains, .like].contains(comparator)
    }

    /// An operator or option that the type does not have.
    static func refusal(
        _ comparator: CausewayQuery.Comparator, _ type: PropertyType, _ options: TextOptions
    ) -> String? {
        let missing =
            "Invalid operator type: Operator '\(comparator.text)' not supported for type '\(names[type] ?? "")'"
        let takesText = type == .string || type == .data || type == .mixed
        if isText(comparator), !takesText { return missing }
        if isOrder(comparator), [.bool, .object].contains(type) { return missing }
        let hasOrder = isNumber(type) || [.date, .objectId, .uuid, .mixed].contains(type)
        if comparator == .between, !hasOrder { return missing }
        guard !options.isEmpty else { return nil }
        guard takesText else {
            return "Invalid operator type: [c] and [d] are not supported for type '\(names[type] ?? "")'"
        }
        if isOrder(comparator) || comparator == .between {
            return "Invalid operator type: Lexicographical comparison"
        }
        if comparator == .like, options.contains(.diacriticInsensitive) {
            return "Invalid operator type: Operator 'LIKE' not supported with diacritic-insensitive modifier."
        }
        return type == .data ? "Invalid operator type: [c] and [d] are not supported for type 'data'" : nil
    }

    /// A constant that the property cannot meet.
    static func refusal(_ value: Value, _ property: Property) -> String? {
        let mismatch = "Expected object of type "
        if value.isNull { return nil }
        let fits: Bool =
            switch (property.type, value) {
            case (.mixed, .link): false
            case (.mixed, _): true
            case (.bool, .bool): true
            case (.bool, .int(let value)): value == 0 || value == 1
            case (.bool, .float(let value)): value == 0 || value == 1
            case (.bool, .double(let value)): value == 0 || value == 1
            case (.bool, .decimal(let value)): value.isZero
            case (.int, .bool), (.int, .int), (.int, .float), (.int, .double), (.int, .decimal): true
            case (.float, .bool), (.float, .int), (.float, .float), (.float, .double), (.float, .decimal): true
            case (.double, .bool), (.double, .int), (.double, .float), (.double, .double), (.double, .decimal): true
            case (.decimal128, .bool), (.decimal128, .int), (.decimal128, .float), (.decimal128, .double),
                (.decimal128, .decimal):
                true
            case (.string, .string), (.string, .bytes), (.data, .bytes), (.date, .timestamp), (.objectId, .objectId),
                (.uuid, .uuid):
                true
            case (.object, .link): true
            case (.object, .anyLink(let link)): link.className == property.target
            default: false
            }
        return fits ? nil : mismatch
    }

    /// The constant as the property's type has it: bools and numbers stand for each other.
    static func converted(_ value: Value, for type: PropertyType) -> Value {
        switch (type, value) {
        case (.bool, .int(let number)): .bool(number == 1)
        case (.bool, .float(let number)): .bool(number == 1)
        case (.bool, .double(let number)): .bool(number == 1)
        case (.bool, .decimal(let number)): .bool(!number.isZero)
        case (.string, .bytes(let bytes)): .string(String(decoding: bytes, as: UTF8.self))
        case (.mixed, _), (.bool, _): value
        case (_, .bool(let flag)): .int(flag ? 1 : 0)
        default: value
        }
    }
}
