import CausewayModel
import CausewayQuery
import Testing

@Suite("Binding a predicate to a schema")
struct BinderTests {
    private func bound(_ text: String, _ className: String = "All", _ arguments: Argument...) throws -> BoundPredicate {
        try Predicate.parse(text, arguments: arguments).bound(to: className, in: Models.schema)
    }

    /// The one comparison a text became: quantifier, comparator and operand in a form that is easy to expect.
    private func shape(_ text: String, _ className: String = "All") throws -> String {
        switch try bound(text, className) {
        case .constant(let value): return "\(value)"
        case .comparison(let comparison):
            let operand =
                switch comparison.operand {
                case .value(let value): value.literalText
                case .values(let values): "{" + values.map(\.literalText).joined(separator: ", ") + "}"
                case .path(let path): path.text(in: Models.schema)
                }
            let path = comparison.path.text(in: Models.schema)
            return "\(comparison.quantifier) \(path) \(comparison.comparator.text) \(operand)"
        default: return "compound"
        }
    }

    private func refusal(_ text: String, _ className: String = "All", _ arguments: Argument...) -> QueryError? {
        do throws(QueryError) {
            _ = try Predicate.parse(text, arguments: arguments).bound(to: className, in: Models.schema)
            return nil
        } catch { return error }
    }

    @Test("S021 a string is never converted to an ObjectId")
    func objectIdFromString() {
        let sentence =
            "Expected object of type object id for property 'id' on object of type 'DogToy', but received: "
            + "11223344556677889900aabb (Invalid value)"
        #expect(refusal("id = '11223344556677889900aabb'", "DogToy")?.message == sentence)
        #expect(refusal("id = %@", "DogToy", .value(.string("11223344556677889900aabb")))?.message == sentence)
    }

