import CausewayModel
import CausewayQuery
import Testing

@Suite("What the query language means")
struct QueryLanguageMeaningTests {
    private static let world = TestRow.World([
        "All": [
            [
                "int": [.int(7)], "maybeInt": [.null], "float": [.float(0.1)], "double": [.double(2.5)],
                "price": [.decimal(DecimalNumber(1) / DecimalNumber(10))], "scores": [.int(1), .int(7), .int(9)],
                "friends": [.object(ObjectKey(1)), .object(ObjectKey(0))], "mate": [.object(ObjectKey(1))],
                "bool": [.bool(true)], "tags": [.string("a"), .string("b")],
            ],
            ["int": [.int(.max)], "maybeInt": [.int(0)], "double": [.double(-1)], "scores": []],
        ]
    ])

    private func holds(_ text: String, row: Int = 0) throws -> Bool {
        try Predicate.parse(text).bound(to: "All", in: Models.schema)
            .matches(TestRow(world: Self.world, className: "All", index: row))
    }

    @Test(
        "what holds",
        arguments: [
            "int + 1 == 8", "int - 8 == -1", "int * int == 49", "int / 2 == 3", "0 - int == -7", "(0 - int) / 2 == -3",
            "int + 1 * 2 == 9", "(int + 1) * 2 == 16", "int / 2 * 2 != int", "2 * (int - 2) - 3 == int",
            "maybeInt + 1 == nil", "int + 1 != nil", "int / 0 == nil", "NOT (int / 0 > 0)", "maybeInt + 1 != 5",
            "double / 0 == inf", "(0 - double) / 0 == -inf", "int * 1.5 == 10.5", "int / 2.0 == 3.5",
            // A Float is the Double it is; a decimal meets a Double as the decimal that reads like it.
            "float * 1 != 0.1", "price + 0.2 == 0.3", "price * int == decimal(0.7)", "double + price == decimal(2.6)",
            "int + 1 > 7.5", "int + 1 < 8.5", "int + 1 BETWEEN {8, 8}", "int + 1 IN {nil, 8.0}",
            "int + 1 == ANY {1, 8}",
            "scores.@sum + 1 == 18", "scores.@count * 2 == 6", "scores.@avg * 3 > 16", "scores.@size - 3 == 0",
            "ANY scores - int == 2", "ALL scores + 1 > 1", "NONE scores * 2 == 3", "ANY scores * scores == 49",
            "mate.int - 1 < mate.int", "mate.mate.int + 1 == nil", "int == 14 / 2", "int > 2 + 2.5", "10 - 3 == int",
            "scores[0] == 1", "scores[LAST] == 9", "scores[FIRST] + scores[LAST] == 10", "scores[3] == nil",
            "scores[SIZE] == 3", "friends[1].int == 7", "friends[0].scores.@count == 0", "friends[7].int == nil",
            "friends[1].scores[1] == int", "friends[0] == mate", "tags[1] BEGINSWITH 'b'", "tags[0] IN {'a'}",
            "int == ANY {1, 7}", "int == NONE {1, 2}", "int > ALL {1, 2}", "ALL {1, 9} IN scores",
            "ANY {0, 9} IN scores",
            "NONE {0, 2} IN scores", "int + 2 IN scores", "ANY {1, 2} < int", "int != ALL {1, 2}", "int == ALL {}",
            "NOT int == ANY {}",
            "tags == ANY {'b', 'z'}", "tags BEGINSWITH[c] ANY {'Z', 'B'}", "7 == ANY scores", "5 < ANY scores",
            "bool == ANY {0, 1}", "int == {5, 7}", "{1, 7} == int", "tags BEGINSWITH {'x', 'b'}", "int > {6, 9}",
            "maybeInt <= nil", "maybeInt >= nil", "maybeInt >= maybeInt", "NOT maybeInt > maybeInt", "NOT int > nil",
            "NOT int == nil", "int != nil", "maybeInt + 1 <= maybeInt - 1", "maybeInt IN {nil, 3}",
            "maybeInt + 1 <= nil", "NOT maybeInt + 1 > nil", "NOT int + 1 BETWEEN {1, nil}",
        ])
    func holding(text: String) throws {
        #expect(try holds(text))
        #expect(try !holds("NOT (\(text))"))
    }

    @Test(
        "the ends of the ints, where the other object has the largest",
        arguments: [
            "int + 1 == 9223372036854775807", "int * 2 == 9223372036854775807", "0 - int - 2 == -9223372036854775808",
            "(0 - int - 1) / -1 == 9223372036854775807", "(0 - int - 1) * -1 == int", "int * -2 < -9223372036854775807",
            "int - 1 != 9223372036854775807.0", "int + 0 < 9223372036854775808", "int / maybeInt == nil",
        ])
    func ends(text: String) throws {
        #expect(try holds(text, row: 1))
    }

