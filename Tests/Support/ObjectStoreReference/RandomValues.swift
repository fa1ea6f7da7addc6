package import CausewayModel
package import CausewaySeeds

/// Values that meet each other often and lie at the edges: small numbers, extremes, short and long strings.
package enum RandomValues {
    package static func value(of type: PropertyType, _ numbers: inout SeededNumbers) -> Value {
        switch type {
        case .bool: .bool(numbers.once(in: 2))
        case .int: .int(integer(&numbers))
        case .float:
            .float(
                numbers.once(in: 20)
                    ? numbers.one(of: [.nan, Float(nan: 5, signaling: false), -0.0]) : Float(numbers.below(40)) / 4 - 3)
        case .double:
            .double(
                numbers.one(
                    of: [0, -0.0, 1e300, -1e300, .infinity, .nan, Double(nan: 5, signaling: false)]
                        + (0..<30).map { Double($0) / 8 }))
        case .string: .string(string(&numbers))
        case .data: .bytes((0..<numbers.one(of: [0, 1, 3, 20])).map { _ in numbers.one(of: [0, 1, 65, 255]) })
        case .date:
            .timestamp(
                Timestamp(seconds: integer(&numbers), nanoseconds: numbers.one(of: [0, 0, 0, 1, 999_999_999])))
        case .objectId:
            .objectId(ObjectIdentifier12(high: UInt64(numbers.below(4)) << 60, low: UInt32(numbers.below(3))))
        case .uuid: .uuid(UUID16(high: UInt64(numbers.below(4)) << 60, low: UInt64(numbers.below(3))))
        case .object: .null
        case .decimal128: .decimal(decimal(&numbers))
        // No dates: a mixed one is stored as it travels, and the dates made here have parts of different signs.
        case .mixed:
            value(
                of: numbers.one(of: [.bool, .int, .float, .double, .string, .data, .uuid, .decimal128]), &numbers
            )
        }
    }

    /// Small ones, each in several spellings, and the ends.
    private static func decimal(_ numbers: inout SeededNumbers) -> DecimalNumber {
        let texts = [
            "NaN", "Infinity", "-Infinity", "-0", "0.00", "1E+6000", "-1E+6000", "1E-6176",
            "9999999999999999999999999999999999",
        ]
        let text =
            numbers.once(in: 8)
            ? numbers.one(of: texts) : "\(numbers.below(90) - 20)\(numbers.one(of: ["", ".0", ".5", ".50", ".125"]))"
        return DecimalNumber(text) ?? .notANumber
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

    package static func text(_ numbers: inout SeededNumbers) -> String { string(&numbers) }

    private static func string(_ numbers: inout SeededNumbers) -> String {
        let words = [
            "", "a", "A", "ä", "a\u{308}", "É", "e", "e\u{301}", "\u{E9}", ";", "\u{37E}", "K", "\u{212A}", "ﬁ", "fi",
            "abc", "ABC", "Abd", "dog", "dig", "ding", "x\u{0}y", "zoë", "日本", "ks", "KS",
            "\u{212A}\u{17F}", "σ", "ΣΊ", "σς",
        ]
        if numbers.once(in: 12) {
            return String(repeating: numbers.one(of: ["long ", "lang"]), count: 60 + numbers.below(3))
        }
        return numbers.one(of: words) + (numbers.once(in: 3) ? numbers.one(of: words) : "")
    }
}
