import CausewayConversion
import CausewayModel
import CausewayQuery
import Testing

/// The rows of CONVERSIONS.md: values that fit, and values that do not.
@Suite("How values of one type become values of another")
struct ValueConversionTests {
    private struct Row: Sendable {
        var source: PropertyType
        var target: PropertyType
        var fitting: [(Value, Value)]
        var misfits: [Value] = []

        init(
            _ source: PropertyType, _ target: PropertyType, _ fitting: [(Value, Value)], misfits: [Value] = []
        ) {
            (self.source, self.target, self.fitting, self.misfits) = (source, target, fitting, misfits)
        }
    }

    private static func decimal(_ text: String) throws -> Value { .decimal(try #require(DecimalNumber(text))) }

    private static func point(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> Value {
        .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    private static var objectId: Value {
        get throws { .objectId(try #require(ObjectIdentifier12(hexadecimal: "00112233445566778899aabb"))) }
    }

    private static var uuid: Value {
        get throws { .uuid(try #require(UUID16(hyphenated: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))) }
    }

    private func check(_ rows: [Row]) throws {
        for row in rows {
            let conversion = try #require(
                ValueConversion(from: row.source, to: row.target), "\(row.source) to \(row.target)")
            for (value, expected) in row.fitting {
                #expect(conversion.converted(value)?.asStored == expected.asStored, "\(value) to \(row.target)")
            }
            for value in row.misfits {
                #expect(conversion.converted(value) == nil, "\(value) to \(row.target)")
            }
        }
    }

    @Test("truth and whole numbers")
    func truth() throws {
        try check([
            Row(.bool, .int, [(.bool(false), .int(0)), (.bool(true), .int(1))]),
            Row(
                .int, .bool, [(.int(0), .bool(false)), (.int(1), .bool(true))],
                misfits: [.int(2), .int(-1), .int(.min)]),
        ])
    }

    @Test("a whole number becomes a number with a point if that holds it exactly")
    func wholeNumbers() throws {
        let (float, double) = (Int64(1) << 24, Int64(1) << 53)
        try check([
            Row(
                .int, .float, [(.int(float), .float(16_777_216)), (.int(.min), .float(-0x1p63))],
                misfits: [.int(float + 1), .int(.max)]),
            Row(
                .int, .double, [(.int(double), .double(0x1p53)), (.int(-3), .double(-3))],
                misfits: [.int(double + 1), .int(.max)]),
            Row(
                .int, .decimal128, [(.int(.max), try Self.decimal("9223372036854775807")), (.int(0), .decimal(.zero))]),
        ])
    }

    @Test("a number with a point becomes a whole number if it is one of 64 bits")
    func truncations() throws {
        try check([
            Row(
                .float, .int, [(.float(-0.0), .int(0)), (.float(16_777_216), .int(16_777_216))],
                misfits: [.float(0.5), .float(0x1p63), .float(.nan), .float(.infinity)]),
            Row(
                .double, .int, [(.double(-0.0), .int(0)), (.double(-0x1p63), .int(.min))],
                misfits: [.double(1.5), .double(0x1p63), .double(.nan), .double(-.infinity)]),
            Row(
                .decimal128, .int,
                [(try Self.decimal("-7.00"), .int(-7)), (try Self.decimal("1E+3"), .int(1_000))],
                misfits: [try Self.decimal("0.1"), try Self.decimal("9223372036854775808"), try Self.decimal("NaN")]),
        ])
    }

    @Test("numbers with a point become one another if nothing is lost; 0.1 stays 0.1 as a decimal")
    func points() throws {
        try check([
            Row(.float, .double, [(.float(0.5), .double(0.5)), (.float(0.1), .double(Double(Float(0.1))))]),
            Row(
                .double, .float,
                [
                    (.double(0.5), .float(0.5)), (.double(.nan), .float(.nan)),
                    (.double(-.infinity), .float(-.infinity)),
                ],
                misfits: [.double(0.1), .double(1e300), .double(.leastNonzeroMagnitude)]),
            Row(
                .double, .decimal128,
                [(.double(0.1), try Self.decimal("0.1")), (.double(.infinity), try Self.decimal("Infinity"))]),
            Row(.float, .decimal128, [(.float(0.1), try Self.decimal("0.1"))]),
            Row(
                .decimal128, .double,
                [
                    (try Self.decimal("0.1"), .double(0.1)), (try Self.decimal("1.50"), .double(1.5)),
                    (try Self.decimal("NaN"), .double(.nan)), (try Self.decimal("-Infinity"), .double(-.infinity)),
                ],
                misfits: [try Self.decimal("0.1000000000000000000000001"), try Self.decimal("1E+400")]),
            Row(
                .decimal128, .float, [(try Self.decimal("0.1"), .float(0.1))],
                misfits: [try Self.decimal("0.123456789012"), try Self.decimal("1E+39")]),
        ])
    }

    @Test("everything but links has a text, which reads back as the value")
    func texts() throws {
        for (type, value, text) in [
            (.bool, .bool(true), "true"), (.int, .int(-7), "-7"), (.float, .float(0.1), "0.1"),
            (.double, .double(1.5), "1.5"), (.double, .double(.nan), "NaN"), (.double, .double(.infinity), "Infinity"),
            (.float, .float(-.infinity), "-Infinity"), (.decimal128, try Self.decimal("1.50"), "1.50"),
            (.decimal128, try Self.decimal("NaN"), "NaN"), (.date, Self.point(0), "1970-01-01T00:00:00Z"),
            (.date, Self.point(-62_135_596_800), "0001-01-01T00:00:00Z"),
            (.date, Self.point(253_402_300_799, 999_999_999), "9999-12-31T23:59:59.999999999Z"),
            (.objectId, try Self.objectId, "00112233445566778899aabb"),
            (.uuid, try Self.uuid, "6ba7b810-9dad-11d1-80b4-00c04fd430c8"), (.data, .bytes(Array("é\0".utf8)), "é\0"),
            (.data, .bytes([]), ""),
        ] as [(PropertyType, Value, String)] {
            try check([
                Row(type, .string, [(value, .string(text))]), Row(.string, type, [(.string(text), value)]),
            ])
        }
        try check([
            Row(.date, .string, [], misfits: [Self.point(-62_135_596_801), Self.point(253_402_300_800)]),
            Row(.data, .string, [], misfits: [.bytes([0xFF]), .bytes([0xC3])]),
        ])
    }

    @Test("a text becomes what the data API reads it as, and nothing else")
    func readings() throws {
        try check([
            Row(.string, .bool, [], misfits: [.string("True"), .string("1"), .string("")]),
            Row(
                .string, .int, [(.string("9223372036854775807"), .int(.max))],
                misfits: [.string("9223372036854775808"), .string("1.0"), .string(" 1"), .string("")]),
            Row(
                .string, .double, [(.string("1e2"), .double(100)), (.string("0.1"), .double(0.1))],
                misfits: [.string("1e400"), .string("0x1p3"), .string("inf"), .string("1,5"), .string("")]),
            Row(.string, .float, [(.string("0.1"), .float(0.1))], misfits: [.string("1e39"), .string("nan")]),
            Row(.string, .decimal128, [], misfits: [.string("1.2.3"), .string("1e7000"), .string("")]),
            Row(
                .string, .date, [(.string("1970-01-01T01:00:00+01:00"), Self.point(0))],
                misfits: [.string("1970-01-01"), .string("0"), .string("")]),
            Row(.string, .objectId, [], misfits: [.string("00112233445566778899aab"), .string("")]),
            Row(.string, .uuid, [], misfits: [.string("6ba7b8109dad11d180b400c04fd430c8"), .string("")]),
        ])
    }

    @Test("everything but links fits mixed, and of mixed values those that have the type already")
    func mixed() throws {
        let link = Value.anyObject(ClassedKey(1, ObjectKey(1)))
        for (type, value, other) in [
            (.bool, .bool(true), .int(1)), (.int, .int(1), .double(1)), (.float, .float(1), .double(1)),
            (.double, .double(1), .int(1)), (.string, .string("1"), .int(1)), (.data, .bytes([1]), .string("\u{1}")),
            (.date, Self.point(0), .string("1970-01-01T00:00:00Z")), (.objectId, try Self.objectId, .int(1)),
            (.uuid, try Self.uuid, try Self.objectId), (.decimal128, .decimal(.zero), .int(0)),
        ] as [(PropertyType, Value, Value)] {
            try check([
                Row(type, .mixed, [(value, value)]), Row(.mixed, type, [(value, value)], misfits: [other, link]),
                Row(type, type, [(value, value)]),
            ])
        }
    }

    @Test("every other pair of types has no rule")
    func noRules() {
        let numbers: Set<PropertyType> = [.int, .float, .double, .decimal128]
        for source in PropertyType.allCases {
            for target in PropertyType.allCases {
                let isText = source == .string || target == .string || source == .mixed || target == .mixed
                let isTruth = [source, target] == [.bool, .int] || [source, target] == [.int, .bool]
                let isNumeric = numbers.contains(source) && numbers.contains(target)
                let isLink = source == .object || target == .object
                #expect(
                    (ValueConversion(from: source, to: target) != nil)
                        == (!isLink && (source == target || isText || isTruth || isNumeric)), "\(source) to \(target)")
            }
        }
    }
}