    @Test(
        "what has no meaning is refused, each with its sentence",
        arguments: [
            (
                "string + 1 > 2",
                "Invalid operand: Property 'string' on object of type 'All' is of type 'string', and arithmetic takes numbers"
            ),
            (
                "bool + 1 > 2",
                "Invalid operand: Property 'bool' on object of type 'All' is of type 'bool', and arithmetic takes numbers"
            ),
            (
                "int + date > 2",
                "Invalid operand: Property 'date' on object of type 'All' is of type 'date', and arithmetic takes numbers"
            ),
            (
                "int + 1 == string",
                "Invalid operand: Property 'string' on object of type 'All' is of type 'string', and arithmetic takes numbers"
            ),
            ("int + nothing > 2", "Invalid property name: Property 'nothing' not found in object of type 'All'"),
            ("int + 1 == 'x'", "Expected a number beside arithmetic, but received: x (Invalid value)"),
            (
                "int BETWEEN {nil, 'x'}",
                "Expected object of type int for property 'int' on object of type 'All', but received: x (Invalid value)"
            ),
            (
                "friends['Rex'].int == nil",
                "Invalid keypath: 'friends['Rex'].int' asks for elements of 'friends' that it does not have"
            ),
            ("mate[*].int > 1", "Invalid keypath: 'mate[*].int' asks for elements of 'mate' that it does not have"),
            ("int + 1 LIKE 'x'", "Invalid operator type: Operator 'LIKE' not supported for the result of arithmetic"),
            ("int + 1 ==[c] 2", "Invalid operator type: [c] and [d] are not supported for the result of arithmetic"),
            ("int > 1 / 0", "Division by zero: '1 / 0' has no result"),
            ("int + 1 / 0 > 2", "Division by zero: '1 / 0' has no result"),
            ("scores + ratios > 2", "Comparing two collection columns is not permitted."),
            ("scores + 1 > ratios", "Comparing two collection columns is not permitted."),
            (
                "ANY int + 1 > 2",
                "Invalid predicate: Aggregate operations can only be used on key paths that include an collection property"
            ),
            (
                "int IN int + 1", "Invalid predicate: IN needs a list of values or a collection on its right side"
            ),
            (
                "int.@type == 'int'",
                "Invalid keypath: Operation '@type' is not supported on property 'int' of type 'int'"
            ),
            (
                "tags[0] == 5",
                "Expected object of type string for property 'tags' on object of type 'All', but received: 5 (Invalid value)"
            ),
            ("int[0] == 5", "Invalid keypath: 'int[0]' asks for one element of 'int', which is no list"),
            ("colours[0] == 'x'", "Invalid keypath: 'colours[0]' asks for one element of 'colours', which is no list"),
            ("marks[0] == 1", "Invalid keypath: 'marks[0]' asks for one element of 'marks', which is no list"),
            (
                "@links.All.mate[0] == nil",
                "Invalid keypath: '@links.`All`.mate[0]' asks for one of the objects that link here by its place"
            ),
            (
                "ANY scores[0] == 5",
                "Invalid predicate: Aggregate operations can only be used on key paths that include an collection property"
            ),
            (
                "mate == obj('Dog', 5)",
                "Expected object of type All for property 'mate' on object of type 'All', but received: link('Dog', 5) (Invalid value)"
            ),
            (
                "ANY {'a'} == int",
                "Expected object of type int for property 'int' on object of type 'All', but received: a (Invalid value)"
            ),
            ("ANY {'a'} CONTAINS other", "Invalid predicate: Operator 'CONTAINS' needs a key path on its left side"),
        ])
    func refused(text: String, message: String) {
        let error = #expect(throws: QueryError.self) {
            try Predicate.parse(text).bound(to: "All", in: Models.schema)
        }
        #expect(error?.message == message)
    }

    @Test("constants are computed once, so that indexes and column scans see a plain comparison")
    func folded() throws {
        let plain = try Predicate.parse("int > 10").bound(to: "All", in: Models.schema)
        #expect(try Predicate.parse("int > 2 * 5").bound(to: "All", in: Models.schema) == plain)
        #expect(try Predicate.parse("20 / 2 < int").bound(to: "All", in: Models.schema) == plain)
        let list = try Predicate.parse("int IN {1, 2}").bound(to: "All", in: Models.schema)
        #expect(try Predicate.parse("int == ANY {1, 2}").bound(to: "All", in: Models.schema) == list)
        let link = try Predicate.parse("mate == link(5)").bound(to: "All", in: Models.schema)
        #expect(try Predicate.parse("mate == obj('All', 5)").bound(to: "All", in: Models.schema) == link)
    }

    @Test("a path through a link is found in arithmetic and under a type, for subscriptions to refuse")
    func links() throws {
        let bound = try Predicate.parse("mate.int + 1 > int OR mate.double * 2 > 3").bound(to: "All", in: Models.schema)
        #expect(bound.usesLinks(in: Models.schema) == ["mate.int", "mate.double"])
        let place = try Predicate.parse("friends[0].int == 1").bound(to: "All", in: Models.schema)
        #expect(place.usesLinks(in: Models.schema) == ["friends[0].int"])
    }
}
