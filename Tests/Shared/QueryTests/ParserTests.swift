import CausewayModel
import CausewayQuery
import Testing

@Suite("Reading a predicate's text")
struct ParserTests {
    /// One row: text | arguments' use aside, its canonical form. An empty right side means: prints as it is written.
    static let table = """
        age < 2                                          |
        age<2                                            | age < 2
        age = 2                                          | age == 2
        age <> 2                                         | age != 2
        age =< 2                                         | age <= 2
        age => 2                                         | age >= 2
        favoriteToy == nil                               |
        favoriteToy == NULL                              | favoriteToy == nil
        favoriteToy.name == 'Tennis ball'                |
        name == "it's"                                   | name == 'it\\'s'
        name == 'a\\\\b\\n\\u00e9\\t'                    | name == 'a\\\\b\\né\\t'
        name == '\\uD83D\\uDE00'                         | name == '😀'
        isComplete == TRUE                               | isComplete == true
        isComplete == no                                 | isComplete == false
        assignee IN {'Ali', 'Jamie'}                     |
        assignee in{'Ali'}                               | assignee IN {'Ali'}
        assignee IN {}                                   |
        progressMinutes between {30, 60}                 | progressMinutes BETWEEN {30, 60}
        name BEGINSWITH[c] 'e'                           |
        name beginswith[C]'e'                            | name BEGINSWITH[c] 'e'
        name CONTAINS[dc] 'e'                            | name CONTAINS[cd] 'e'
        name endsWith[d] "f"                             | name ENDSWITH[d] 'f'
        assignee LIKE 'Al?x'                             |
        a == 1 AND b == 2                                |
        a == 1 && b == 2 || c == 3                       | a == 1 AND b == 2 OR c == 3
        a == 1 and (b == 2 or c == 3)                    | a == 1 AND (b == 2 OR c == 3)
        (a == 1 AND b == 2) AND c == 3                   |
        ((((a == 1))))                                   | a == 1
        !a == 1                                          | NOT a == 1
        not not a == 1                                   | NOT NOT a == 1
        NOT (a == 1 OR b == 2) AND c == 3                |
        NOT a == 1 AND b == 2                            |
        (NOT a == 1) AND (b == 2 OR (c == 3 OR d == 4))  | NOT a == 1 AND (b == 2 OR (c == 3 OR d == 4))
        ANY tasks.priority == 10                         |
        some tasks.priority == 10                        | ANY tasks.priority == 10
        ALL tasks.isComplete == true                     |
        NONE tasks.isComplete == true                    |
        tasks.@avg.priority > 5                          |
        tasks.@count > 5                                 |
        tasks.@size > 5                                  | tasks.@count > 5
        scores.@MAX < 5                                  | scores.@max < 5
        5 < age                                          |
        'quick win' IN labels                            |
        a.b.c == a.d                                     |
        TRUEPREDICATE                                    |
        truepredicate OR FALSEPREDICATE                  | TRUEPREDICATE OR FALSEPREDICATE
        x == -5                                          |
        x == +5                                          | x == 5
        x == -9223372036854775808                        |
        x == 9223372036854775808                         |
        x == 0x1F                                        | x == 31
        x == 1.5                                         |
        x == .5                                          | x == 0.5
        x == 5.                                          | x == 5.0
        x == 1e3                                         | x == 1000.0
        x == 1.5F                                        | x == 1.5f
        x == 2f                                          | x == 2.0f
        x == -INF                                        | x == -inf
        x == infinity                                    | x == inf
        x == inff                                        |
        x == NaN                                         | x == nan
        id == oid(11223344556677889900aabb)              |
        id == oid('11223344556677889900AABB')            | id == oid(11223344556677889900aabb)
        id == uuid(00112233-4455-6677-8899-aabbccddeeff) |
        id == UUID("00112233-4455-6677-8899-AABBCCDDEEFF") | id == uuid(00112233-4455-6677-8899-aabbccddeeff)
        when > T1700000000:500                           |
        when > T-1:-5                                    |
        T1 == T2                                         |
        data == B64"AAEC"                                |
        data == b64''                                    | data == B64""
        owner == link('x')                               |
        owner IN {link(5), link(oid(11223344556677889900aabb)), link(nil)} |
        owner == link(container(18446744073709551615:7)) |
        `any` == 1                                       |
        #in == 1                                         | `in` == 1
        `two words`.`a\\`b` == 1                         |
        naïve.größe == 'ß'                               |
        oid == 1 AND uuid == 2 AND link == 3             |
        """

