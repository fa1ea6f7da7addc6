import Causeway
import CausewayQuery

/// Conditions on the lists of 100,000 persons, ten dogs each on average. SQLite finds the dogs of a person in the index
/// on `dog(owner)`.
extension QueryBenchmarks {
    func collections(_ report: ([Row]) -> Void) throws {
        func eachPerson(_ value: String, _ condition: String) -> String {
            "SELECT count(*) FROM person WHERE (SELECT \(value) FROM dog WHERE owner = person.id) \(condition)"
        }
        report([
            try persons("dogs.@avg.age > 5", eachPerson("avg(age)", "> 5")),
            try persons(
                "ANY dogs.age == 19",
                "SELECT count(*) FROM person WHERE EXISTS (SELECT 1 FROM dog WHERE owner = person.id AND age = 19)"),
            // The same the other way round, which serves SQLite better.
            try persons(
                "ANY dogs.age == 19", "SELECT count(DISTINCT owner) FROM dog WHERE age = 19",
                remark: ", SQLite from the dogs", least: nil),
        ])
        let subquery = "SUBQUERY(dogs, $dog, $dog.age > 12 AND $dog.weight > 20).@count > 2"
        if (try? CausewayQuery.Predicate.parse(subquery)) == nil {
            print("query: \(subquery): skipped, the query language does not know it yet")
        } else {
            report([
                try persons(
                    subquery,
                    "SELECT count(*) FROM person WHERE "
                        + "(SELECT count(*) FROM dog WHERE owner = person.id AND age > 12 AND weight > 20) > 2")
            ])
        }
        report([try persons("dogs.@count > 12", eachPerson("count(*)", "> 12"))])
    }

    private func persons(_ condition: String, _ sql: String, remark: String = "", least: Double? = 40) throws -> Row {
        let select = try sqlite.prepare(sql)
        return try row(
            "\(data.persons) persons: \(condition)\(remark)", .milliseconds, least: least,
            ours: { [Double(realm.objects(Person.self).filter(condition).count)] }, theirs: { select.answer() })
    }
}
