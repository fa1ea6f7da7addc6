import CausewayQuery
import Testing

@Suite("Terms of a query")
struct TermTests {
    @Test(
        "every comparison is a term, wherever it stands",
        arguments: [
            ("TRUEPREDICATE", 1), ("age == 1", 1), ("age == 1 AND age == 2", 3), ("NOT (age > 1 OR age < 2)", 3),
            ("SUBQUERY(dogs, $d, $d.age > 1 AND $d.age < 5).@count > 2", 4), ("age IN {1, 2, 3}", 1),
            ("ANY {1, 2, 3} > age", 4), ("ANY {1, 2, 3} == age", 1), ("age == NONE {1, 2}", 1),
            ("ANY {1, 2} == ALL ages", 3),
            ("age + age * 2 > 1", 4), ("age * 2 > age - 1", 5),
        ])
    func counted(_ text: String, _ count: Int) throws {
        #expect(try Predicate.parse(text).termCount == count)
    }

    @Test("a long list counts by its length")
    func lists() throws {
        let list = (0..<1_600).map(String.init).joined(separator: ", ")
        #expect(try Predicate.parse("age IN {\(list)}").termCount == 101)
    }
}