    @Test("S177 a value of another type is refused with RealmSwift's sentence")
    func typeMismatch() {
        let error = refusal("id == '11223344556677889900aabb'", "User")
        #expect(
            error?.message
                == "Expected object of type object id for property 'id' on object of type 'User', but received: "
                + "11223344556677889900aabb (Invalid value)")
        #expect(error?.code == .value)
        #expect(error?.remedy?.contains("oid(") == true)
    }

    @Test("an unknown name is refused with RealmSwift's sentence and the nearest name")
    func unknownName() {
        let error = refusal("nam == 'x'", "Dog")
        #expect(error?.message == "Invalid property name: Property 'nam' not found in object of type 'Dog'")
        #expect(error?.remedy == "Did you mean 'name'?")
        #expect(
            refusal("favoriteToy.age == 1", "Dog")?.message
                == "Invalid property name: Property 'age' not found in object of type 'DogToy'")
        #expect(
            refusal("name.first == 'x'", "Dog")?.message
                == "Invalid value: Property 'name' is not a link in object of type 'Dog'")
        #expect(refusal("a == 1", "Cat")?.message == "Object type 'Cat' is not managed by the Realm")
    }

    @Test(
        "S178 numbers of any type compare with each other and keep their meaning",
        arguments: [
            ("int < 2.5", "implied int <= 2"), ("int <= 2.5", "implied int <= 2"), ("int > 2.5", "implied int >= 3"),
            ("int >= -2.5", "implied int >= -2"), ("int == 2.0", "implied int == 2"), ("int == 2.5", "false"),
            ("int != 2.5", "true"), ("int < 1e30", "implied int != nil"), ("int > 1e30", "false"),
            ("int >= -inf", "implied int != nil"), ("int < nan", "false"), ("int != nan", "true"),
            ("int < 9223372036854775808", "implied int != nil"), ("int IN {1, 2.5, 3.0}", "implied int IN {1, 3}"),
            ("maybeInt IN {nil, 7}", "implied maybeInt IN {nil, 7}"),
            ("int BETWEEN {0.5, 3.5}", "implied int BETWEEN {1, 3}"),
            ("int BETWEEN {1, inf}", "implied int >= 1"), ("int BETWEEN {nan, 3}", "false"),
            ("double == 5", "implied double == 5.0"), ("float == 1.1", "implied float == 1.1f"),
            ("float < 1e300", "implied float <= 3.4028235e+38f"), ("double > 1.5f", "implied double > 1.5"),
            ("bool == 1", "implied bool == true"), ("bool != 0", "implied bool != false"),
            ("int == true", "implied int == 1"),
            ("ANY scores == 2.5", "false"), ("NONE scores == 2.5", "true"), ("ALL scores == 2.5", "all scores IN {}"),
            ("ALL scores != 2.5", "true"), ("scores.@avg > 2", "implied scores.@avg > 2.0"),
            ("scores.@sum > 2.5", "implied scores.@sum >= 3"), ("friends.@count < 2.5", "implied friends.@count <= 2"),
            ("int < double", "implied int < double"),
        ])
    func numbers(text: String, expected: String) throws {
        #expect(try shape(text) == expected)
    }

    @Test(
        "decimals compare with numbers of any type, and a Double is the decimal it reads like",
        arguments: [
            ("price == 5", "implied price == decimal(5)"), ("price < 0.1", "implied price < decimal(0.1)"),
            ("price < 0.1f", "implied price < decimal(0.1)"), ("price == inf", "implied price == decimal(Infinity)"),
            ("price == true", "implied price == decimal(1)"), ("price == nil", "implied price == nil"),
            ("price BETWEEN {1, 2.5}", "implied price BETWEEN {decimal(1), decimal(2.5)}"),
            ("price IN {1, decimal(2.50)}", "implied price IN {decimal(1), decimal(2.50)}"),
            ("int == decimal(2.00)", "implied int == 2"), ("int == decimal(2.5)", "false"),
            ("int < decimal(2.5)", "implied int <= 2"), ("int > decimal(-2.5)", "implied int >= -2"),
            ("int < decimal(1E+40)", "implied int != nil"), ("int > decimal(-Infinity)", "implied int != nil"),
            ("int > decimal(9223372036854775807.5)", "false"), ("int < decimal(NaN)", "false"),
            ("double == decimal(0.1)", "implied double == 0.1"), ("float == decimal(0.1)", "implied float == 0.1f"),
            ("double < decimal(1E+400)", "implied double <= 1.7976931348623157e+308"),
            ("double == decimal(1E+400)", "false"),
            ("double > decimal(-1E+400)", "implied double >= -1.7976931348623157e+308"),
            ("bool == decimal(1.0)", "implied bool == true"), ("int < price", "implied int < price"),
            ("price == double", "implied price == double"), ("ANY offers > 1", "any offers > decimal(1)"),
            ("offers.@sum > 1.5", "implied offers.@sum > decimal(1.5)"),
            ("offers.@avg > 1", "implied offers.@avg > decimal(1)"),
            ("offers.@max == nil", "implied offers.@max == nil"), ("offers.@count > 1", "implied offers.@count > 1"),
        ])
    func decimals(text: String, expected: String) throws {
        #expect(try shape(text) == expected)
    }

    @Test(
        "constants on the left, collections and quantifiers take their one form",
        arguments: [
            ("5 < int", "implied int > 5"), ("5 >= int", "implied int <= 5"), ("'a' IN tags", "any tags == 'a'"),
            ("'a' IN string", "implied string CONTAINS 'a'"), ("NONE 'a' IN tags", "none tags == 'a'"),
            ("tags == 'a'", "any tags == 'a'"), ("friends.int > 5", "any friends.int > 5"),
            ("SOME friends.tags CONTAINS 'a'", "any friends.tags CONTAINS 'a'"), ("int IN scores", "any scores == int"),
            ("int < ALL", ""), ("string == nil", "implied string == nil"), ("mate == nil", "implied mate == nil"),
            ("mate.int == nil", "implied mate.int == nil"), ("string LIKE nil", "implied string == nil"),
            ("string CONTAINS nil", "implied string IN {}"), ("NONE tags CONTAINS nil", "none tags IN {}"),
            ("int == nil", "implied int IN {}"), ("int != nil", "compound"),
            ("scores.@count == nil", "implied scores.@count IN {}"),
            ("string < nil", "implied string IN {}"),
            ("mate.int >= nil", "implied mate.int == nil"), ("date > nil", "implied date IN {}"),
            ("uuid BETWEEN {nil, nil}", "implied uuid IN {}"),
            ("mate.int BETWEEN {nil, nil}", "implied mate.int == nil"),
            ("mate.int BETWEEN {nil, 5}", "implied mate.int IN {}"),
            (
                "objectId < oid(11223344556677889900aabb)",
                "implied objectId < oid(11223344556677889900aabb)"
            ),
            ("dates.@max > T1:0", "implied dates.@max > T1:0"),
            ("mate.friends.@avg.int == nil", "implied mate.friends.@avg.int == nil"),
            ("string == other", "implied string == other"), ("colours == 'a'", "any colours == 'a'"),
            ("marks['a'] > 2", "implied marks['a'] > 2"), ("marks['a'] == nil", "implied marks['a'] == nil"),
            ("mate.marks[\"it's\"] > 2", "implied mate.marks['it\\'s'] > 2"),
            ("marks.@keys == 'a'", "any marks.@keys == 'a'"), ("ALL marks.@allKeys != 'a'", "all marks.@keys != 'a'"),
            ("marks.@values > 2", "any marks > 2"), ("marks > 2", "any marks > 2"),
            ("marks.@max > 2", "implied marks.@max > 2"), ("marks.@keys.@count > 2", "implied marks.@keys.@count > 2"),
            ("kin['x'].int > 1", "implied kin['x'].int > 1"), ("kin.@values.int > 1", "any kin.int > 1"),
            ("kin[*].int > 1", "any kin.int > 1"), ("friends[*].tags == 'a'", "any friends.tags == 'a'"),
            ("kin['x'] == nil", "implied kin['x'] == nil"), ("kin.int > 1", "any kin.int > 1"),
        ])
    func forms(text: String, expected: String) throws {
        if expected.isEmpty {
            #expect(throws: QueryError.self) { try shape(text) }
        } else {
            #expect(try shape(text) == expected)
        }
    }

    @Test(
        "an operator the type does not have is refused",
        arguments: [
            "bool < true", "bool BETWEEN {nil, nil}", "int CONTAINS 5", "mate > nil", "string <[c] 'a'",
            "string LIKE[d] 'a'", "data CONTAINS[c] B64\"AA==\"",
            "string BETWEEN {'a', 'b'}", "date CONTAINS T1:0", "ANY int == 5", "ALL mate.int == 5",
            "scores == friends.scores", "int.@count == 1", "tags.@sum == 1",
            "dates.@avg > T1:0",
            "friends.@sum > 1", "friends.int.@count > 1", "'a' BEGINSWITH string", "'a' CONTAINS tags", "int IN string",
            "5 IN int", "string == int", "mate == 5", "date > 5", "data == 'x'",
            "string == 5", "bool == 2", "uuid == 'x'", "mate.friends == uuid", "marks['a'].@count == 1",
            "scores['a'] == 1", "tags.@keys == 'a'", "ANY marks['a'] == 1", "marks['a'] == 'x'", "marks.@keys == 5",
            "price == 'x'", "price CONTAINS 5", "price == oid(11223344556677889900aabb)", "string == decimal(1)",
        ])
    func refused(text: String) {
        let error = refusal(text)
        #expect(error != nil, "\(text)")
        #expect(error?.position == nil, "\(text): \(error?.message ?? "")")
    }

    @Test("paths through top-level links are named, paths into embedded objects and to the link itself are not")
    func links() throws {
        #expect(try bound("address.city == 'LA' AND address == nil", "Person").usesLinks(in: Models.schema).isEmpty)
        #expect(try bound("ANY addresses.city == 'LA'", "Person").usesLinks(in: Models.schema).isEmpty)
        #expect(try bound("dogs.@count > 1", "Person").usesLinks(in: Models.schema).isEmpty)
        #expect(try bound("favoriteToy == nil", "Dog").usesLinks(in: Models.schema).isEmpty)
        #expect(
            try bound("favoriteToy.name == 'x' OR NOT favoriteToy.name == 'y'", "Dog").usesLinks(in: Models.schema)
                == ["favoriteToy.name"])
        #expect(
            try bound("dogs.@avg.age > 1 AND address.landlord.id == 1", "Person").usesLinks(in: Models.schema)
                == ["dogs.@avg.age", "address.landlord.id"])
        #expect(try bound("int < mate.int", "All").usesLinks(in: Models.schema) == ["mate.int"])
    }

    @Test("what the parser reads is never too deep to bind, and what code builds is bounded")
    func depth() throws {
        let depth = QueryLimits.nestingDepth
        let text = String(repeating: "int == 1 AND int == 2 OR int == 3 AND (", count: depth) + "int == 1"
        _ = try bound(text + String(repeating: ")", count: depth))
        _ = try bound(String(repeating: "!", count: depth) + "int == 1")
        var built = try Predicate.parse("int == 1")
        for _ in 0..<1_000 { built = .not(built) }
        let error = #expect(throws: QueryError.self) { try built.bound(to: "All", in: Models.schema) }
        #expect(error?.code == .limit)
    }

    @Test("S024 a sort key goes through embedded objects to a value")
    func sortKeys() throws {
        let key = try SortKey(keyPath: "address.street", ascending: false).bound(to: "Person", in: Models.schema)
        #expect(key.path.text(in: Models.schema) == "address.street")
        #expect(!key.ascending)
        func message(_ keyPath: String) -> String? {
            do throws(QueryError) {
                _ = try SortKey(keyPath: keyPath).bound(to: "Person", in: Models.schema)
                return nil
            } catch { return error.message }
        }
        #expect(message("nam") == "Cannot sort on key path 'nam': property 'Person.nam' does not exist.")
        #expect(
            message("dogs.age")
                == "Cannot sort on key path 'dogs.age': property 'Person.dogs' is of unsupported type 'array<Dog>'.")
        #expect(
            message("address")
                == "Cannot sort on key path 'address': property 'Person.address' of type 'Address' cannot be the final property in the key path."
        )
        #expect(
            message("id.x")
                == "Cannot sort on key path 'id.x': property 'Person.id' of type 'int' may only be the final property in the key path."
        )
        #expect(message("") != nil)
        #expect(message("a..b") != nil)
    }
}
