import CausewayModel
import CausewaySeeds
import Testing

@Suite struct DecimalTests {
    private static let seeds = SeedList.drawn(for: "decimals", count: 3)

    /// Any bits at all, or numbers near each other.
    private func number(_ random: inout SeededNumbers) -> DecimalNumber {
        if random.once(in: 3) { return DecimalNumber(high: random.next(), low: random.next()) }
        let digits = String(random.next() >> UInt64(random.below(64)))
        return DecimalNumber((random.once(in: 2) ? "-" : "") + digits + "E\(random.number(-9...9))") ?? .zero
    }

    @Test("the laws of arithmetic that survive rounding", arguments: seeds)
    func laws(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<2000 {
            let (a, b) = (number(&random), number(&random))
            #expect((a + b).hasSameBits(as: b + a), "\(a) \(b)")
            #expect((a * b).hasSameBits(as: b * a), "\(a) \(b)")
            guard a.isFinite, b.isFinite else { continue }
            #expect(a - a == .zero, "\(a)")
            #expect(a - b == -(b - a), "\(a) \(b)")
            #expect(-(-a) == a)
            #expect(a.magnitude == (a < .zero ? -a : a), "\(a)")
            #expect((a < b) == (b > a) && (a == b) == (!(a < b) && !(b < a)), "\(a) \(b)")
            if a == b { #expect(a.hashValue == b.hashValue, "\(a) \(b)") }
            if !b.isZero { #expect((a / b).isNaN == false, "\(a) \(b)") }
        }
    }

    @Test("of infinities with bits that mean nothing a sum has none of them, whichever comes first")
    func infinities() {
        let other = DecimalNumber(high: 0x7800_0000_0000_0001, low: 0)
        for (left, right) in [(other, .infinity), (.infinity, other), (other, other), (other, .zero)] {
            #expect((left + right).hasSameBits(as: .infinity))
            #expect((-left - right).hasSameBits(as: -.infinity))
        }
    }

    @Test("every number is written as a text that reads back as the same bits", arguments: seeds)
    func roundTrip(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<2000 {
            let a = number(&random)
            guard !a.isNaN else { continue }
            let read = DecimalNumber(a.description)
            // Bits beyond 34 digits are another form of zero.
            #expect(read == a && read?.description == a.description, "\(a)")
        }
    }

    @Test("texts of every form, and what they are written as")
    func forms() {
        let forms: [(String, String?)] = [
            ("1E+3", "1E+3"), ("1000", "1000"), ("1.50", "1.50"), (".5", "0.5"), ("5.", "5"), ("-0", "-0"),
            ("+7", "7"), ("0.000001", "0.000001"), ("0.0000001", "1E-7"),
            ("1e6144", "1.000000000000000000000000000000000E+6144"),
            ("1e6145", "Infinity"), ("-inf", "-Infinity"), ("iNfinity", "Infinity"), ("nan", "NaN"), ("-NaN", "NaN"),
            ("1e-6176", "1E-6176"), ("4e-6177", "0E-6176"),
            ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
            ("12345678901234567890123456789012355", "1.234567890123456789012345678901236E+34"),
            ("", nil), ("-", nil), (".", nil), ("1.2.3", nil), ("1e", nil), ("1e+", nil), ("e5", nil), (" 1", nil),
            ("1 ", nil), ("0x1F", nil), ("infin", nil), ("1_000", nil), ("١", nil), ("--1", nil), ("1e5.0", nil),
        ]
        for (text, written) in forms { #expect(DecimalNumber(text)?.description == written, "\(text)") }
    }

    @Test("equal numbers are equal however they are written, and hash alike")
    func equality() throws {
        let one = try #require(DecimalNumber("1.0"))
        let same = try #require(DecimalNumber("1.00"))
        #expect(one == same && one.hashValue == same.hashValue && !one.hasSameBits(as: same))
        #expect(DecimalNumber("-0") == DecimalNumber("0E+40"))
        #expect(DecimalNumber("1E+2") == DecimalNumber("100"))
        #expect(DecimalNumber.notANumber != .notANumber)
        #expect(Set([one, same, .zero]).count == 2)
    }

    @Test("ordered bits ascend as the numbers do, NaN first")
    func order() {
        let ascending = [
            "NaN", "-Infinity", "-1E+6144", "-2", "-1.5", "-1E-6176", "0", "1E-6176", "0.1", "1", "9", "10", "10.1",
            "1E+6111", "9E+6144", "Infinity",
        ].compactMap(DecimalNumber.init)
        for (lower, upper) in zip(ascending, ascending.dropFirst()) {
            #expect(lower.orderedBits < upper.orderedBits, "\(lower) \(upper)")
        }
    }

    @Test("a Double becomes the decimal it is, or the one it reads like")
    func doubles() {
        #expect(DecimalNumber(nearest: 0.1).description == "0.1000000000000000055511151231257827")
        #expect(DecimalNumber(reading: 0.1).description == "0.1")
        #expect(DecimalNumber(reading: Float(0.1)).description == "0.1")
        #expect(DecimalNumber(reading: 3.0).description == "3")
        #expect(DecimalNumber(reading: -0.0).description == "-0")
        #expect(DecimalNumber(reading: 1e300).description == "1E+300")
        #expect(DecimalNumber(nearest: Double.leastNonzeroMagnitude).double == .leastNonzeroMagnitude)
        #expect(
            DecimalNumber(reading: Double.nan).isNaN
                && DecimalNumber(reading: -Double.infinity) == -DecimalNumber.infinity)
    }

    @Test("decimals become integers exactly, downwards, or not at all")
    func integers() throws {
        let cases: [(String, Int64?, Int64?)] = [
            ("0", 0, 0), ("1.50", 1, nil), ("-1.5", -2, nil), ("2.00", 2, 2), ("1E+2", 100, 100), ("-1E-40", -1, nil),
            ("1E-40", 0, nil), ("9223372036854775807", .max, .max), ("9223372036854775808", nil, nil),
            ("-9223372036854775808", .min, .min), ("-9223372036854775808.1", nil, nil), ("1E+6000", nil, nil),
            ("NaN", nil, nil), ("Infinity", nil, nil), ("0E+6000", 0, 0),
        ]
        for (text, down, exact) in cases {
            let number = try #require(DecimalNumber(text))
            #expect(number.roundedDown == down, "\(text)")
            #expect(Int64(exactly: number) == exact, "\(text)")
        }
        #expect(DecimalNumber(Int64.min).description == "-9223372036854775808")
    }
}
