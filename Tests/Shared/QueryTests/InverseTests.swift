import CausewayModel
import CausewayQuery
import Testing

@Suite("Paths against a link")
struct InverseTests {
    private func bound(_ text: String, _ className: String = "Dog") throws(QueryError) -> BoundPredicate {
        try Predicate.parse(text).bound(to: className, in: Models.schema)
    }

    private func refusal(_ text: String, _ className: String = "Dog") -> String {
        do throws(QueryError) {
            _ = try bound(text, className)
            return ""
        } catch { return error.description }
    }

    @Test(
        "the canonical text reads back to the same predicate",
        arguments: [
            "ANY @links.Person.dogs.id == 5", "@links.Person.dogs.@count > 2", "@links.@count == 0",
            "favoriteToy.@links.Dog.favoriteToy.@max.age == 3",
            "SUBQUERY(@links.Person.dogs, $x, $x.id > 5).@count > 0",
            "@links.`in`.`odd name`.@count == 1", "SUBQUERY(dogs, $x, $x.@links.@count > 1).@count == 1",
        ])
    func text(text: String) throws {
        #expect("\(try Predicate.parse(text))" == text)
    }

    @Test("a step leads to the class that links, and counts as a collection")
    func steps() throws {
        guard case .comparison(let comparison) = try bound("@links.Person.dogs.id == 5") else {
            Issue.record("no comparison")
            return
        }
        #expect(comparison.quantifier == .any)
        #expect(comparison.path.steps.map(\.direction) == [.backward, .forward])
        #expect(comparison.path.steps.map(\.className) == ["Dog", "Person"])
        #expect(comparison.path.steps[0].target == "Person")
        #expect(comparison.path.text(in: Models.schema) == "@links.Person.dogs.id")
    }

    @Test("what does not link is refused with a sentence")
    func refused() {
        #expect(refusal("@links.Nobody.dogs.@count == 1").contains("Class 'Nobody'"))
        #expect(refusal("@links.Person.cats.@count == 1").contains("Property 'cats' not found"))
        #expect(refusal("@links.Person.id.@count == 1").contains("does not link to objects of type 'Dog'"))
        #expect(refusal("@links.Person.dogs.@count == 1", "User").contains("does not link to objects of type 'User'"))
        #expect(refusal("@links.Person == 1").contains("the name of a property that links here"))
        #expect(refusal("@links == 1").contains("@links.@count"))
        #expect(refusal("@links.@sum == 1").contains("can only be counted"))
        #expect(refusal("@links.@count.id == 1") != "")
    }

    @Test(
        "subscriptions refuse them: whether they hold changes without the object",
        arguments: [
            "@links.Person.dogs.@count > 2", "ANY @links.Person.dogs.id == 5", "@links.@count == 0",
            "SUBQUERY(@links.Person.dogs, $x, $x.id > 5).@count > 0",
        ])
    func links(text: String) throws {
        #expect(try bound(text).usesLinks(in: Models.schema).count == 1)
    }
}
