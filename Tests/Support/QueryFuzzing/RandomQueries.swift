package import CausewayModel
package import CausewayQuery
package import CausewaySeeds

/// Predicates and selections of every form the grammar has, drawn from a seed. Names mean nothing: no schema has them.
package struct RandomQueries {
    package var numbers: SeededNumbers

    package init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
    }

    package mutating func selection(depth: Int) -> Selection {
        let steps = (0..<numbers.one(of: [0, 0, 1, 2, 3])).map { _ in step() }
        return Selection(predicate(depth: depth), steps)
    }

    private mutating func step() -> Selection.Step {
        switch numbers.below(3) {
        case 0: .sort((0..<numbers.below(3) + 1).map { _ in SortKey(path(), ascending: numbers.once(in: 2)) })
        case 1: .distinct((0..<numbers.below(3) + 1).map { _ in path() })
        default: .limit(numbers.one(of: [0, 1, 10, .max]))
        }
    }

    package mutating func predicate(depth: Int) -> Predicate {
        switch depth == 0 ? 9 : numbers.below(10) {
        case 0, 1: return .and((0..<numbers.below(3) + 2).map { _ in predicate(depth: depth - 1) })
        case 2, 3: return .or((0..<numbers.below(3) + 2).map { _ in predicate(depth: depth - 1) })
        case 4: return .not(predicate(depth: depth - 1))
        case 5: return numbers.once(in: 4) ? .geoWithin(within()) : .constant(numbers.once(in: 2))
        default:
            return .comparison(depth > 0 && numbers.once(in: 6) ? subquery(depth: depth - 1) : comparison())
        }
    }

    private mutating func subquery(depth: Int) -> Comparison {
        let subquery = Expression.subquery(Subquery(path(), where: predicate(depth: depth)))
        switch numbers.below(5) {
        case 0: return Comparison(.value(value()), .less, subquery)
        case 1: return Comparison(subquery, .between, .values([value(), value()]))
        case 2: return Comparison(subquery, .greater, .arithmetic(constantArithmetic()))
        default: return Comparison(subquery, numbers.one(of: [.equal, .notEqual, .greater]), .value(value()))
        }
    }

    // MARK: - Comparisons

    private static let comparators: [CausewayQuery.Comparator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between, .beginsWith, .endsWith,
        .contains, .like,
    ]

    private mutating func comparison() -> Comparison {
        let comparator = numbers.one(of: Self.comparators)
        let options = TextOptions(rawValue: UInt8(numbers.below(4)))
        if numbers.once(in: 6), comparator != .between { return quantifiedList(comparator, options) }
        let quantifier = numbers.one(of: [Quantifier.implied, .implied, .any, .all, .none])
        let asked = asked()
        switch comparator {
        case .between:
            return Comparison(quantifier: quantifier, asked, .between, .values([value(), value()]), options: options)
        case .in where numbers.below(3) > 0:
            return Comparison(quantifier: quantifier, asked, .in, .values(values()), options: options)
        case .in:
            return Comparison(quantifier: quantifier, .value(value()), .in, asked, options: options)
        default:
            let other: Expression =
                switch numbers.below(6) {
                case 0, 1: self.asked()
                case 2: .arithmetic(constantArithmetic())
                default: .value(value())
                }
            return numbers.once(in: 4)
                ? Comparison(quantifier: quantifier, other, comparator, asked, options: options)
                : Comparison(quantifier: quantifier, asked, comparator, other, options: options)
        }
    }

    /// A list with a quantifier of its own, on either side.
    private mutating func quantifiedList(
        _ comparator: CausewayQuery.Comparator, _ options: TextOptions
    ) -> Comparison {
        let list = Expression.quantified(numbers.one(of: [.any, .all, .none]), values())
        let quantifier = numbers.one(of: [Quantifier.implied, .any])
        return comparator == .in || numbers.once(in: 2)
            ? Comparison(quantifier: quantifier, list, comparator, asked(), options: options)
            : Comparison(quantifier: quantifier, asked(), comparator, list, options: options)
    }

    /// What differs from object to object.
    private mutating func asked() -> Expression {
        switch numbers.below(8) {
        case 0: .typeOf(path())
        case 1, 2: .arithmetic(arithmetic())
        default: .path(path())
        }
    }

    private mutating func arithmetic() -> Arithmetic {
        let other = numbers.once(in: 2) ? operation(depth: 3, hasPaths: true) : .path(path())
        let sign = numbers.one(of: [ArithmeticOperator.plus, .minus, .times, .divided])
        return numbers.once(in: 2)
            ? .operation(.path(path()), sign, other) : .operation(other, sign, .path(path()))
    }

    private mutating func constantArithmetic() -> Arithmetic {
        .operation(
            operation(depth: 1, hasPaths: false), numbers.one(of: [.plus, .minus, .times, .divided]), .value(number()))
    }

    private mutating func operation(depth: Int, hasPaths: Bool) -> Arithmetic {
        if depth == 0 || numbers.once(in: 3) {
            return hasPaths && numbers.once(in: 2) ? .path(path()) : .value(number())
        }
        return .operation(
            operation(depth: depth - 1, hasPaths: hasPaths), numbers.one(of: [.plus, .minus, .times, .divided]),
            operation(depth: depth - 1, hasPaths: hasPaths))
    }

    // MARK: - Paths

    private static let names = [
        "age", "name", "any", "in", "T1", "B64", "oid", "link", "größe", "two words", "a`b\\", "1st", "", "inff", "x.y",
        "sort", "first", "obj", "limit", "desc", "binary", "size", "@links.Dog.owner",
    ]

    private mutating func path() -> PropertyPath {
        let names = (0..<numbers.below(3) + 1).map { _ in numbers.one(of: Self.names) }
        let aggregates: [Aggregate] = [.count, .minimum, .maximum, .sum, .average]
        let part: MapPart? =
            numbers.once(in: 6) ? numbers.one(of: [.keys, .values, .value("a"), .value("it's \\ 'ä'")]) : nil
        var path = PropertyPath(names, part: part, aggregate: numbers.once(in: 3) ? numbers.one(of: aggregates) : nil)
        if numbers.once(in: 5) {
            path.places[numbers.below(names.count)] = numbers.one(of: [.first, .last, .at(0), .at(17)])
        }
        if case .value(let key)? = path.part, path.places[names.count - 1] != nil {
            // Behind a place a key goes into what the element holds.
            path.part = nil
            path.nested = [.key(key)]
        }
        let isOpen = path.aggregate == nil && path.part != .keys && path.part != .values
        while isOpen, numbers.once(in: 8) {
            path.append(numbers.one(of: [.any, .index(0), .index(17), .key("a"), .key("it's")]))
        }
        return path
    }

    // MARK: - Shapes

    private mutating func within() -> GeoWithin {
        let shape: GeoShape =
            switch numbers.below(3) {
            case 0: .box(southWest: position(), northEast: position())
            case 1: .circle(center: position(), radians: coordinate())
            default: .polygon((0..<numbers.below(2) + 1).map { _ in (0..<numbers.below(5)).map { _ in position() } })
            }
        return GeoWithin(quantifier: numbers.one(of: [.implied, .any, .all, .none]), path(), shape)
    }

    private mutating func position() -> GeoPosition { GeoPosition(latitude: coordinate(), longitude: coordinate()) }

    private mutating func coordinate() -> Double { Double(numbers.below(36_000)) / 100 - 180 }

    // MARK: - Values

    private mutating func values() -> [Value] { (0..<numbers.below(5)).map { _ in value() } }

    /// One that arithmetic takes, and no NaN: that equals nothing, itself included.
    private mutating func number() -> Value {
        while true {
            let value = value(below: 5)
            switch value {
            case .int, .float, .double, .decimal: return value
            default: continue
            }
        }
    }

    package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: numbers.next()) }

    package mutating func value() -> Value { value(below: 13) }

    private mutating func value(below limit: Int) -> Value {
        switch numbers.below(limit) {
        case 0:
            let value = DecimalNumber(high: numbers.next(), low: numbers.next())
            // Coefficients that are too large stand for zero, and a text gives back the bits of that.
            return .decimal(
                value.isNaN ? numbers.one(of: [.infinity, -.infinity, -.zero]) : DecimalNumber("\(value)") ?? value)
        case 1: return .bool(numbers.once(in: 2))
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
                "a", "'", "\"", "\\", "\n", "\u{0}", "é", "e\u{301}", "😀", "%@", " ", "`", "\u{7F}", "\u{2028}", "(",
                ")",
            ]
            return .string((0..<numbers.below(6)).map { _ in numbers.one(of: pieces) }.joined())
        case 7: return .bytes((0..<numbers.below(7)).map { _ in byte() })
        case 8:
            let sign: Int64 = numbers.once(in: 2) ? 1 : -1
            let nanoseconds = Int32(numbers.below(1_000_000_000)) * Int32(sign)
            return .timestamp(Timestamp(seconds: Int64(numbers.below(1 << 40)) * sign, nanoseconds: nanoseconds))
        case 9:
            let low = UInt32(truncatingIfNeeded: numbers.next())
            return .objectId(ObjectIdentifier12(high: numbers.next(), low: low))
        case 10: return .uuid(UUID16(high: numbers.next(), low: numbers.next()))
        case 11: return .null
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
