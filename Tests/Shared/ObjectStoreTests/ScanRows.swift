import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery

/// Rows of `Scanned` whose leaves take every form, and predicates that come near their values.
struct ScanRows {
    let seed: UInt64
    var numbers: SeededNumbers
    private var rows: [[Value]] = []
    private var targets: [ObjectKey] = []
    private static let targetCount = 1300

    init(seed: UInt64) {
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
    }

    // MARK: - Rows

    /// What the values of one leaf are like.
    private struct Form {
        var bits: Int
        var base: Int64
        var distinctTexts: Int
        var isASCII: Bool
        var textLength: Int
        var nullOneIn: Int
        var hasNanoseconds: Bool
        var hasNaN: Bool
    }

    private mutating func form() -> Form {
        Form(
            bits: numbers.one(of: [0, 3, 8, 14, 16, 30, 32, 40, 64]),
            base: numbers.one(of: [0, 0, -100, 1 << 40, -(1 << 33)]),
            distinctTexts: numbers.one(of: [1, 5, 200, 5000]),
            isASCII: !numbers.once(in: 3), textLength: numbers.one(of: [2, 6, 6, 12, 120]),
            nullOneIn: numbers.one(of: [1, 2, 10, 1_000_000]), hasNanoseconds: numbers.once(in: 2),
            hasNaN: numbers.once(in: 3))
    }

    mutating func fill(_ transaction: Transaction) throws {
        let targetTable = try transaction.existing("Target")
        for number in 0..<Self.targetCount {
            let form = Form(
                bits: 8, base: 0, distinctTexts: 5000, isASCII: true, textLength: 6, nullOneIn: 5,
                hasNanoseconds: false, hasNaN: false)
            if numbers.once(in: 10) {
                targets.append(targetTable.ghost(.int(Int64(number))))
                continue
            }
            let next = targets.randomElement(using: &numbers).map { Value.object($0) } ?? .null
            let text = numbers.once(in: 5) ? Value.null : .string(self.text(form))
            targets.append(
                try targetTable.create(
                    .int(Int64(number)), row: [.int(Int64(number)), text, .int(Int64(numbers.below(50))), next]))
        }
        let table = try transaction.existing("Scanned")
        let count = 2000 + numbers.one(of: [1, 63, 64, 65, 700, 999])
        var form = form()
        for number in 0..<count {
            if number % 1000 == 0 { form = self.form() }
            let row = row(form)
            rows.append(row)
            _ = try table.create(nil, row: row)
        }
    }

    /// Deletes and changes some rows, and turns targets into ghosts and into nothing.
    mutating func change(_ transaction: Transaction) throws {
        let table = try transaction.existing("Scanned")
        let form = form()
        let first = numbers.below(rows.count)
        for key in table.allKeys[first..<min(first + 300, rows.count)] {
            switch numbers.below(3) {
            case 0: table.delete(key, leavingGhost: false)
            case 1:
                let column = numbers.below(ScanModel.scanned.properties.count)
                table.set(key, column, row(form)[column])
            default: break
            }
        }
        let targetTable = try transaction.existing("Target")
        for key in targetTable.allKeys where numbers.once(in: 8) {
            targetTable.delete(key, leavingGhost: numbers.once(in: 2))
        }
        if numbers.once(in: 2) {
            for _ in 0..<40 { _ = try table.create(nil, row: row(form)) }
        }
    }

    private mutating func row(_ form: Form) -> [Value] {
        ScanModel.scanned.properties.map { property in
            if property.isOptional, numbers.once(in: form.nullOneIn) { return .null }
            return value(property.type, form)
        }
    }

    private mutating func integer(_ form: Form) -> Int64 {
        if form.bits == 64 { return numbers.one(of: [.min, .max, 0, -1, Int64(bitPattern: numbers.next())]) }
        return form.base &+ Int64(bitPattern: numbers.next() & ((1 << UInt64(form.bits)) - 1))
    }

    private mutating func value(_ type: PropertyType, _ form: Form) -> Value {
        switch type {
        case .int: .int(integer(form))
        case .float: .float(Float(double(form)))
        case .double: .double(double(form))
        case .string: .string(text(form))
        case .data: .bytes(numbers.once(in: 3) ? [0xC3, 0x61, 0xFF] : Array(text(form).utf8))
        case .date:
            .timestamp(
                Timestamp(
                    seconds: integer(form),
                    nanoseconds: form.hasNanoseconds ? Int32(numbers.one(of: [0, 1, -1, 999_999_999])) : 0))
        case .objectId:
            .objectId(ObjectIdentifier12(high: UInt64(numbers.below(30)), low: UInt32(numbers.below(3)) << 31))
        case .uuid: .uuid(UUID16(high: UInt64(numbers.below(5)) << 62, low: UInt64(numbers.below(30))))
        case .bool: .bool(numbers.once(in: 2))
        case .object: numbers.one(of: targets.map { .object($0) })
        case .decimal128, .mixed: RandomValues.value(of: type, &numbers)
        }
    }

    private mutating func double(_ form: Form) -> Double {
        if form.hasNaN, numbers.once(in: 9) { return .nan }
        if numbers.once(in: 9) {
            return numbers.one(of: [0, -0.0, .infinity, -.infinity, 1e300, -1e300, 0.1, .leastNonzeroMagnitude])
        }
        return Double(numbers.below(64)) / 8 - 3
    }

    private mutating func text(_ form: Form) -> String {
        var own = SeededNumbers(seed: UInt64(numbers.below(form.distinctTexts)) &+ 77 &* seed)
        let letters = form.isASCII ? Self.ascii : Self.ascii + Self.other
        return String((0..<own.below(form.textLength + 1)).map { _ in own.one(of: letters) })
    }

