import CausewayConversion
import CausewayModel
import Testing

@Suite("What becomes of a property that gets another type")
struct PropertyMappingTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Plant",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "height", type: .int, isOptional: true, isIndexed: true),
                Property(name: "visits", type: .int, isCounter: true),
                Property(name: "notes", type: .string, isText: true),
                Property(name: "colours", type: .string, collection: .list),
                Property(name: "labels", type: .string, collection: .set),
                Property(name: "ratings", type: .int, collection: .map),
                Property(name: "bed", type: .object, isOptional: true, target: "Plant"),
                Property(name: "name", type: .string, isFullTextIndexed: true),
                Property(name: "any", type: .mixed, isOptional: true),
                Property(name: "sown", type: .date),
            ]),
        ClassSchema(
            name: "Reading", kind: .asymmetric,
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "value", type: .double),
            ]),
    ])

    private func mapping(
        _ property: String, _ type: PropertyType, isOptional: Bool? = nil,
        misfits: PropertyMapping.MisfitRule = .refuse, in className: String = "Plant"
    ) throws -> PropertyMapping {
        try PropertyConversion(className, property, to: type, isOptional: isOptional, misfits: misfits)
            .mapping(in: Self.schema)
    }

    private func refusal(
        _ property: String, _ type: PropertyType, isOptional: Bool? = nil,
        misfits: PropertyMapping.MisfitRule = .refuse, in className: String = "Plant"
    ) -> String? {
        do {
            _ = try mapping(property, type, isOptional: isOptional, misfits: misfits, in: className)
            return nil
        } catch {
            return (error as? PropertyMapping.Refusal)?.message
        }
    }

    @Test("what does not fit is refused, becomes null or the default, each with the reason")
    func misfits() throws {
        let refusing = try mapping("name", .int)
        #expect(refusing.outcome(of: .string("7")) == .fits(.int(7)))
        #expect(refusing.outcome(of: .string("x")) == .refused(.text))
        let nulling = try mapping("name", .int, isOptional: true, misfits: .null)
        #expect(nulling.outcome(of: .string("7")) == .fits(.int(7)))
        #expect(nulling.outcome(of: .string("x")) == .replaced(.null, .text))
        let defaulting = try mapping("height", .bool, isOptional: false, misfits: .value(.bool(true)))
        #expect(defaulting.outcome(of: .int(0)) == .fits(.bool(false)))
        #expect(defaulting.outcome(of: .int(2)) == .replaced(.bool(true), .number))
        #expect(defaulting.outcome(of: .null) == .replaced(.bool(true), .null))
    }

    @Test("the reason follows from the value")
    func reasons() throws {
        for (property, type, value, reason) in [
            ("sown", .string, .timestamp(Timestamp(seconds: .max, nanoseconds: 0)), .date),
            ("any", .int, .string("7"), .type), ("any", .int, .anyObject(ClassedKey(1, ObjectKey(1))), .type),
            ("height", .bool, .int(7), .number), ("name", .uuid, .string(""), .text),
        ] as [(String, PropertyType, Value, Misfit)] {
            #expect(try mapping(property, type).outcome(of: value) == .refused(reason), "\(property)")
        }
        let data = try PropertyMapping(
            of: Property(name: "seed", type: .data), in: "Plant", to: .string, isOptional: nil, misfits: .refuse)
        #expect(data.outcome(of: .bytes([0xFF])) == .refused(.bytes))
        #expect(data.outcome(of: .null) == .refused(.null))
    }

    @Test("null fits an optional property; optional stays optional unless it is told otherwise")
    func optional() throws {
        #expect(try mapping("height", .string).property.isOptional)
        #expect(try mapping("height", .string).outcome(of: .null) == .fits(.null))
        #expect(try !mapping("height", .string, isOptional: false).property.isOptional)
        #expect(try mapping("height", .string, isOptional: false).outcome(of: .null) == .refused(.null))
        #expect(try mapping("sown", .string).property.isOptional == false)
        // Only whether it may be null.
        #expect(try mapping("height", .int, isOptional: false).outcome(of: .int(3)) == .fits(.int(3)))
        #expect(try mapping("sown", .date, isOptional: true).property.type == .date)
        #expect(try mapping("name", .mixed, isOptional: false).property.isOptional)
    }

    @Test("an index stays where the new type can have one")
    func indexes() throws {
        #expect(try mapping("height", .string).property.isIndexed)
        #expect(try !mapping("height", .double).property.isIndexed)
        #expect(try !mapping("name", .mixed).property.isFullTextIndexed)
        #expect(try mapping("name", .string, isOptional: true).property.isFullTextIndexed)
    }

    @Test("what cannot change its type is refused, and the refusal says why")
    func refused() {
        for (property, type, word) in [
            ("_id", .string, "primary key"), ("visits", .double, "counter"), ("notes", .mixed, "edits merge"),
            ("colours", .int, "collection"), ("labels", .int, "collection"), ("ratings", .string, "collection"),
            ("bed", .string, "link"), ("height", .object, "no rule"), ("height", .date, "no rule"),
            ("height", .int, "already"), ("any", .mixed, "already"), ("nothing", .int, "no property"),
        ] as [(String, PropertyType, String)] {
            #expect(refusal(property, type)?.contains(word) == true, "\(refusal(property, type) ?? "nothing")")
        }
        #expect(refusal("value", .string, in: "Reading")?.contains("one-way") == true)
        #expect(refusal("value", .string, in: "Nothing")?.contains("no class") == true)
        #expect(refusal("elements", .string, in: "#List")?.contains("no class") == true)
        #expect(refusal("name", .int, misfits: .null)?.contains("will be required") == true)
        #expect(refusal("name", .int, misfits: .value(.string("0")))?.contains("is not int") == true)
        #expect(refusal("name", .int, misfits: .value(.null))?.contains("is not int") == true)
    }

    @Test("of the schema only the property changes, and it goes behind the others")
    func schema() throws {
        let changed = try PropertyConversion("Plant", "height", to: .string).applied(to: Self.schema)
        let (before, after) = (try #require(Self.schema["Plant"]), try #require(changed["Plant"]))
        #expect(after.properties.dropLast() == (before.properties.filter { $0.name != "height" })[...])
        #expect(after.properties.last == Property(name: "height", type: .string, isOptional: true, isIndexed: true))
        #expect(changed["Reading"] == Self.schema["Reading"])
    }
}