    @Test("a predicate's text has one canonical form, which reads back to the same predicate")
    func canonicalForms() throws {
        for (number, row) in Self.table.split(separator: "\n").enumerated() {
            let sides = row.split(separator: " | ", omittingEmptySubsequences: false).map(trimmed)
            let text = sides.count == 2 ? sides[0] : trimmed(row.split(separator: "|")[...].first ?? row)
            // A row whose text holds "||" has both sides.
            let expected = sides.count == 2 && !sides[1].isEmpty ? sides[1] : text
            let predicate = try Predicate.parse(text)
            #expect("\(predicate)" == expected, "row \(number): \(text)")
            if !expected.contains("nan") {
                #expect(try Predicate.parse(expected) == predicate, "row \(number): \(text)")
            }
        }
    }

    private func trimmed(_ text: some StringProtocol) -> String {
        var text = Substring(text)
        while text.last == " " { text.removeLast() }
        if text.hasSuffix(" |") { text = text.dropLast(2) }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    @Test("arguments take the places of %@, %K, %d and $0")
    func arguments() throws {
        func text(_ format: String, _ arguments: Argument...) throws -> String {
            "\(try Predicate.parse(format, arguments: arguments))"
        }
        #expect(try text("name == %@", .value(.string("it's"))) == "name == 'it\\'s'")
        #expect(
            try text(
                "%K > %@ AND %K == %@", .name("progressMinutes"), .value(.int(1)), .name("name"), .value(.string("Ali"))
            )
                == "progressMinutes > 1 AND name == 'Ali'")
        #expect(try text("%K == %d", .value(.string("address.city")), .value(.int(5))) == "address.city == 5")
        #expect(
            try text("age > %ld AND age < %llu AND x > %f", .value(.int(1)), .value(.int(2)), .value(.double(0.5)))
                == "age > 1 AND age < 2 AND x > 0.5")
        #expect(try text("name IN %@", .values([.string("a"), .null])) == "name IN {'a', nil}")
        #expect(try text("name IN {%@, 'b'}", .value(.string("a"))) == "name IN {'a', 'b'}")
        #expect(try text("age BETWEEN %@", .values([.int(1), .int(2)])) == "age BETWEEN {1, 2}")
        #expect(try text("%@ IN labels", .value(.string("a"))) == "'a' IN labels")
        #expect(try text("ANY %K.age > $1", .name("dogs"), .value(.int(3))) == "ANY dogs.age > 3")
        #expect(try text("%K.@count > 1", .name("dogs")) == "dogs.@count > 1")
        #expect(try text("%K > 1", .name("dogs.@avg.age")) == "dogs.@avg.age > 1")
        #expect(try text("a == $1 AND b == $0", .value(.int(0)), .value(.int(1))) == "a == 1 AND b == 0")
        #expect(try text("$K0 == 1", .name("any")) == "`any` == 1")
        #expect(try text("name == '%@'", .value(.int(1))) == "name == '%@'")
        #expect(
            try text("id == %@", .value(.objectId(ObjectIdentifier12(high: 1, low: 2))))
                == "id == oid(000000000000000100000002)")
    }

    @Test(
        "text that is no predicate is refused at its position",
        arguments: [
            ("", 0, "a key path or a value"),
            ("age", 3, "an operator such as ==, <, IN or CONTAINS"),
            ("isComplete AND x == 1", 11, "an operator such as ==, <, IN or CONTAINS"),
            ("age <", 5, "a key path or a value"),
            ("age << 2", 5, "a key path or a value"),
            ("age < 2 2", 8, "AND, OR or the end of the text"),
            ("age < 2)", 7, "AND, OR or the end of the text"),
            ("(age < 2", 8, "AND, OR or ')'"),
            ("age < 2 AND", 11, "a key path or a value"),
            ("name == 'open", 8, "a closing quotation mark"),
            ("name == `open", 8, "a closing backtick"),
            ("name CONTAINS[x] 'a'", 14, "[c], [d] or [cd]"),
            ("name CONTAINS[c 'a'", 16, "']'"),
            ("age IN {1, 2", 12, "',' or '}'"),
            ("age IN {1 2}", 10, "',' or '}'"),
            ("age IN {age}", 8, "a key path or a value"),
            ("age BETWEEN {1}", 12, "exactly two values for BETWEEN {low, high}"),
            ("age BETWEEN 1", 12, "two values for BETWEEN {low, high}"),
            ("age IN 5", 7, "a list of values or a key path after IN"),
            ("5 == 5", 0, "a key path on one side"),
            ("any == 5", 4, "a key path or a value"),
            ("a. == 1", 3, "a property name"),
            ("a..b == 1", 2, "a property name"),
            ("a.@foo == 1", 2, "@count, @min, @max, @sum or @avg"),
            ("a['x' == 1", 6, "a position, a key or all of them, such as [0], ['key'] or [*]"),
            ("a.@sum.@avg.b == 1", 7, "only one operator on a collection in a key path"),
            ("age == 12abc", 9, "the end of the number"),
            ("age == 1e", 7, "digits of an exponent"),
            ("age == 1e9999", 7, "a finite Double"),
            ("age == 1e99f", 7, "a finite Float"),
            ("age == 0x", 7, "a hexadecimal number that fits 64 bits"),
            ("age == -x", 7, "a number"),
            ("age & 1", 4, "a name, a value or an operator"),
            ("name == '\\uD800'", 9, "both halves, such as \\uD83D\\uDE00"),
            ("name == '\\u12'", 9, "four hexadecimal digits after '\\u'"),
            ("id == oid(12)", 6, "24 hexadecimal digits, oid(11223344556677889900aabb)"),
            ("t == T1:2000000000", 5, "a timestamp T<seconds>:<nanoseconds>"),
            ("t == T1:-1", 5, "a timestamp T<seconds>:<nanoseconds>"),
            ("d == B64\"A\"", 5, "base 64 with padding in quotation marks, B64\"…\""),
            ("name MATCHES 'a'", 5, "an operator"),
            ("SUBQUERY(a, $b, c == 1).@count > 0", 16, "a property of $b"),
            ("SUBQUERY(a, $b, $c.d == 1).@count > 0", 16, "a property of $b"),
            ("SUBQUERY(a, $b, $b == 1).@count > 0", 19, "'.' and a property of the element"),
            ("SUBQUERY(a, b, $b.c == 1).@count > 0", 12, "a variable such as $x"),
            ("SUBQUERY(a, $b.c == 1).@count > 0", 14, "',' and a condition"),
            ("SUBQUERY(a).@count > 0", 10, "',' and a variable such as $x"),
            ("SUBQUERY(a, $b, $b.c == 1.@count > 0", 26, "AND, OR or ')'"),
            ("SUBQUERY(a, $b, $b.c == 1) > 0", 27, ".@count"),
            ("SUBQUERY(a, $b, $b.c == 1).@max > 0", 27, ".@count"),
            (
                "SUBQUERY(a, $b, $b.c == 1).@count > SUBQUERY(a, $b, $b.c == 1).@count", 36,
                "a number or a key path to one"
            ),
            ("1 IN SUBQUERY(a, $b, $b.c == 1).d", 32, ".@count"),
            ("SUBQUERY(a, $b, SUBQUERY($b.c, $d, $b.e == 1).@count > 0).@count > 0", 35, "a property of $d"),
            ("SUBQUERY(a, $b, %K == 1).@count > 0", 16, "at least 1 arguments"),
            ("SUBQUERY(a,$b,$b.c<1).@count BETWEEN 1", 37, "two values for BETWEEN {low, high}"),
            ("SUBQUERY(a, $b, $b.c == 1).@count IN 1", 37, "a list of values or a key path after IN"),
            ("$b.c == 1", 0, "the index of an argument, such as $0"),
            ("dogs[-1].name == 1", 5, "a position, a key or all of them, such as [0], ['key'] or [*]"),
            ("age == %@", 7, "at least 1 arguments"),
            ("age == %", 7, "%@, %K, %d or %f"),
            ("age == $x", 7, "the index of an argument, such as $0"),
            ("o == link(1.5)", 10, "an int, string, oid or uuid primary key"),
        ])
    func malformed(text: String, position: Int, expected: String) {
        let error = #expect(throws: QueryError.self) { try Predicate.parse(text) }
        #expect(error?.position == position, "\(text)")
        #expect(error?.expected == expected, "\(text)")
        #expect(error?.message.contains("Unable to parse the format string") == true)
        let caret = error?.caret?.split(separator: "\n", omittingEmptySubsequences: false).last
        #expect(caret == Substring(String(repeating: " ", count: position) + "^"), "\(text)")
    }

    @Test("an argument of the wrong kind is refused with what the placeholder takes")
    func wrongArguments() {
        for (text, argument) in [
            ("age == %@", Argument.name("x")), ("age > %d", .value(.string("5"))), ("%K == 1", .value(.int(5))),
            ("%K == 1", .name("a..b")), ("%K == 1", .name("")), ("age IN {%@}", .values([.int(1)])),
        ] {
            let error = #expect(throws: QueryError.self) { try Predicate.parse(text, arguments: [argument]) }
            #expect(error?.code == .argument, "\(text) \(argument)")
        }
    }

    @Test("an error in a long line shows the part around it, with the caret under the place")
    func longLine() throws {
        let text = "naïve == 'é' AND " + String(repeating: "a == 1 AND ", count: 500) + "b ? 1"
        let error = try #require(#expect(throws: QueryError.self) { try Predicate.parse(text) })
        let lines = try #require(error.caret).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].count <= QueryLimits.excerptCharacters + 2)
        #expect(Array(lines[0])[lines[1].count - 1] == "?")
        #expect(error.description.contains("found '?'"))
    }

    @Test("every bound refuses with the bound's own sentence")
    func bounds() {
        func code(_ text: String, _ arguments: [Argument] = []) -> QueryError.Code? {
            do throws(QueryError) {
                _ = try Predicate.parse(text, arguments: arguments)
                return nil
            } catch { return error.code }
        }
        let depth = QueryLimits.nestingDepth
        let nested = { String(repeating: "(", count: $0) + "a == 1" + String(repeating: ")", count: $0) }
        #expect(code(nested(depth)) == nil)
        let deepText = String(repeating: "a == 1 AND b == 2 OR NOT c == 3 AND (", count: depth) + "a == 1"
        let deepest = (try? Predicate.parse(deepText + String(repeating: ")", count: depth))) ?? .constant(false)
        #expect(deepest != .constant(false))
        #expect(code(nested(depth + 1)) == .limit)
        #expect(code(String(repeating: "(", count: 1_000_000)) == .limit)
        #expect(code(String(repeating: "!", count: 1_000_000) + "a == 1") == .limit)
        #expect(code(String(repeating: "NOT ", count: depth) + "a == 1") == nil)
        #expect(code(String(repeating: " ", count: QueryLimits.textBytes) + "a == 1") == .limit)
        #expect(code("a == 1", Array(repeating: .name("a"), count: QueryLimits.argumentCount + 1)) == .limit)
        #expect(code("a IN %@", [.values(Array(repeating: .null, count: QueryLimits.listValues + 1))]) == .limit)
        #expect(code(Array(repeating: "a", count: QueryLimits.pathNames).joined(separator: ".") + " == 1") == nil)
        #expect(
            code(Array(repeating: "a", count: QueryLimits.pathNames + 1).joined(separator: ".") + " == 1") == .limit)
        #expect(code("a == " + String(repeating: "1", count: 100_000)) == .syntax)
        #expect(code("\(deepest)") == nil, "what was read nests no deeper when it is printed")
        #expect(code("a == 1" + String(repeating: " AND a == 1", count: 10_000)) == nil)
    }
}
