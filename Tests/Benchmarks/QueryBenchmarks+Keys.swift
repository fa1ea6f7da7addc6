import Causeway
import CausewayMeasuring

/// Not how many, but which: an index, the ids of all that is found, columns added up, and orders.
///
/// Where all ids are asked for, both sides read the id of every row, in its order, into an array.
extension QueryBenchmarks {
    // MARK: - Indexes

    func indexes(_ report: ([[Row]]) -> Void) throws {
        let breed = "breed == '\(data.breeds[17])'"
        let select = try sqlite.prepare("SELECT count(*) FROM dog WHERE \(breed)")
        let both = try sqlite.prepare("SELECT id, age FROM dog WHERE \(breed)")
        let young = try sqlite.prepare("SELECT count(*) FROM dog WHERE \(breed) AND age < 2")
        report([
            try row(
                "index: count \(breed), at most", .milliseconds, most: 0.02,
                ours: { [Double(realm.objects(Dog.self).filter(breed).count)] }, theirs: { select.answer() }),
            try ids("index: all ids of \(breed)", breed, least: 2),
            try row(
                "index: all ids and the sum of age of \(breed)", .milliseconds, least: 2,
                ours: {
                    let dogs = realm.objects(Dog.self).filter(breed)
                    return sampled(ids(of: dogs)).map { Double($0) } + [Double(dogs.sum(of: \.age))]
                },
                theirs: {
                    var (ids, sum): ([Int], Int) = ([], 0)
                    while both.step() {
                        ids.append(both.integer(0))
                        sum += both.integer(1)
                    }
                    both.reset()
                    return sampled(ids).map { Double($0) } + [Double(sum)]
                }),
            try row(
                "index: count \(breed) AND age < 2", .milliseconds, least: 10,
                ours: { [Double(realm.objects(Dog.self).filter("\(breed) AND age < 2").count)] },
                theirs: { young.answer() }),
        ])
    }

    func allIDs(_ report: ([[Row]]) -> Void) throws {
        report([try ids("all ids of age < 2", "age < 2", least: 2)])
    }

    private func ids(_ name: String, _ condition: String, least: Double) throws -> [Row] {
        let select = try sqlite.prepare("SELECT id FROM dog WHERE \(condition)")
        return try row(
            name, .milliseconds, least: least,
            ours: { sampled(ids(of: realm.objects(Dog.self).filter(condition))).map { Double($0) } },
            theirs: { sampled(select.integers()).map { Double($0) } })
    }

    func ids(of dogs: Results<Dog>) -> [Int] {
        var ids: [Int] = []
        for dog in dogs { ids.append(dog.id) }
        return ids
    }

    /// What is compared of many: how many there are, the last, the middle and the first.
    func sampled(_ ids: [Int]) -> [Int] {
        ids.isEmpty ? [0] : [ids.count, ids[ids.count - 1], ids[ids.count / 2], ids[0]]
    }

    // MARK: - Aggregates

    func aggregates(_ report: ([[Row]]) -> Void) throws {
        var rows: [[Row]] = []
        for property in ["age", "weight"] {
            for (function, sql) in [("sum", "total"), ("average", "avg"), ("min", "min"), ("max", "max")] {
                let select = try sqlite.prepare("SELECT \(sql)(\(property)) FROM dog")
                rows.append(
                    try row(
                        "\(function) of \(property)", .nanosecondsEachDog, least: 80,
                        ours: { [aggregate(function, property, realm.objects(Dog.self))] },
                        theirs: { select.answer() }))
            }
        }
        let select = try sqlite.prepare("SELECT sum(age) FROM dog WHERE weight > 30")
        rows.append(
            try row(
                "sum of age where weight > 30", .nanosecondsEachDog,
                ours: { [aggregate("sum", "age", realm.objects(Dog.self).filter("weight > 30"))] },
                theirs: { select.answer() }))
        report(rows)
    }

    private func aggregate(_ function: String, _ property: String, _ dogs: Results<Dog>) -> Double {
        switch function {
        case "sum": dogs.sum(ofProperty: property)
        case "average": dogs.average(ofProperty: property) ?? .nan
        case "min":
            property == "age" ? dogs.min(of: \.age).map { Double($0) } ?? .nan : dogs.min(of: \.weight) ?? .nan
        default:
            property == "age" ? dogs.max(of: \.age).map { Double($0) } ?? .nan : dogs.max(of: \.weight) ?? .nan
        }
    }

    // MARK: - Orders

    func orders(_ report: ([[Row]]) -> Void) throws {
        let name = { (id: Int) in Double(data.dog(id).name) }
        let weight = { (id: Int) in data.dog(id).weight }
        let both = { (id: Int) in Double(data.dog(id).age) * 100 + data.dog(id).weight }
        report([
            try sort(by: ["name"], value: name),
            try sort(by: ["weight"], value: weight),
            try sort(by: ["age", "weight"], value: both),
            try first(by: "name", value: name),
            try first(by: "weight", value: weight),
            try distinct("name"),
            try distinct("age"),
        ])
    }

    /// - Parameter value: What stands for the sorted properties of a dog; the order among equals is ours to promise only.
    private func sort(by properties: [String], value: (Int) -> Double) throws -> [Row] {
        let select = try sqlite.prepare("SELECT id FROM dog ORDER BY \(properties.joined(separator: ", "))")
        let places = [data.count - 1, data.count / 2, 0]
        return try row(
            "sort \(data.count) by \(properties.joined(separator: ", then ")), all ids", .milliseconds, least: 3,
            ours: {
                let found = ids(of: sorted(by: properties))
                return places.map { value(found[$0]) }
            },
            theirs: {
                let found = select.integers()
                return places.map { value(found[$0]) }
            })
    }

    /// The top of a list, where both sides are told how many are wanted.
    private func first(by property: String, value: (Int) -> Double) throws -> [Row] {
        let most = 100
        let select = try sqlite.prepare("SELECT id FROM dog ORDER BY \(property) LIMIT \(most)")
        let query = "TRUEPREDICATE SORT(\(property)) LIMIT(\(most))"
        return try row(
            "first \(most) of \(data.count) by \(property)", .milliseconds,
            ours: { ids(of: realm.objects(Dog.self).filter(query)).map(value) },
            theirs: { select.integers().map(value) })
    }

    private func sorted(by properties: [String]) -> Results<Dog> {
        realm.objects(Dog.self).sorted(by: properties.map { SortDescriptor(keyPath: $0) })
    }

    private func distinct(_ property: String) throws -> [Row] {
        let select = try sqlite.prepare("SELECT count(DISTINCT \(property)) FROM dog")
        return try row(
            "distinct \(property)", .milliseconds, least: 20,
            ours: { [Double(realm.objects(Dog.self).distinct(by: [property]).count)] }, theirs: { select.answer() })
    }
}
