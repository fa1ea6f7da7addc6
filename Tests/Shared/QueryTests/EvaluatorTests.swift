import CausewayModel
import CausewayQuery
import Testing

@Suite("One object against a predicate")
struct EvaluatorTests {
    private static let toy = TestRow.World([
        "DogToy": [["name": [.string("Tennis ball")]], ["name": [.string("Rope")]]],
        "Dog": [
            ["name": [.string("Maui")], "age": [.int(1)], "favoriteToy": [.object(ObjectKey(0))]],
            ["name": [.string("Élan")], "age": [.int(7)], "favoriteToy": [.null]],
            ["name": [.string("")], "age": [.int(2)], "favoriteToy": [.object(ObjectKey(9))]],
        ],
        "Address": [["city": [.string("Los Angeles")], "street": [.null]], ["city": [.string("Austin")]]],
        "Person": [
            [
                "id": [.int(12345)], "address": [.object(ObjectKey(0))], "dogs": [0, 1].map { .object(ObjectKey($0)) },
                "addresses": [0, 1].map { .object(ObjectKey($0)) },
            ],
            ["id": [.int(2)], "address": [.null], "dogs": []],
        ],
    ])

    private func matching(_ text: String, _ className: String, _ arguments: Argument...) throws -> [Int] {
        let predicate = try Predicate.parse(text, arguments: arguments).bound(to: className, in: Models.schema)
        return (0..<(Self.toy.objects[className]?.count ?? 0)).filter {
            predicate.matches(TestRow(world: Self.toy, className: className, index: $0))
        }
    }

    @Test(
        "documents' queries over dogs",
        arguments: [
            ("age < 2", [0]), ("age < 2.5", [0, 2]), ("favoriteToy == nil", [1]), ("favoriteToy != nil", [0, 2]),
            ("favoriteToy.name == 'Tennis ball'", [0]), ("favoriteToy.name != 'Tennis ball'", [1, 2]),
            ("favoriteToy.name == nil", [1, 2]), ("name BEGINSWITH[c] 'm'", [0]), ("name BEGINSWITH[cd] 'e'", [1]),
            ("name BEGINSWITH[d] 'E'", [1]), ("name BEGINSWITH ''", []), ("name CONTAINS 'au'", [0]),
            ("name LIKE 'M?u*'", [0]),
            ("name == 'maui'", []), ("name ==[c] 'maui'", [0]), ("name IN[c] {'MAUI', ''}", [0, 2]),
            ("age BETWEEN {1, 2}", [0, 2]), ("NOT age == 1 AND name != ''", [1]), ("TRUEPREDICATE", [0, 1, 2]),
            ("FALSEPREDICATE", []), ("3 > age", [0, 2]), ("'u' IN name", [0]), ("age > nan", []), ("age IN {}", []),
        ])
    func dogs(text: String, expected: [Int]) throws {
        #expect(try matching(text, "Dog") == expected, "\(text)")
    }

    @Test(
        "queries through lists and embedded objects",
        arguments: [
            ("ANY dogs.age > 5", [0]), ("ALL dogs.age > 5", [1]), ("NONE dogs.age > 5", [1]),
            ("ALL dogs.age > 0", [0, 1]),
            ("dogs.@count == 2", [0]), ("dogs.@count == 0", [1]), ("dogs.@avg.age == 4", [0]),
            ("dogs.@sum.age == 8", [0]),
            ("dogs.@min.age == 1", [0]), ("dogs.@max.age == nil", [1]), ("dogs.@sum.age == 0", [1]),
            ("ANY dogs.favoriteToy.name == 'Tennis ball'", [0]), ("ANY dogs.favoriteToy.name == nil", [0]),
            ("address.city == 'Los Angeles'", [0]), ("address.city == nil", [1]), ("address.street == nil", [0, 1]),
            ("ALL addresses.city CONTAINS 'u'", [1]), ("ANY addresses.city CONTAINS 'u'", [0]),
            ("address.city IN addresses.city", [0]), ("dogs.@count < dogs.@sum.age", [0]),
        ])
    func people(text: String, expected: [Int]) throws {
        #expect(try matching(text, "Person") == expected, "\(text)")
    }

    @Test("a link argument finds the objects that point to it")
    func linkArguments() throws {
        #expect(try matching("favoriteToy == %@", "Dog", .value(.object(ObjectKey(0)))) == [0])
        #expect(try matching("%@ IN dogs", "Person", .value(.object(ObjectKey(1)))) == [0])
        #expect(try matching("favoriteToy IN %@", "Dog", .values([.object(ObjectKey(0)), .null])) == [0, 1])
    }

    @Test("an int and a double compare exactly where a conversion would round")
    func mixedNumbers() {
        let large = Int64(1) << 53
        #expect(ValueComparison.holds(.int(large + 1), .greater, .double(0x1p53), []))
        #expect(!ValueComparison.holds(.int(large + 1), .equal, .double(0x1p53), []))
        #expect(ValueComparison.holds(.double(0x1p53), .less, .int(large + 1), []))
        #expect(ValueComparison.holds(.int(.max), .less, .double(0x1p63), []))
        #expect(ValueComparison.holds(.int(.min), .equal, .double(-0x1p63), []))
        #expect(ValueComparison.holds(.int(2), .less, .double(2.5), []))
        #expect(ValueComparison.holds(.int(-3), .less, .double(-2.5), []))
        #expect(ValueComparison.holds(.double(.nan), .notEqual, .int(1), []))
        #expect(!ValueComparison.holds(.double(.nan), .equal, .double(.nan), []))
    }

    @Test("a decimal compares with other numbers as they read, and NaN with none")
    func decimalNumbers() {
        func decimal(_ text: String) -> Value { .decimal(DecimalNumber(text) ?? .notANumber) }
        #expect(ValueComparison.holds(decimal("0.10"), .equal, .double(0.1), []))
        #expect(ValueComparison.holds(.float(0.1), .equal, decimal("0.1"), []))
        #expect(ValueComparison.holds(.int(2), .less, decimal("2.0000000000000000000000000000001"), []))
        #expect(ValueComparison.holds(decimal("1E+6000"), .greater, .double(.greatestFiniteMagnitude), []))
        #expect(ValueComparison.holds(decimal("1"), .notEqual, .string("1"), []))
        for comparator in [Comparator.equal, .less, .lessOrEqual, .greater, .greaterOrEqual] {
            #expect(!ValueComparison.holds(decimal("NaN"), comparator, decimal("1"), []), "\(comparator)")
            #expect(!ValueComparison.holds(.int(1), comparator, decimal("NaN"), []), "\(comparator)")
        }
        #expect(ValueComparison.holds(decimal("NaN"), .notEqual, decimal("NaN"), []))
    }

    @Test("a sum beyond an Int64 stays at its end, and an average of it is right")
    func sums() {
        var sum = AggregateFold(.sum, over: .int)
        var average = AggregateFold(.average, over: .int)
        for _ in 0..<3 {
            sum.add(.int(.max))
            average.add(.int(.max))
        }
        #expect(sum.result == .int(.max))
        #expect(average.result == .double(Double(Int64.max)))
    }

    @Test("a damaged predicate bound by nobody is false, never a trap")
    func unboundSteps() {
        let step = BoundPath.Step(className: "Nobody", property: 99, type: .int, collection: .none, target: nil)
        let comparison = BoundComparison(
            quantifier: .implied, path: BoundPath(steps: [step]), comparator: .equal, options: [],
            operand: .value(.int(1)))
        #expect(!BoundPredicate.comparison(comparison).matches(TestRow(world: Self.toy, className: "Dog", index: 0)))
    }
}
