import CausewayExactValues
import CausewayModel
import Testing

/// What oracles take for one value, and for one element of a set, must not be what the product takes for it by mistake.
@Suite("Values bit by bit")
struct ExactValueTests {
    private static let nans: [Double] = [.nan, -.nan, Double(nan: 3, signaling: false)]

    @Test("what is represented in two ways is two values")
    func exact() {
        let texts = ["\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{FB01}", "fi", "", "a", "a\u{0}"]
        let decimals = ["1", "1.0", "1.00", "0", "-0", "0.0", "NaN", "Infinity", "-Infinity"]
        let values =
            texts.map { Value.string($0) } + decimals.map { Value.decimal(DecimalNumber($0) ?? .zero) }
            + Self.nans.map { Value.double($0) } + [
                .null, .bool(false), .bool(true), .int(0), .int(1), .float(0), .float(-0.0), .float(1), .double(0),
                .double(-0.0), .double(1), .bytes([]), .bytes([97]), .link(.string("\u{E9}")),
                .link(.string("e\u{301}")), .link(.int(1)), .anyLink(ClassedLink("\u{E9}", .int(1))),
                .anyLink(ClassedLink("e\u{301}", .int(1))),
            ]
        for (number, value) in values.enumerated() {
            for (other, another) in values.enumerated() {
                #expect((ExactValue(value) == ExactValue(another)) == (number == other), "\(value), \(another)")
            }
        }
    }

    @Test("one NaN stands for all of those that were stored, and only for those")
    func storedNaNs() {
        for nan in Self.nans { #expect(ExactValue(stored: .double(nan)) == ExactValue(.double(.nan))) }
        #expect(ExactValue(stored: .float(Float(nan: 3, signaling: false))) == ExactValue(.float(.nan)))
        #expect(ExactValue(stored: .double(-0.0)) != ExactValue(.double(0)))
    }

    @Test("numbers of one kind that are equal are one element of a set, and so are all NaNs; nothing else is")
    func elements() {
        let elements: [[Value]] = [
            [.double(0), .double(-0.0)], Self.nans.map { .double($0) }, [.double(1)], [.float(0), .float(-0.0)],
            decimals("0", "-0", "0.00", "0E+10"), decimals("1", "1.0", "1.00"), decimals("-1", "-1.0"),
            decimals("10", "1E+1", "10.0"), decimals("100"), decimals("NaN", "sNaN"), decimals("Infinity"),
            decimals("-Infinity"), [.int(1)], [.string("\u{E9}")], [.string("e\u{301}")], [.null],
        ]
        for (number, values) in elements.enumerated() {
            for (other, others) in elements.enumerated() {
                for value in values {
                    for another in others {
                        let isOne = SetIdentity(value) == SetIdentity(another)
                        #expect(isOne == (number == other), "\(value), \(another)")
                        #expect((SetElement(value) == SetElement(another)) == isOne, "\(value), \(another)")
                    }
                }
            }
        }
    }

    private func decimals(_ texts: String...) -> [Value] {
        texts.map { .decimal(DecimalNumber($0) ?? .notANumber) }
    }
}
