import CausewayModel
import CausewayQuery
import Testing

/// Sentences of the published documents, and of the texts that other SDKs send, one by one.
@Suite("Published sentences of the query language")
struct PublishedSentenceTests {
    private static let small = DecimalNumber("0.12345678901234567890123") ?? .zero

    private static let world = TestRow.World([
        "All": [
            [
                "int": [.int(7)], "maybeInt": [.null], "double": [.double(2.5)], "price": [.decimal(small)],
                "string": [.string("Zoë")], "other": [.string("a")], "data": [.bytes([1, 2])],
                "scores": [.int(1), .int(7), .int(9)], "ratios": [.double(.nan), .double(1), .double(3)],
                "tags": [.string("a"), .string("bcé")], "friends": [.object(ObjectKey(1)), .object(ObjectKey(2))],
                "offers": [.decimal(small)], "dates": [.timestamp(Timestamp(seconds: 1, nanoseconds: 2))],
            ],
            [
                "int": [.int(3)], "scores": [.int(2), .int(4)], "friends": [.object(ObjectKey(2))],
                "string": [.string("x")],
            ],
            ["int": [.int(.max)], "scores": [], "ratios": [.double(.nan)], "string": [.null]],
        ]
    ])

    private func holds(_ text: String, row: Int = 0) throws -> Bool {
        try Predicate.parse(text).bound(to: "All", in: Models.schema)
            .matches(TestRow(world: Self.world, className: "All", index: row))
    }

    private func refusal(_ text: String) -> String? {
        do {
            _ = try Predicate.parse(text).bound(to: "All", in: Models.schema)
            return nil
        } catch { return error.message }
    }

    @Test(
        "what holds, and does not when it is negated",
        arguments: [
            // Every digit counts against decimals and ints.
            "price == 0.12345678901234567890123", "price != 0.12345678901234568", "price < 0.12345678901234567890124",
            "price IN {1, 0.12345678901234567890123}", "price BETWEEN {0.12345678901234567890122, 0.12345678901234568}",
            "price == ANY {0.12345678901234567890123}", "ANY offers == 0.12345678901234567890123",
            "price - 0.02345678901234567890123 == 0.1", "price < 1e400", "int < 1e400", "int > -1e400",
            "double < 1e400", "int < 7.00000000000000000000001", "int != 7.00000000000000000000001",
            "double == 2.500000000000000000000001", "offers.@max == 0.12345678901234567890123",
            "0.1 + 0.2 + price - price == 0.3",
            // Quantifiers on both sides: the left one asks first.
            "ANY {1, 2, 3} > ALL {1, 2}", "ANY {1, 2, 3} == NONE {1, 2}", "NOT ANY {4, 8} == ANY {5, 9, 11}",
            "ANY {1, 2, 7} <= NONE {1, 2}", "ALL {1, 2} IN ANY {1, 2, 3}", "NOT ALL {3, 1, 4, 3} == NONE {1, 2}",
            "ALL {} in ALL {1, 2}", "NOT NONE {1, 2, 3, 12} > ALL {5, 9, 11}", "NONE {4, 8} > ALL {5, 9, 11}",
            "NONE {0, 1} < NONE {1, 2}", "ANY {1, 10} > ALL scores", "ALL scores > ANY {0, 8}",
            "ALL scores == ANY {1, 7, 9}", "NOT ALL scores == ANY {1, 7}", "NOT ANY {1, 7, 9} == ALL scores",
            "scores == NONE {1, 7}", "NOT scores == NONE {1, 7, 9}", "NONE scores IN {2, 3}", "NONE scores == {2, 3}",
            "ANY scores > ALL {1, 8}", "NONE scores > ALL {5, 9}", "ALL tags BEGINSWITH ANY {'a', 'b'}",
            "ANY scores > ALL friends.scores", "NOT ALL scores > ANY friends.scores",
            "NONE scores == ANY friends.scores",
            "scores IN scores", "ALL scores IN scores", "scores == ALL friends.ratios OR scores != ALL friends.ratios",
            "int IN ANY {6, 7}", "other BEGINSWITH {'x', 'a'}",
            // Sizes are bytes.
            "string.@size == 4", "string.@count == 4", "data.@size == 2", "ANY tags.length == 4",
            "ALL tags.length >= 1",
            "tags.@count == 2", "tags[1].@size == 4", "mate.string.@size == nil",
            // NaN is left out.
            "ratios.@sum == 4", "ratios.@avg == 2", "ratios.@min == 1", "ratios.@max == 3", "ratios.@count == 3",
            "friends[1].ratios.@max == nil", "friends[1].ratios.@sum == 0",
            // Collections behind collections.
            "friends.friends.@count == 1", "friends.scores.@count == 2", "ANY friends.scores.@max == 4",
            "ALL friends.scores.@sum >= 0", "friends.friends.@max.int == 9223372036854775807",
            "ANY friends.scores == 4",
            // The count of a SUBQUERY beside a property.
            "SUBQUERY(friends, $f, $f.int > 1).@count < int", "int > SUBQUERY(friends, $f, $f.int > 1).@count",
            // Texts of other SDKs.
            "string == B64\"Wm/Dqw==\"", "string CONTAINS[c] B64\"Wg==\"", "dates == T1:2",
            "dates == 1970-01-01@00:00:01:0000000002", "int == 7 and string == \"Zoë\"", "!(int == 8) && truepredicate",
        ])
    func holding(text: String) throws {
        #expect(try holds(text))
        #expect(try !holds("NOT (\(text))"))
        let printed = try Predicate.parse(text).description
        #expect(try Predicate.parse(printed) == Predicate.parse(text))
        #expect(try holds(printed))
    }

