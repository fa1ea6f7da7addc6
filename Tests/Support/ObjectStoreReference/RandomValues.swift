package import CausewayModel

/// xorshift: the same numbers from the same seed everywhere.
package struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    package mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    package mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    package mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}

/// Values that meet each other often and lie at the edges: small numbers, extremes, short and long strings.
package enum RandomValues {
    package static func value(of type: PropertyType, _ numbers: inout SeededNumbers) -> Value {
        switch type {
        case .bool: .bool(numbers.oneIn(2))
        case .int: .int(integer(&numbers))
        case .float: .float(numbers.oneIn(20) ? .nan : Float(numbers.below(40)) / 4 - 3)
        case .double:
            .double(numbers.pick([0, -0.0, 1e300, -1e300, .infinity, .nan] + (0..<30).map { Double($0) / 8 }))
        case .string: .string(string(&numbers))
        case .data: .bytes((0..<numbers.pick([0, 1, 3, 20])).map { _ in numbers.pick([0, 1, 65, 255]) })
        case .date:
            .timestamp(
                Timestamp(seconds: integer(&numbers), nanoseconds: numbers.pick([0, 0, 0, 1, 999_999_999])))
        case .objectId:
            .objectId(ObjectIdentifier12(high: UInt64(numbers.below(4)) << 60, low: UInt32(numbers.below(3))))
        case .uuid: .uuid(UUID16(high: UInt64(numbers.below(4)) << 60, low: UInt64(numbers.below(3))))
        case .object: .null
        }
    }

    private static func integer(_ numbers: inout SeededNumbers) -> Int64 {
        switch numbers.below(12) {
        case 0: .max
        case 1: .min
        case 2: Int64(numbers.below(70_000))
        case 3: -Int64(numbers.below(1 << 40))
        default: Int64(numbers.below(20)) - 5
        }
    }

    private static func string(_ numbers: inout SeededNumbers) -> String {
        let words = ["", "a", "A", "ä", "É", "e", "abc", "ABC", "Abd", "dog", "dig", "ding", "x\u{0}y", "zoë", "日本"]
        if numbers.oneIn(12) {
            return String(repeating: numbers.pick(["long ", "lang"]), count: 60 + numbers.below(3))
        }
        return numbers.pick(words) + (numbers.oneIn(3) ? numbers.pick(words) : "")
    }
}
