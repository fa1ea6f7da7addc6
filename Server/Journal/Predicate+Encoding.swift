import CausewayModel
import CausewayOperations
import CausewayQuery

// A rule with its caller's claims in it is a predicate that no text has: a claim that the caller lacks stays a claim. So
// the tree itself is written.

extension ByteWriter {
    mutating func write(_ predicate: Predicate) {
        switch predicate {
        case .constant(let answer):
            write(byte: PredicateTag.constant)
            write(flag: answer)
        case .and(let parts), .or(let parts):
            if case .and = predicate { write(byte: PredicateTag.and) } else { write(byte: PredicateTag.or) }
            write(count: parts.count)
            for part in parts { write(part) }
        case .not(let part):
            write(byte: PredicateTag.not)
            write(part)
        case .comparison(let comparison):
            write(byte: PredicateTag.comparison)
            write(comparison)
        case .geoWithin(let within):
            write(byte: PredicateTag.geoWithin)
            write(byte: within.quantifier.rawValue)
            write(within.path)
            write(within.shape)
        }
    }

    private mutating func write(_ comparison: Comparison) {
        write(byte: comparison.quantifier.rawValue)
        write(byte: comparison.rightQuantifier.rawValue)
        write(byte: comparison.comparator.rawValue)
        write(byte: comparison.options.rawValue)
        write(comparison.left)
        write(comparison.right)
        write(comparison.digits.left)
        write(comparison.digits.right)
    }

    private mutating func write(_ digits: [Int: DecimalNumber]) {
        write(count: digits.count)
        for (place, digits) in digits.sorted(by: { $0.key < $1.key }) {
            write(signed: Int64(place))
            write(.decimal(digits))
        }
    }

    private mutating func write(_ expression: Expression) {
        switch expression {
        case .path(let path):
            write(byte: ExpressionTag.path)
            write(path)
        case .value(let value):
            write(byte: ExpressionTag.value)
            write(value)
        case .values(let values):
            write(byte: ExpressionTag.values)
            write(values)
        case .subquery(let subquery):
            write(byte: ExpressionTag.subquery)
            write(subquery.collection)
            write(subquery.condition)
        case .arithmetic(let arithmetic):
            write(byte: ExpressionTag.arithmetic)
            write(arithmetic)
        case .quantified(let quantifier, let values):
            write(byte: ExpressionTag.quantified)
            write(byte: quantifier.rawValue)
            write(values)
        case .typeOf(let path):
            write(byte: ExpressionTag.typeOf)
            write(path)
        case .claim(let number):
            write(byte: ExpressionTag.claim)
            write(signed: Int64(number))
        }
    }

    private mutating func write(_ values: [Value]) {
        write(count: values.count)
        for value in values { write(value) }
    }

    private mutating func write(_ arithmetic: Arithmetic) {
        switch arithmetic {
        case .path(let path):
            write(byte: ArithmeticTag.path)
            write(path)
        case .value(let value):
            write(byte: ArithmeticTag.value)
            write(value)
        case .claim(let number):
            write(byte: ArithmeticTag.claim)
            write(signed: Int64(number))
        case .operation(let left, let sign, let right):
            write(byte: ArithmeticTag.operation)
            write(byte: sign.rawValue)
            write(left)
            write(right)
        }
    }

    private mutating func write(_ path: PropertyPath) {
        write(count: path.names.count)
        for name in path.names { write(string: name) }
        write(count: path.places.count)
        for (name, place) in path.places.sorted(by: { $0.key < $1.key }) {
            write(signed: Int64(name))
            write(place)
        }
        switch path.part {
        case nil: write(byte: 0)
        case .keys: write(byte: 1)
        case .values: write(byte: 2)
        case .value(let key):
            write(byte: 3)
            write(string: key.string)
        }
        write(count: path.nested.count)
        for step in path.nested { write(step) }
        write(byte: path.aggregate.map { $0.rawValue + 1 } ?? 0)
    }

    private mutating func write(_ place: ListPlace) {
        switch place {
        case .at(let index):
            write(byte: 0)
            write(signed: Int64(index))
        case .first: write(byte: 1)
        case .last: write(byte: 2)
        case .key(let key):
            write(byte: 3)
            write(string: key.string)
        case .each: write(byte: 4)
        }
    }

    private mutating func write(_ step: NestedStep) {
        switch step {
        case .index(let index):
            write(byte: 0)
            write(signed: Int64(index))
        case .key(let key):
            write(byte: 1)
            write(string: key.string)
        case .any: write(byte: 2)
        case .keys: write(byte: 3)
        case .count: write(byte: 4)
        case .length: write(byte: 5)
        }
    }

    private mutating func write(_ shape: GeoShape) {
        switch shape {
        case .box(let southWest, let northEast):
            write(byte: 0)
            write(southWest)
            write(northEast)
        case .circle(let center, let radians):
            write(byte: 1)
            write(center)
            write(fixed64: radians.bitPattern)
        case .polygon(let rings):
            write(byte: 2)
            write(count: rings.count)
            for ring in rings {
                write(count: ring.count)
                for position in ring { write(position) }
            }
        }
    }

    private mutating func write(_ position: GeoPosition) {
        write(fixed64: position.latitude.bitPattern)
        write(fixed64: position.longitude.bitPattern)
    }
}

enum PredicateTag {
    static let constant: UInt8 = 0
    static let and: UInt8 = 1
    static let or: UInt8 = 2
    static let not: UInt8 = 3
    static let comparison: UInt8 = 4
    static let geoWithin: UInt8 = 5
}

enum ExpressionTag {
    static let path: UInt8 = 0
    static let value: UInt8 = 1
    static let values: UInt8 = 2
    static let subquery: UInt8 = 3
    static let arithmetic: UInt8 = 4
    static let quantified: UInt8 = 5
    static let typeOf: UInt8 = 6
    static let claim: UInt8 = 7
}

enum ArithmeticTag {
    static let path: UInt8 = 0
    static let value: UInt8 = 1
    static let claim: UInt8 = 2
    static let operation: UInt8 = 3
}
