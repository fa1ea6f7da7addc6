import CausewayModel
import CausewayQuery
import Testing

@Suite("Reading the query language")
struct QueryLanguageParserTests {
    /// One row: text | its canonical form. An empty right side means: prints as it is written.
    static let table = """
        age + 1 > 2                                    |
        age+1>2                                        | age + 1 > 2
        age -1 == 2                                    | age - 1 == 2
        age-1 == 2                                     | age - 1 == 2
        age - -1 == 2                                  |
        age +.5 == 2                                   | age + 0.5 == 2
        age -inf == 2                                  | age - inf == 2
        a - b - c == d                                 |
        (a - b) - c == d                               | a - b - c == d
        a - (b - c) == d                               |
        a + b * c == d / e                             |
        (a + b) * c == d                               |
        a * (b * c) == (d)                             | a * (b * c) == d
        ((a + b)) > 2                                  | a + b > 2
        ((a + b) > 2)                                  | a + b > 2
        (a + b) * 2 IN {1, 2} AND (a == 1 OR b == 2)   |
        (a) == 1                                       | a == 1
        (a == 1) AND (b) BETWEEN {1, 2}                | a == 1 AND b BETWEEN {1, 2}
        NOT (a + 1) * 2 > ')'.x                        | !
        1 + 2 < a                                      |
        ANY scores * 2 > 7                             |
        scores.@sum / scores.@count > 3                |
        SUBQUERY(a, $x, $x.b * 2 > $x.c).@count > 1 + 1 |
        anything.@type == 'string'                     |
        'string' == anything.@TYPE                     | 'string' == anything.@type
        ANY list.@type IN {'int', 'double'}            |
        a.@type == b.@type                             |
        dogs[0].name == 'Rex'                          |
        dogs[first].name == 'Rex'                      | dogs[FIRST].name == 'Rex'
        dogs[ LAST ] == nil                            | dogs[LAST] == nil
        dogs[SIZE] > 1                                 | dogs.@count > 1
        dogs[0].friends[1].@count == 1                 |
        a.b[2].@max > 1                                |
        a.@links.@avg > 1                              |
        ANY {1, 2} == age                              |
        some {1, 2} == age                             | ANY {1, 2} == age
        {1, 2} == age                                  | age IN {1, 2}
        age == {18, 21}                                | age IN {18, 21}
        age != {18, 21}                                | age != ANY {18, 21}
        name BEGINSWITH[c] {'A', 'B'}                  | name BEGINSWITH[c] ANY {'A', 'B'}
        {1, 2} IN scores                               | ANY {1, 2} IN scores
        age == ANY {1, 2}                              |
        ALL {1, 2} IN scores                           |
        NONE {} != age                                 |
        5 == ANY scores                                | ANY 5 == scores
        ANY {1} == ANY scores                          |
        name BEGINSWITH[c] ANY {'a', 'b'}              |
        owner == obj('Dog', 5)                         | owner == link('Dog', 5)
        data == base64('AAEC')                         | data == B64"AAEC"
        data == binary("\u{0}a")                       | data == B64"AGE="
        t == 1970-01-01@00:00:00                       | t == T0:0
        t == 2015-01-31@12:00:01                       | t == T1422705601:0
        t == 2016-2-29T23:59:59:999999999              | t == T1456790399:999999999
        t == 1969-12-31@23:59:59:5                     | t == T0:-999999995
        t == 0000-01-01@00:00:00                       | t == T-62167219200:0
        t == T+5:+7                                    | t == T5:7
        t == 2015 - 01                                 | t == 2015 - 1
        sort == first                                  |
        limit + 1 > obj                                |
        """

    @Test("each text reads as its canonical form, which reads as itself")
    func canonical() throws {
        for (number, row) in Self.table.split(separator: "\n").enumerated() {
            let sides = row.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
            let text = sides[0]
            guard sides[1] != "!" else {
                #expect(throws: QueryError.self, "row \(number)") { try Predicate.parse(text) }
                continue
            }
            let predicate = try Predicate.parse(text)
            let expected = sides[1].isEmpty ? text : sides[1]
            #expect("\(predicate)" == expected, "row \(number): \(text)")
            #expect(try Predicate.parse(expected) == predicate, "row \(number): \(text)")
        }
    }

