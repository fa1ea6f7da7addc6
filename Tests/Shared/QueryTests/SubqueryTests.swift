import CausewayModel
import CausewayQuery
import Testing

@Suite("SUBQUERY: several conditions met by one element")
struct SubqueryTests {
    private static let world = TestRow.World([
        "DogToy": [["name": [.string("Tennis ball")]], ["name": [.string("Rope")]]],
        "Dog": [
            ["name": [.string("Maui")], "age": [.int(1)], "favoriteToy": [.object(ObjectKey(0))]],
            ["name": [.string("Rex")], "age": [.int(7)], "favoriteToy": [.null]],
            ["name": [.string("Bo")], "age": [.int(9)], "favoriteToy": [.object(ObjectKey(1))]],
        ],
        "Address": [["city": [.string("Austin")], "landlord": [.object(ObjectKey(2))]], ["city": [.null]]],
        "Person": [
            // The second dog is not here.
            ["id": [.int(1)], "dogs": [0, 9, 1, 1].map { .object(ObjectKey($0)) }, "addresses": [0, 1].map(link)],
            ["id": [.int(2)], "dogs": [link(2), link(0)], "address": [link(0)]],
            ["id": [.int(3)], "dogs": [], "addresses": [link(1)]],
        ],
    ])

    private static func link(_ key: Int64) -> Value { .object(ObjectKey(key)) }

    private func bound(_ text: String, _ className: String = "Person", _ arguments: [Argument] = []) throws
        -> BoundPredicate
    {
        try Predicate.parse(text, arguments: arguments).bound(to: className, in: Models.schema)
    }

    private func matching(_ text: String, _ arguments: Argument...) throws -> [Int] {
        let predicate = try bound(text, "Person", arguments)
        return (0..<3).filter { predicate.matches(TestRow(world: Self.world, className: "Person", index: $0)) }
    }

    @Test(
        "elements that meet the condition are counted, once for each time they are in the list",
        arguments: [
            ("SUBQUERY(dogs, $d, $d.age > 5 AND $d.name == 'Rex').@count == 2", [0]),
            ("SUBQUERY(dogs, $d, $d.age > 5 AND $d.name == 'Maui').@count > 0", []),
            ("SUBQUERY(dogs, $d, $d.age > 5 OR NOT $d.name == 'Rex').@count BETWEEN {1, 3}", [0, 1]),
            ("SUBQUERY(dogs, $d, TRUEPREDICATE).@count IN {0, 3}", [0, 2]),
            ("subquery(dogs,$d,$d.age==1).@size!=0", [0, 1]),
            ("0 < SUBQUERY(dogs, $d, $d.favoriteToy.name == 'Rope').@count", [1]),
            ("SUBQUERY(dogs, $d, $d.favoriteToy == nil).@count == 0 AND id > 1", [1, 2]),
            ("SUBQUERY(addresses, $x, $x.city == nil).@count == 1", [0, 2]),
            ("SUBQUERY(address.landlord.dogs, $x, $x.age > 0).@count == 0", [0, 1, 2]),
            ("SUBQUERY(addresses, $x, SUBQUERY($x.landlord.dogs, $y, $y.age == 7).@count == 0).@count == 2", [0]),
            ("NOT SUBQUERY(dogs, $d, $d.age > 0).@count > 2.5", [1, 2]),
            ("SUBQUERY(dogs, $d, $d.age > 0).@count == 2.5", []),
            ("SUBQUERY(dogs, $d, $d.age > 0).@count < 1e300", [0, 1, 2]),
        ])
    func counting(text: String, expected: [Int]) throws {
        #expect(try matching(text) == expected, "\(text)")
        let printed = "\(try Predicate.parse(text))"
        #expect(try matching(printed) == expected, "\(printed)")
    }

    @Test("S187 arguments are taken in the order of the text")
    func arguments() throws {
        let text = "SUBQUERY(dogs, $dog, $dog.age == %d AND $dog.name == %@).@count > %d"
        #expect(try matching(text, .value(.int(7)), .value(.string("Rex")), .value(.int(1))) == [0])
        #expect(try matching("SUBQUERY(%K, $d, $d.age == 9).@count == 1", .name("dogs")) == [1])
    }

    @Test("the canonical text has one name for all variables")
    func printing() throws {
        let text =
            "SUBQUERY(dogs, $dog, ($dog.age > 5 OR $dog.`in` == 1) && !SUBQUERY($dog.a.b, $y, $y.c=1).@size=0)"
            + ".@count>2"
        let canonical =
            "SUBQUERY(dogs, $x, ($x.age > 5 OR $x.`in` == 1) AND NOT SUBQUERY($x.a.b, $x, $x.c == 1).@count == 0)"
            + ".@count > 2"
        #expect("\(try Predicate.parse(text))" == canonical)
        #expect(try Predicate.parse(canonical) == Predicate.parse(text))
    }

