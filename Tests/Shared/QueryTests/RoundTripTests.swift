import CausewayModel
import CausewayQuery
import CausewaySeeds
import Testing

@Suite("Random predicates and random text")
struct RoundTripTests {
    @Test("a predicate's canonical text reads back to the same predicate", arguments: 0..<400)
    func roundTrip(seed: Int) throws {
        var random = RandomPredicates(seed: UInt64(seed))
        let predicate = random.predicate(depth: 4)
        let text = "\(predicate)"
        #expect(try Predicate.parse(text) == predicate, "seed \(seed): \(text)")
    }

    @Test("text with bytes cut out, put in and exchanged is refused or read, never a trap", arguments: 0..<400)
    func damagedText(seed: Int) {
        var random = RandomPredicates(seed: UInt64(seed))
        for _ in 0..<20 {
            var bytes = Array("\(random.predicate(depth: 3))".utf8)
            for _ in 0..<random.numbers.below(6) + 1 {
                let position = random.numbers.below(bytes.count + 1)
                switch random.numbers.below(3) {
                case 0: bytes.insert(random.byte(), at: position)
                case 1: bytes.removeSubrange(position..<min(bytes.count, position + random.numbers.below(8)))
                default: if position < bytes.count { bytes[position] = random.byte() }
                }
            }
            check(String(decoding: bytes, as: UTF8.self), seed)
        }
    }

    @Test("pieces of the grammar in any order are refused or read, never a trap", arguments: 0..<200)
    func garbage(seed: Int) {
        var random = RandomPredicates(seed: UInt64(seed) + 10_000)
        let pieces = [
            "(", ")", "{", "}", "[", "]", ",", ".", "==", "=", "!", "!=", "<", ">", "&&", "||", "&", "|", "@", "@count",
            "@avg", "%@", "%K", "%d", "%", "$0", "$K0", "$", "'", "\"", "`", "#", "\\", "\\u", "a", "name", "any",
            "ANY",
            "NOT", "IN", "BETWEEN", "LIKE", "[c]", "nil", "inf", "-inf", "nan", "true", "oid(", "uuid(", "link(",
            "container(", "T1:", "T", "B64\"", "0x", "1e", "-", "+", "1", "1.5f", ":", "TRUEPREDICATE", "SUBQUERY(",
            "SUBQUERY(a, $x, $x.", ").@count", "$x", "$x.",
            " ", "\n", "\u{0}", "é", "😀", "\u{FEFF}",
        ]
        for _ in 0..<100 {
            let text = (0..<random.numbers.below(12)).map { _ in random.numbers.one(of: pieces) }
                .joined(separator: random.numbers.below(2) == 0 ? "" : " ")
            check(text, seed)
        }
    }

    private func check(_ text: String, _ seed: Int) {
        do {
            let predicate = try Predicate.parse(text, arguments: [.name("a"), .value(.int(1)), .values([])])
            let printed = "\(predicate)"
            // NaN is the one value that does not equal itself.
            #expect(
                (try? Predicate.parse(printed)).map { "\($0)" } == printed,
                "seed \(seed): \(text) printed as \(printed)")
        } catch {
            #expect(!error.description.isEmpty)
            if let position = error.position { #expect(position <= text.utf8.count, "seed \(seed): \(text)") }
        }
    }
}