    private func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    @Test(
        "SORT, DISTINCT and LIMIT are read in their order",
        arguments: [
            ("TRUEPREDICATE SORT(a ASC)", ""), ("truepredicate sort(a)", "TRUEPREDICATE SORT(a ASC)"),
            (
                "a > 1 SORT(b.c DESC, d ascending) DISTINCT(e, f.g) LIMIT(5)",
                "a > 1 SORT(b.c DESC, d ASC) DISTINCT(e, f.g) LIMIT(5)"
            ),
            ("a == sort Limit (3) LIMIT(2)", "a == sort LIMIT(3) LIMIT(2)"),
            ("a IN {1} SORT(desc desc, asc)", "a IN {1} SORT(desc DESC, asc ASC)"),
            ("a == 1 OR b == 2", ""),
        ])
    func selections(text: String, canonical: String) throws {
        let selection = try Selection.parse(text)
        #expect("\(selection)" == (canonical.isEmpty ? text : canonical))
        #expect(try Selection.parse("\(selection)") == selection)
    }

    @Test("arguments stand for lists, their elements, places and operands")
    func arguments() throws {
        func text(_ format: String, _ arguments: Argument...) throws -> String {
            "\(try Predicate.parse(format, arguments: arguments))"
        }
        let list = Argument.values([.int(4), .int(5)])
        #expect(try text("age == ANY $0", list) == "age == ANY {4, 5}")
        #expect(try text("ALL %@ IN %K", list, .name("scores")) == "ALL {4, 5} IN scores")
        #expect(try text("age == $0[1]", list) == "age == 5")
        #expect(try text("age + %d > %@", .value(.int(2)), .value(.double(0.5))) == "age + 2 > 0.5")
        #expect(try text("%K * 2 > 1", .name("a.b")) == "a.b * 2 > 1")
        #expect(try text("%K.@type == %@", .name("a"), .value(.string("int"))) == "a.@type == 'int'")
        #expect(throws: QueryError.self) { try text("age == $0[2]", list) }
        #expect(throws: QueryError.self) { try text("%K == 1", .name("a.@links")) }
        #expect(try text("%K > 1", .name("a.@links.@count")) == "a.@links.@count > 1")
    }