    @Test("names of operators and blanks stand without backticks")
    func names() throws {
        let schema = Schema([
            ClassSchema(
                name: "Odd",
                properties: ["in", "contains", "text", "between", "like", "first name", "tab\there"].map {
                    Property(name: $0, type: .int)
                })
        ])
        for text in [
            "in == 1", "in IN {1, 2}", "contains > 1 AND NOT text < 2", "between BETWEEN {1, 2}", "like + in == 2",
            "1 < in", "#in == 1", "first\\ name == 1", "tab\\there == 1",
        ] {
            let predicate = try Predicate.parse(text)
            _ = try predicate.bound(to: "Odd", in: schema)
            #expect(try Predicate.parse(predicate.description) == predicate)
        }
    }

    @Test(
        "what is refused, each with its sentence",
        arguments: [
            ("int ==[c] 7", "Invalid operator type: [c] and [d] are not supported for type 'int'"),
            ("ANY marks ==[c] 7", "Invalid operator type: [c] and [d] are not supported for type 'int'"),
            ("dates IN[c] {}", "Invalid operator type: [c] and [d] are not supported for type 'date'"),
            ("scores == friends.scores", "Comparing two collection columns is not permitted."),
            ("ANY scores IN ALL friends.scores", "Invalid predicate: ALL and NONE cannot stand before the collection"),
            (
                "ANY int == ALL scores",
                "Invalid predicate: Aggregate operations can only be used on key paths that include an collection"
            ),
            ("ANY {1} == ALL {'x'}", "Invalid value: 1 and x cannot be compared by '=='"),
            (
                "SUBQUERY(friends, $f, $f.int > 1).@count < string",
                "Invalid value: The count of a SUBQUERY is compared with a number"
            ),
            ("string == B64\"/w==\"", "Expected object of type string for property 'string'"),
            ("string.length == 3", "Invalid value: Property 'string' is not a link"),
            ("scores.length == 3", "Invalid value: Property 'scores' is not a link"),
        ])
    func refused(text: String, sentence: String) throws {
        let message = try #require(refusal(text))
        #expect(message.hasPrefix(sentence), "\(message)")
    }

    @Test("a product of two long lists is refused, and one of collections is told")
    func products() throws {
        let list = (0..<40).map(String.init).joined(separator: ", ")
        #expect(throws: QueryError.self) { try Predicate.parse("ANY {\(list)} == ALL {\(list)}") }
        let bound = try Predicate.parse("int == 1 OR ANY scores > ALL friends.scores")
            .bound(to: "All", in: Models.schema)
        #expect(bound.productOfCollections(in: Models.schema) == "scores and friends.scores")
        let list2 = try Predicate.parse("ALL scores > ANY {1, 2}").bound(to: "All", in: Models.schema)
        #expect(list2.productOfCollections(in: Models.schema) == nil)
    }

    @Test("what a SUBQUERY is compared with may pass a link")
    func links() throws {
        let bound = try Predicate.parse("SUBQUERY(friends, $f, $f.int > 1).@count < mate.int")
            .bound(to: "All", in: Models.schema)
        #expect(bound.usesLinks(in: Models.schema).contains("mate.int"))
    }
}
