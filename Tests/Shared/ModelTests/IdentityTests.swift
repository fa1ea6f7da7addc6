import CausewayModel
import Testing

@Suite("What is the same")
struct IdentityTests {
    /// Pairs of which Unicode says that both are one text.
    static let spellings = [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("\u{344}", "\u{308}\u{301}"),
        ("\u{AC00}", "\u{1100}\u{1161}"),
        // Two marks in one order and in the other: as many bytes.
        ("q\u{307}\u{323}", "q\u{323}\u{307}"),
    ]
    private static let lookalikes = [
        ("\u{FB01}", "fi"), ("\u{212B}", "A"), ("a", "\u{430}"), ("", "\u{0}"), ("x", "x "),
    ]

    @Test("two spellings of a text are two strings, keys and values", arguments: 0..<6)
    func spellings(number: Int) {
        let (left, right) = Self.spellings[number]
        #expect(left == right, "Unicode calls them equal")
        #expect(!left.isSame(as: right) && left.isSame(as: left + "") && right.isSame(as: right + ""))
        #expect(ExactString(left) != ExactString(right))
        #expect(PrimaryKey.string(left) != .string(right) && PrimaryKey.string(left) == .string(left + ""))
        #expect(Value.string(left) != .string(right) && Value.string(left) == .string(left + ""))
        #expect(Value.link(.string(left)) != .link(.string(right)))
        #expect(Value.anyLink(ClassedLink(left, .int(1))) != .anyLink(ClassedLink(right, .int(1))))
        #expect(SetElement(.string(left)) != SetElement(.string(right)))
        #expect(Set([Value.string(left), .string(right), .string(left + "")]).count == 2)
        #expect(Set([PrimaryKey.string(left), .string(right), .string(left + "")]).count == 2)
        #expect((PrimaryKey.string(left) < .string(right)) != (PrimaryKey.string(right) < .string(left)))
    }

    @Test("what only looks alike is not the same", arguments: 0..<5)
    func lookalikes(number: Int) {
        let (left, right) = Self.lookalikes[number]
        #expect(!left.isSame(as: right) && Value.string(left) != .string(right))
        #expect(PrimaryKey.string(left) != .string(right))
    }

    @Test("strings of every length are the same only with every byte the same")
    func everyByte() {
        for count in 0..<40 {
            let text = String(repeating: "x", count: count)
            #expect(text.isSame(as: String(repeating: "x", count: count)))
            for place in 0..<count {
                var bytes = Array(text.utf8)
                bytes[place] = UInt8(ascii: "y")
                let other = String(decoding: bytes, as: UTF8.self)
                #expect(!text.isSame(as: other) && ExactString(text) < ExactString(other), "\(count), \(place)")
            }
        }
    }

    @Test("a dictionary by exact strings has a value for each spelling")
    func dictionary() {
        var counts: ExactDictionary<Int> = ["\u{E9}": 1]
        counts["e\u{301}"] = 2
        counts["\u{E9}", default: 0] += 10
        counts["K", default: 5] += 1
        #expect(counts.count == 3 && counts["\u{E9}"] == 11 && counts["e\u{301}"] == 2 && counts["K"] == 6)
        #expect(counts["\u{212A}"] == nil)
        counts["K"] = nil
        #expect(counts.map(\.value).sorted() == [2, 11])
    }

    @Test("numbers are the same by their bits, and all NaNs are one")
    func numbers() throws {
        let (one, same) = (try #require(DecimalNumber("1.0")), try #require(DecimalNumber("1.00")))
        #expect(Value.double(0) != .double(-0.0) && Value.float(0) != .float(-0.0))
        #expect(Value.decimal(one) != .decimal(same) && Value.decimal(one) == .decimal(one))
        #expect(Value.decimal(.notANumber) == .decimal(.notANumber))
        let nans: [Double] = [.nan, -.nan, .signalingNaN, Double(nan: 7, signaling: false)]
        for nan in nans {
            #expect(Value.double(nan) == .double(.nan) && Set([Value.double(nan), .double(.nan)]).count == 1)
            #expect(nan.storedBits == Double.nan.bitPattern)
        }
        for nan: Float in [.nan, -.nan, .signalingNaN, Float(nan: 7, signaling: false)] {
            #expect(Value.float(nan) == .float(.nan) && nan.storedBits == Float.nan.bitPattern)
        }
        #expect(Value.int(1) != .double(1) && Value.bool(true) != .int(1) && Value.null == .null)
    }

    @Test("a set holds what compares as equal once: as the canonical order has it")
    func elements() throws {
        let values: [Value] = [
            .null, .bool(true), .int(0), .float(0), .float(-0.0), .float(.nan), .double(0), .double(-0.0),
            .double(.nan),
            .double(Double(nan: 7, signaling: false)), .decimal(.zero), .decimal(-DecimalNumber.zero),
            .decimal(try #require(DecimalNumber("1.0"))), .decimal(try #require(DecimalNumber("1.00"))),
            .decimal(.notANumber), .string(""), .string("\u{E9}"), .string("e\u{301}"), .bytes([]), .link(.string("K")),
            .link(.string("\u{212A}")),
        ]
        for left in values {
            for right in values {
                let areOne = !Value.canonicallyPrecedes(left, right) && !Value.canonicallyPrecedes(right, left)
                #expect((SetElement(left) == SetElement(right)) == areOne, "\(left), \(right)")
                if areOne { #expect(SetElement(left).hashValue == SetElement(right).hashValue, "\(left), \(right)") }
            }
        }
    }

    @Test("a schema finds a name by its bytes, and knows of other spellings")
    func names() {
        let schema = Schema([ClassSchema(name: "Caf\u{E9}", properties: [Property(name: "K", type: .int)])])
        #expect(schema["Caf\u{E9}"] != nil && schema["Cafe\u{301}"] == nil)
        #expect(schema["Caf\u{E9}"]?.index(of: "K") == 0 && schema["Caf\u{E9}"]?.index(of: "\u{212A}") == nil)
        #expect(schema.someClass(spelledUnlike: "Cafe\u{301}") != nil)
        #expect(schema.someClass(spelledUnlike: "Caf\u{E9}") == nil)
        #expect(schema["Caf\u{E9}"]?.property(spelledUnlike: "\u{212A}")?.name == "K")
    }
}