    @Test("a property of the name stays a property")
    func property() throws {
        #expect("\(try Predicate.parse("subquery == 1"))" == "subquery == 1")
    }

    @Test(
        "what is no collection of objects is refused, and so is what its elements do not have",
        arguments: [
            ("SUBQUERY(address, $x, $x.city == nil).@count > 0", "Person", "one collection of objects"),
            ("SUBQUERY(scores, $x, $x.a == 1).@count > 0", "All", "one collection of objects"),
            ("SUBQUERY(dogs.@count, $x, $x.age == 1).@count > 0", "Person", "one collection of objects"),
            ("SUBQUERY(friends.friends, $x, $x.int == 1).@count > 0", "All", "one collection of objects"),
            ("SUBQUERY(friends.mate, $x, $x.int == 1).@count > 0", "All", "one collection of objects"),
            ("SUBQUERY(dogs, $x, $x.id == 1).@count > 0", "Person", "Property 'id' not found in object of type 'Dog'"),
            ("SUBQUERY(dogs, $x, $x.age == 'x').@count > 0", "Person", "Expected object of type int"),
            ("SUBQUERY(dogs, $x, $x.age == 1).@count == 'x'", "Person", "Expected object of type int"),
            ("SUBQUERY(dogs, $x, $x.age == 1).@count CONTAINS 1", "Person", "not supported for type 'int'"),
            ("ANY SUBQUERY(dogs, $x, $x.age == 1).@count > 0", "Person", "Aggregate operations can only be used"),
            ("1 IN SUBQUERY(dogs, $x, $x.age == 1).@count", "Person", "needs a key path on its left side"),
        ])
    func refusals(text: String, className: String, message: String) {
        let error = #expect(throws: QueryError.self) { try bound(text, className) }
        #expect(error?.message.contains(message) == true, "\(text): \(error?.message ?? "")")
    }

    @Test("a subquery uses the links of its collection and those of its condition")
    func links() throws {
        func links(_ text: String) throws -> [String] { try bound(text).usesLinks(in: Models.schema) }
        #expect(try links("SUBQUERY(dogs, $x, $x.age > 1).@count > 0") == ["SUBQUERY(dogs, …)"])
        #expect(try links("SUBQUERY(addresses, $x, $x.city == 'a').@count > 0") == [])
        #expect(try links("SUBQUERY(addresses, $x, $x.landlord == nil).@count > 0") == [])
        #expect(try links("SUBQUERY(addresses, $x, $x.landlord.id == 1).@count > 0") == ["landlord.id"])
    }

    @Test("constants are replaced inside of the condition, with the path from the queried class")
    func mapping() throws {
        let predicate = try Predicate.parse(
            "SUBQUERY(dogs, $x, $x.favoriteToy == %@).@count > 2",
            arguments: [
                .value(.object(ObjectKey(4)))
            ])
        var paths: [String] = []
        let mapped = predicate.mappingValues { path, value in
            paths.append(path?.text ?? "-")
            return value == .object(ObjectKey(4)) ? .link(.int(4)) : value
        }
        #expect("\(mapped)" == "SUBQUERY(dogs, $x, $x.favoriteToy == link(4)).@count > 2")
        #expect(Set(paths) == ["-", "dogs.favoriteToy"])
    }

    @Test("subqueries inside each other end at the nesting limit, written and built")
    func nesting() throws {
        let depth = QueryLimits.nestingDepth
        var text = "$x.a == 1"
        for level in 1...depth {
            text = "SUBQUERY(\(level == depth ? "" : "$x.")a, $x, \(text)).@count > 0"
        }
        #expect(throws: Never.self) { try Predicate.parse(text) }
        let deeper = text.replacing("SUBQUERY(a,", with: "SUBQUERY($x.a,")
        let error = #expect(throws: QueryError.self) {
            try Predicate.parse("SUBQUERY(a, $x, \(deeper)).@count > 0")
        }
        #expect(error?.code == .limit)
        var built = Predicate.constant(true)
        for _ in 0..<10 * depth {
            built = .comparison(
                Comparison(.subquery(Subquery(PropertyPath(["friends"]), where: built)), .greater, .value(.int(0))))
        }
        let refused = #expect(throws: QueryError.self) { try built.bound(to: "All", in: Models.schema) }
        #expect(refused?.code == .limit)
    }
}