/// Predicates of every form the grammar has, drawn from a seed.
struct RandomPredicates {
    var numbers: SeededNumbers

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
    }

    mutating func byte() -> UInt8 {
        UInt8(truncatingIfNeeded: numbers.next())
    }

    mutating func predicate(depth: Int) -> Predicate {
        switch depth == 0 ? 9 : numbers.below(10) {
        case 0, 1: return .and((0..<numbers.below(3) + 2).map { _ in predicate(depth: depth - 1) })
        case 2, 3: return .or((0..<numbers.below(3) + 2).map { _ in predicate(depth: depth - 1) })
        case 4: return .not(predicate(depth: depth - 1))
        case 5: return .constant(numbers.below(2) == 0)
        default:
            return .comparison(depth > 0 && numbers.below(6) == 0 ? subquery(depth: depth - 1) : comparison())
        }
    }

    private mutating func subquery(depth: Int) -> Comparison {
        let subquery = Expression.subquery(Subquery(path(), where: predicate(depth: depth)))
        switch numbers.below(4) {
        case 0: return Comparison(.value(value()), .less, subquery)
        case 1: return Comparison(subquery, .between, .values([value(), value()]))
        default: return Comparison(subquery, numbers.one(of: [.equal, .notEqual, .greater]), .value(value()))
        }
    }

    private mutating func comparison() -> Comparison {
        let quantifier = numbers.one(of: [Quantifier.implied, .implied, .any, .all, .none])
        let options = StringOptions(rawValue: UInt8(numbers.below(4)))
        let comparator = numbers.one(of: [
            Comparator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between, .beginsWith,
            .endsWith, .contains, .like,
        ])
        let path = Expression.path(path())
        switch comparator {
        case .between:
            return Comparison(quantifier: quantifier, path, .between, .values([value(), value()]), options: options)
        case .in where numbers.below(3) > 0:
            let values = (0..<numbers.below(5)).map { _ in value() }
            return Comparison(quantifier: quantifier, path, .in, .values(values), options: options)
        case .in:
            return Comparison(quantifier: quantifier, .value(value()), .in, path, options: options)
        default:
            let other: Expression = numbers.below(4) == 0 ? .path(self.path()) : .value(value())
            return numbers.below(4) == 0
                ? Comparison(quantifier: quantifier, other, comparator, path, options: options)
                : Comparison(quantifier: quantifier, path, comparator, other, options: options)
        }
    }

    private mutating func path() -> PropertyPath {
        let names = (0..<numbers.below(3) + 1).map { _ in
            numbers.one(of: [
                "age", "name", "any", "in", "T1", "B64", "oid", "link", "größe", "two words", "a`b\\", "1st", "",
                "inff", "x.y",
            ])
        }
        let aggregates: [Aggregate] = [.count, .minimum, .maximum, .sum, .average]
        let part: MapPart? =
            numbers.below(6) == 0 ? numbers.one(of: [.keys, .values, .value("a"), .value("it's \\ 'ä'")]) : nil
        return PropertyPath(names, part: part, aggregate: numbers.below(3) == 0 ? numbers.one(of: aggregates) : nil)
    }

    mutating func value() -> Value {
        switch numbers.below(13) {
        case 0: return .null
        case 12:
            let value = DecimalNumber(high: numbers.next(), low: numbers.next())
            return .decimal(value.isNaN ? numbers.one(of: [.infinity, -.infinity, -.zero]) : value)
        case 1: return .bool(numbers.below(2) == 0)
        case 2: return .int(numbers.one(of: [0, -1, 5, .min, .max, Int64(bitPattern: numbers.next())]))
        case 3:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next()))
            return .float(value.isNaN ? numbers.one(of: [.infinity, -.infinity, -0.0, .leastNonzeroMagnitude]) : value)
        case 4:
            let value = Double(bitPattern: numbers.next())
            let others: [Double] = [.infinity, -.infinity, 0.1, .greatestFiniteMagnitude]
            return .double(value.isNaN ? numbers.one(of: others) : value)
        case 5, 6:
            let pieces = [
                "a", "'", "\"", "\\", "\n", "\u{0}", "é", "e\u{301}", "😀", "%@", " ", "`", "\u{7F}", "\u{2028}",
            ]
            return .string((0..<numbers.below(6)).map { _ in numbers.one(of: pieces) }.joined())
        case 7: return .bytes((0..<numbers.below(7)).map { _ in byte() })
        case 8:
            let sign: Int64 = numbers.below(2) == 0 ? 1 : -1
            let nanoseconds = Int32(numbers.below(1_000_000_000)) * Int32(sign)
            return .timestamp(Timestamp(seconds: Int64(numbers.below(1 << 40)) * sign, nanoseconds: nanoseconds))
        case 9:
            let low = UInt32(truncatingIfNeeded: numbers.next())
            return .objectId(ObjectIdentifier12(high: numbers.next(), low: low))
        case 10: return .uuid(UUID16(high: numbers.next(), low: numbers.next()))
        default:
            switch numbers.below(5) {
            case 4: return .anyLink(ClassedLink(numbers.one(of: ["Dog", "it's", ""]), .int(5)))
            case 0: return .link(.string(numbers.one(of: ["", "it's", "x"])))
            case 1: return .link(.int(Int64(bitPattern: numbers.next())))
            case 2: return .link(.null)
            default: return .link(.container(ElementID(client: ClientID(numbers.next()), counter: numbers.next())))
            }
        }
    }
}
