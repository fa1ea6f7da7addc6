import Causeway
import CausewayMeasuring

/// Conditions on the lists of 100,000 persons, ten dogs each on average. SQLite finds the dogs of a person in the index
/// on `dog(owner)`.
extension QueryBenchmarks {
    func collections(_ report: ([[Row]]) -> Void) throws {
        func eachPerson(_ value: String, _ condition: String) -> String {
            "SELECT count(*) FROM person WHERE (SELECT \(value) FROM dog WHERE owner = person.id) \(condition)"
        }
        func fromDogs(_ condition: String, _ having: String) -> String {
            // The plus keeps SQLite from the index, which would lead it to the dogs in random order.
            "SELECT count(*) FROM (SELECT 1 FROM dog \(condition) GROUP BY +owner HAVING \(having))"
        }
        let average = "dogs.@avg.age > 5"
        let any = "ANY dogs.age == 19"
        report([
            try persons(average, eachPerson("avg(age)", "> 5")),
            try persons(average, fromDogs("", "avg(age) > 5"), remark: Self.fromDogs, least: nil),
            try persons(
                any,
                "SELECT count(*) FROM person WHERE EXISTS (SELECT 1 FROM dog WHERE owner = person.id AND age = 19)"),
            try persons(
                any, "SELECT count(DISTINCT owner) FROM dog WHERE age = 19", remark: Self.fromDogs, least: nil),
        ])
        let subquery = "SUBQUERY(dogs, $dog, $dog.age > 12 AND $dog.weight > 20).@count > 2"
        report([
            try persons(
                subquery,
                "SELECT count(*) FROM person WHERE "
                    + "(SELECT count(*) FROM dog WHERE owner = person.id AND age > 12 AND weight > 20) > 2"),
            try persons(
                subquery, fromDogs("WHERE age > 12 AND weight > 20", "count(*) > 2"), remark: Self.fromDogs,
                least: nil),
        ])
        report([try persons("dogs.@count > 12", eachPerson("count(*)", "> 12"))])
    }

    /// Says that SQLite was asked the other way round, which suits it better here but is no translation of the question.
    private static let fromDogs = ", SQLite from the dogs"

    private func persons(_ condition: String, _ sql: String, remark: String = "", least: Double? = 40) throws -> [Row] {
        let select = try sqlite.prepare(sql)
        return try row(
            "\(data.persons) persons: \(condition)\(remark)", .milliseconds, least: least,
            ours: { [Double(realm.objects(Person.self).filter(condition).count)] }, theirs: { select.answer() })
    }
}
