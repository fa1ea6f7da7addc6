import CausewayModel
import CausewayOperations
import CausewayQuery

extension ByteReader {
    /// How deep predicates and arithmetic may nest together: more than the parser of rules takes, and little for a
    /// thread's stack.
    static let nestingMax = 512

    mutating func readPredicate(depth: Int = 0) throws(EncodingError) -> Predicate {
        guard depth < Self.nestingMax else { throw malformed("a rule nests too deep") }
        let tag = try readByte()
        switch tag {
        case PredicateTag.constant: return .constant(try readFlag())
        case PredicateTag.and, PredicateTag.or:
            var parts: [Predicate] = []
            for _ in 0..<(try readCount(minimumBytesEach: 2)) { parts.append(try readPredicate(depth: depth + 1)) }
            return tag == PredicateTag.and ? .and(parts) : .or(parts)
        case PredicateTag.not: return .not(try readPredicate(depth: depth + 1))
        case PredicateTag.comparison: return .comparison(try readComparison(depth))
        case PredicateTag.geoWithin:
            let quantifier = try readCase(Quantifier.self, "quantifier")
            let path = try readPath()
            return .geoWithin(GeoWithin(quantifier: quantifier, path, try readShape()))
        default: throw malformed("\(tag) is no kind of predicate")
        }
    }

    private mutating func readComparison(_ depth: Int) throws(EncodingError) -> Comparison {
        let quantifier = try readCase(Quantifier.self, "quantifier")
        let rightQuantifier = try readCase(Quantifier.self, "quantifier")
        let comparator = try readCase(Comparator.self, "comparator")
        let options = TextOptions(rawValue: try readByte())
        guard options.rawValue < 4 else { throw malformed("a comparison has unknown options") }
        let left = try readExpression(depth)
        var comparison = Comparison(
            quantifier: quantifier, left, comparator, try readExpression(depth), options: options)
        comparison.rightQuantifier = rightQuantifier
        comparison.digits.left = try readDigits()
        comparison.digits.right = try readDigits()
        return comparison
    }

    private mutating func readDigits() throws(EncodingError) -> [Int: DecimalNumber] {
        var digits: [Int: DecimalNumber] = [:]
        var last: Int?
        for _ in 0..<(try readCount(minimumBytesEach: 18)) {
            let place = try readPlace(after: &last)
            guard case .decimal(let number) = try readValue() else { throw malformed("digits are no decimal") }
            digits[place] = number
        }
        return digits
    }

    /// A key of a dictionary that was written in order.
    private mutating func readPlace(after last: inout Int?) throws(EncodingError) -> Int {
        let place = try readIndex()
        guard last.map({ $0 < place }) ?? true else { throw malformed("places are not in order") }
        last = place
        return place
    }

    private mutating func readIndex() throws(EncodingError) -> Int { Int(try readSigned()) }

    private mutating func readExpression(_ depth: Int) throws(EncodingError) -> Expression {
        let tag = try readByte()
        switch tag {
        case ExpressionTag.path: return .path(try readPath())
        case ExpressionTag.value: return .value(try readValue())
        case ExpressionTag.values: return .values(try readValues())
        case ExpressionTag.subquery:
            let collection = try readPath()
            return .subquery(Subquery(collection, where: try readPredicate(depth: depth + 1)))
        case ExpressionTag.arithmetic: return .arithmetic(try readArithmetic(depth + 1))
        case ExpressionTag.quantified:
            let quantifier = try readCase(Quantifier.self, "quantifier")
            return .quantified(quantifier, try readValues())
        case ExpressionTag.typeOf: return .typeOf(try readPath())
        case ExpressionTag.claim: return .claim(try readIndex())
        default: throw malformed("\(tag) is no kind of expression")
        }
    }

    private mutating func readValues() throws(EncodingError) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try readCount(minimumBytesEach: 1)) { values.append(try readValue()) }
        return values
    }

    private mutating func readArithmetic(_ depth: Int) throws(EncodingError) -> Arithmetic {
        guard depth < Self.nestingMax else { throw malformed("a rule nests too deep") }
        let tag = try readByte()
        switch tag {
        case ArithmeticTag.path: return .path(try readPath())
        case ArithmeticTag.value: return .value(try readValue())
        case ArithmeticTag.claim: return .claim(try readIndex())
        case ArithmeticTag.operation:
            let sign = try readCase(ArithmeticOperator.self, "arithmetic operator")
            let left = try readArithmetic(depth + 1)
            return .operation(left, sign, try readArithmetic(depth + 1))
        default: throw malformed("\(tag) is no kind of arithmetic")
        }
    }

    private mutating func readPath() throws(EncodingError) -> PropertyPath {
        var names: [String] = []
        for _ in 0..<(try readCount(minimumBytesEach: 1)) { names.append(try readString()) }
        var path = PropertyPath(names)
        var last: Int?
        for _ in 0..<(try readCount(minimumBytesEach: 2)) {
            let place = try readPlace(after: &last)
            guard names.indices.contains(place) else { throw malformed("a place belongs to no name") }
            path.places[place] = try readListPlace()
        }
        path.part = try readMapPart()
        for _ in 0..<(try readCount(minimumBytesEach: 1)) { path.nested.append(try readStep()) }
        let aggregate = try readByte()
        if aggregate > 0 {
            guard let known = Aggregate(rawValue: aggregate - 1) else {
                throw malformed("\(aggregate) is no aggregate")
            }
            path.aggregate = known
        }
        guard !names.isEmpty || path == PropertyPath([]) else { throw malformed("a path leads from nowhere") }
        return path
    }

    private mutating func readMapPart() throws(EncodingError) -> MapPart? {
        let tag = try readByte()
        switch tag {
        case 0: return nil
        case 1: return .keys
        case 2: return .values
        case 3: return .value(ExactString(try readString()))
        default: throw malformed("\(tag) is no part of a map")
        }
    }

    private mutating func readListPlace() throws(EncodingError) -> ListPlace {
        let tag = try readByte()
        switch tag {
        case 0: return .at(try readIndex())
        case 1: return .first
        case 2: return .last
        case 3: return .key(ExactString(try readString()))
        case 4: return .each
        default: throw malformed("\(tag) is no place in a list")
        }
    }

    private mutating func readStep() throws(EncodingError) -> NestedStep {
        let tag = try readByte()
        switch tag {
        case 0: return .index(try readIndex())
        case 1: return .key(ExactString(try readString()))
        case 2: return .any
        case 3: return .keys
        case 4: return .count
        case 5: return .length
        default: throw malformed("\(tag) is no step into a collection")
        }
    }

    private mutating func readShape() throws(EncodingError) -> GeoShape {
        let tag = try readByte()
        switch tag {
        case 0:
            let southWest = try readPosition()
            return .box(southWest: southWest, northEast: try readPosition())
        case 1:
            let center = try readPosition()
            return .circle(center: center, radians: Double(bitPattern: try readFixed64()))
        case 2:
            var rings: [[GeoPosition]] = []
            for _ in 0..<(try readCount(minimumBytesEach: 1)) {
                var ring: [GeoPosition] = []
                for _ in 0..<(try readCount(minimumBytesEach: 16)) { ring.append(try readPosition()) }
                rings.append(ring)
            }
            return .polygon(rings)
        default: throw malformed("\(tag) is no shape")
        }
    }

    private mutating func readPosition() throws(EncodingError) -> GeoPosition {
        let latitude = Double(bitPattern: try readFixed64())
        return GeoPosition(latitude: latitude, longitude: Double(bitPattern: try readFixed64()))
    }
}