    private static let ascii = Array("aAbBéz 1*?~`@[").filter(\.isASCII)
    private static let other: [Character] = ["é", "É", "İ", "ı", "ß", "日", "e\u{301}", "\u{301}", "😀", "Å"]

    // MARK: - Predicates

    mutating func predicate(depth: Int) -> BoundPredicate {
        if depth < 2, numbers.once(in: 3) {
            let parts = (0..<2 + numbers.below(2)).map { _ in predicate(depth: depth + 1) }
            return switch numbers.below(3) {
            case 0: .and(parts)
            case 1: .or(parts)
            default: .not(parts[0])
            }
        }
        var path = [numbers.below(ScanModel.scanned.properties.count)]
        var known = ScanModel.scanned
        while known.properties[path[path.count - 1]].target != nil, path.count < 3, !numbers.once(in: 4) {
            known = ScanModel.target
            path.append(numbers.below(known.properties.count))
        }
        let property = known.properties[path[path.count - 1]]
        if path.count == 1, numbers.once(in: 8) { return pair(path[0], property) }
        return comparison(path, property)
    }

    /// One property of a row against another.
    private mutating func pair(_ left: Int, _ property: Property) -> BoundPredicate {
        let isNumber: (PropertyType) -> Bool = { [.int, .float, .double].contains($0) }
        let others = ScanModel.scanned.properties.indices.filter { index in
            let type = ScanModel.scanned.properties[index].type
            return type == property.type || (isNumber(type) && isNumber(property.type))
        }
        let comparator = numbers.one(of: Self.comparators(property.type).filter { $0 != .between })
        return ScanModel.comparison([left], comparator, .path(ScanModel.boundPath([numbers.one(of: others)])))
    }

    private mutating func comparison(_ path: [Int], _ property: Property) -> BoundPredicate {
        let comparator = numbers.one(of: Self.comparators(property.type) + [.in])
        var options: TextOptions = []
        let isPlain = [.equal, .notEqual, .in, .beginsWith, .endsWith, .contains, .like].contains(comparator)
        if property.type == .string, isPlain, numbers.once(in: 3) {
            options = numbers.one(of: [
                .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
            ])
        }
        let operand: Operand
        switch comparator {
        case .in:
            let count = numbers.one(of: [0, 1, 3, 8, 20])
            operand = .values((0..<count).map { _ in constant(path, property, comparator, nullOneIn: 9) })
        case .between:
            operand = .values((0..<2).map { _ in constant(path, property, comparator, nullOneIn: 1_000_000) })
        case .equal, .notEqual: operand = .value(constant(path, property, comparator, nullOneIn: 9))
        default: operand = .value(constant(path, property, comparator, nullOneIn: 1_000_000))
        }
        return ScanModel.comparison(path, comparator, operand, options)
    }

    private static func comparators(_ type: PropertyType) -> [CausewayQuery.Comparator] {
        let orders: [CausewayQuery.Comparator] = [.less, .lessOrEqual, .greater, .greaterOrEqual, .between]
        return switch type {
        case .bool, .objectId, .uuid, .object: [.equal, .notEqual]
        case .int, .float, .double, .date, .decimal128, .mixed: [.equal, .notEqual] + orders
        case .string, .data: [.equal, .notEqual, .beginsWith, .endsWith, .contains, .like] + orders
        }
    }

    /// A value of some row, one beside it, or one of a form no row has.
    private mutating func constant(
        _ path: [Int], _ property: Property, _ comparator: CausewayQuery.Comparator, nullOneIn: Int
    ) -> Value {
        if numbers.once(in: nullOneIn) { return .null }
        let index = numbers.below(rows.count)
        var value = path.count == 1 ? rows[index][path[0]] : .null
        if value.isNull || numbers.once(in: 6) { value = self.value(property.type, form()) }
        switch value {
        case .int(let int): return .int(int &+ Int64(numbers.below(3)) &- 1)
        case .timestamp(var time):
            if numbers.once(in: 2) { time.nanoseconds = numbers.one(of: [0, 1, -1, .min, .max]) }
            if numbers.once(in: 3) { time.seconds = time.seconds &+ 1 }
            return .timestamp(time)
        case .string(let text):
            let next = path == [ScanModel.text] ? rows[min(index + 1, rows.count - 1)][ScanModel.text] : .null
            let behind = if case .string(let behind) = next { behind } else { "a" }
            return .string(needle(text, behind, comparator))
        case .bytes(let bytes):
            let from = numbers.below(bytes.count + 1)
            return .bytes(Array(bytes[from..<from + numbers.below(bytes.count - from + 1)]))
        default: return value
        }
    }

    private mutating func needle(_ text: String, _ behind: String, _ comparator: CausewayQuery.Comparator) -> String {
        var letters = Array(text)
        switch numbers.below(8) {
        case 0: letters = Array(letters.suffix(numbers.below(4)))
        case 1: letters = Array(letters.prefix(numbers.below(4)))
        case 2: letters = Array(letters.dropFirst().prefix(numbers.below(3) + 1))
        // Across the border to the next row.
        case 3: letters = Array(letters.suffix(2)) + Array(behind.prefix(numbers.below(3)))
        case 4: letters += Array(behind)
        case 5: letters = letters.flatMap { Array($0.isUppercase ? $0.lowercased() : $0.uppercased()) }
        default: break
        }
        if comparator == .like {
            for _ in 0..<numbers.below(4) where !letters.isEmpty {
                let place = numbers.below(letters.count)
                switch numbers.below(3) {
                case 0: letters[place] = numbers.one(of: ["*", "?"])
                case 1: letters.insert("*", at: place)
                default: letters = ["*"] + letters + ["*"]
                }
            }
        }
        return String(letters)
    }
}
