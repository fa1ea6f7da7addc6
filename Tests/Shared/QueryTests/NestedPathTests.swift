import CausewayModel
import CausewayQuery
import Testing

@Suite("Subscripts of mixed values")
struct NestedPathTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Note",
            properties: [
                Property(name: "it", type: .mixed, isOptional: true),
                Property(name: "anys", type: .mixed, collection: .list, isOptional: true),
                Property(name: "map", type: .mixed, collection: .map, isOptional: true),
                Property(name: "set", type: .mixed, collection: .set, isOptional: true),
                Property(name: "number", type: .int),
                Property(name: "next", type: .object, isOptional: true, target: "Note"),
            ])
    ])

    @Test(
        "canonical text is read as it is written",
        arguments: [
            "it[0] == 1", "it['k'] == 1", "it['k'][0]['l'] == 1", "ANY it[*] == 1", "it[0][*]['k'] == 'x'",
            "it.@count == 2", "it[0].@count == 2", "it[*].@keys == 'a'", "map['k'][0] == 1", "next.it['k'] == nil",
            "anys[0][1] == 1",
        ])
    func roundTrip(_ text: String) throws {
        let predicate = try Predicate.parse(text)
        #expect(predicate.description == text)
        let bound = try predicate.bound(to: "Note", in: Self.schema)
        guard case .comparison(let comparison) = bound else {
            Issue.record("no comparison")
            return
        }
        #expect(comparison.goesIntoMixedValues)
        #expect((comparison.quantifier != .implied) == text.contains("*"))
        #expect(comparison.path.text(in: Self.schema).hasSuffix(text.split(separator: " ").first { $0 != "ANY" }!))
    }

    @Test("other spellings mean the same")
    func spellings() throws {
        #expect(try Predicate.parse("it[#any] == 1") == Predicate.parse("it[*] == 1"))
        #expect(try Predicate.parse("it[ * ] == 1") == Predicate.parse("it[*] == 1"))
        #expect(
            try Predicate.parse("it[%@][%d] == 1", arguments: [.value(.string("k")), .value(.int(2))])
                == Predicate.parse("it['k'][2] == 1"))
        #expect(try Predicate.parse("it['k'].@size == 1") == Predicate.parse("it['k'].@count == 1"))
    }

    @Test(
        "what makes no sense is refused with a sentence",
        arguments: [
            ("number[0] == 1", "is no list"), ("set[0] == 1", "is no list"),
            ("number[0][1] == 1", "holds no AnyRealmValue"),
            ("it[FIRST] == 1", "FIRST or LAST"),
            ("it[0].@max == 1", "Only @count"), ("it[-1] == 1", "position"), ("it[0.5] == 1", "position"),
            ("it[nil] == 1", "position"), ("it[0.name == 1", "expected"), ("it[0].name == 1", "is no list"),
            ("it[*] == it[*]", "two collection"), ("it[", "expected"), ("it[*", "expected"),
        ])
    func refused(_ text: String, _ words: String) {
        #expect {
            _ = try Predicate.parse(text).bound(to: "Note", in: Self.schema)
        } throws: { error in
            "\(error)".contains(words)
        }
    }

    @Test("a hundred subscripts are read, one more is not")
    func bounds() throws {
        let hundred = "it" + String(repeating: "[0]", count: 100)
        #expect(throws: Never.self) { try Predicate.parse(hundred + " == 1").bound(to: "Note", in: Self.schema) }
        #expect(throws: QueryError.self) { try Predicate.parse(hundred + "[0] == 1") }
    }
}