    @Test(
        "malformed texts and their exact messages",
        arguments: [
            ("age + > 1", 6, "expected a key path or a value, found '>'"),
            ("age + 'x' > 1", 6, "expected a number or a key path to one, found x"),
            ("age * true > 1", 6, "expected a number or a key path to one, found true"),
            ("nil + age > 1", 0, "expected a number or a key path to one, found nil"),
            ("age + {1} > 1", 6, "expected a number or a key path to one, found a list"),
            ("SUBQUERY(a,$x,$x.b==1).@count+1>2", 0, "expected a number or a key path to one, found a SUBQUERY"),
            ("a.@type + 1 > 2", 0, "expected a number or a key path to one, found a type"),
            ("(age + 1 > 2", 12, "expected AND, OR or ')', found the end of the text"),
            ("(age + 1 == 2) > 3", 9, "expected '+', '-', '*', '/' or ')', found '=='"),
            ("1 + 2 == 3 * 1", 0, "expected a key path on one side, found two constants"),
            ("a.`@links` == 1", 2, "expected a property name, found `@links`"),
            ("age == -x", 7, "expected a number, found '-'"),
            ("age == 5 -", 10, "expected a key path or a value, found the end of the text"),
            ("* age == 5", 0, "expected a key path or a value, found '*'"),
            ("age BETWEEN {1}", 12, "expected exactly two values for BETWEEN {low, high}, found 1 values"),
            ("age + 1 BETWEEN 2", 16, "expected two values for BETWEEN {low, high}, found a single value"),
            ("dogs[0", 6, "expected ']', found the end of the text"),
            (
                "dogs[FIRST][LAST] == 1", 12,
                "expected a position, a key or all of them, such as [0], ['key'] or [*], found 'LAST'"
            ),
            ("dogs[1.5] == 1", 5, "expected an index of a list, FIRST, LAST or SIZE, found 1.5"),
            ("ANY {1, 2} == 3", 4, "expected a key path on one side, found two constants"),
            ("ANY a == ANY b + 1", 13, "expected ANY, ALL or NONE on one side only, found a second quantifier"),
            (
                "age BETWEEN ANY {1}", 16,
                "expected a list without ANY, ALL or NONE after BETWEEN, found a list with a quantifier"
            ),
            ("age > 1 SORT(name ASC)", 8, "expected a predicate alone, found SORT"),
            ("age > 1 sort", 8, "expected AND, OR or the end of the text, found 'sort'"),
            ("SUBQUERY(a, $x, $x.b == 1 LIMIT(1)).@count > 0", 26, "expected a predicate alone, found LIMIT"),
            ("t == 2015-13-01@12:00:00", 5, "expected a day and a time such as 2015-01-31@12:00:00, found a date"),
            ("t == 2015-02-29@12:00:00", 5, "expected a day and a time such as 2015-01-31@12:00:00, found a date"),
            ("t == 2015-01-01@12:00", 5, "expected a day and a time such as 2015-01-31@12:00:00, found a date"),
            ("d == base64('A')", 5, "expected base 64 with padding in quotation marks, found 'base64('"),
            ("d == binary(5)", 5, "expected a text in quotation marks, found another value"),
            ("o == obj('Dog')", 14, "expected ',' and a primary key, found ')'"),
        ])
    func malformed(text: String, position: Int, sentence: String) {
        let error = #expect(throws: QueryError.self) { try Predicate.parse(text) }
        #expect(
            error?.message
                == "Unable to parse the format string \"\(text)\": \(sentence) at position \(position)")
        #expect(error?.caret == "\(text)\n\(String(repeating: " ", count: position))^")
    }

    @Test(
        "malformed ends of a selection and their exact messages",
        arguments: [
            ("TRUEPREDICATE SORT()", 19, "expected a property name, found ')'"),
            ("TRUEPREDICATE SORT(a UP)", 21, "expected ',' or ')', found 'UP'"),
            ("TRUEPREDICATE SORT(a", 20, "expected ',' or ')', found the end of the text"),
            ("TRUEPREDICATE DISTINCT(a DESC)", 25, "expected ',' or ')', found 'DESC'"),
            ("TRUEPREDICATE LIMIT(-1)", 20, "expected how many, such as LIMIT(10), found -1"),
            ("TRUEPREDICATE LIMIT(1 2)", 22, "expected ')', found 2"),
            (
                "TRUEPREDICATE LIMIT(1) AND a == 1", 23,
                "expected SORT, DISTINCT, LIMIT or the end of the text, found 'AND'"
            ),
            ("SORT(a ASC)", 0, "expected an operator such as ==, <, IN or CONTAINS, found '('"),
        ])
    func malformedSelections(text: String, position: Int, sentence: String) {
        let error = #expect(throws: QueryError.self) { try Selection.parse(text) }
        let place = text.hasPrefix("SORT") ? 4 : position
        #expect(error?.message == "Unable to parse the format string \"\(text)\": \(sentence) at position \(place)")
    }

    @Test("every bound of the query language refuses with its own sentence")
    func bounds() {
        func code(_ text: String) -> QueryError.Code? {
            do throws(QueryError) {
                _ = try Selection.parse(text)
                return nil
            } catch { return error.code }
        }
        let sum = { String(repeating: "a + ", count: $0) + "a > 1" }
        #expect(code(sum(QueryLimits.arithmeticOperations)) == nil)
        #expect(code(sum(QueryLimits.arithmeticOperations + 1)) == .limit)
        #expect(code(sum(100_000)) == .limit)
        let nested = { String(repeating: "(", count: $0) + "a" + String(repeating: " + 1)", count: $0) + " > 1" }
        #expect(code(nested(QueryLimits.nestingDepth)) == nil)
        #expect(code(nested(QueryLimits.nestingDepth + 1)) == .limit)
        #expect(
            code(String(repeating: "(", count: 200_000) + String(repeating: ")", count: 200_000) + " > 1") == .limit)
        let steps = { "TRUEPREDICATE" + String(repeating: " LIMIT(1)", count: $0) }
        #expect(code(steps(QueryLimits.selectionSteps)) == nil)
        #expect(code(steps(QueryLimits.selectionSteps + 1)) == .limit)
        let keys = { "TRUEPREDICATE SORT(a" + String(repeating: ", a", count: $0 - 1) + ")" }
        #expect(code(keys(QueryLimits.sortKeys)) == nil)
        #expect(code(keys(QueryLimits.sortKeys + 1)) == .limit)
    }
}
