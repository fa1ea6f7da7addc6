import Causeway

/// Not how many, but which: an index, the keys of all that is found, columns added up, and orders.
///
/// Keys are asked for as an app does: the last, the middle and the first element of new results are read, for which the
/// keys of all are found. SQLite's side steps through all rows and keeps their ids.
extension QueryBenchmarks {
    // MARK: - Indexes

    func indexes(_ report: ([Row]) -> Void) throws {
        let breed = "breed == '\(data.breeds[17])'"
        let select = try sqlite.prepare("SELECT count(*) FROM dog WHERE \(breed)")
        let both = try sqlite.prepare("SELECT id, age FROM dog WHERE \(breed)")
        let young = try sqlite.prepare("SELECT count(*) FROM dog WHERE \(breed) AND age < 2")
        let found = realm.objects(Dog.self).filter(breed).count
        report([
            try row(
                "index: count \(breed), at most", .milliseconds, most: 0.02,
                ours: { [Double(realm.objects(Dog.self).filter(breed).count)] }, theirs: { select.answer() }),
            try keys("index: all keys of \(breed)", breed, least: 10),
            try row(
                "index: keys and sum of age of \(breed)", .milliseconds, least: 10,
                ours: {
                    let dogs = realm.objects(Dog.self).filter(breed)
                    return sampled(dogs, found) + [Double(dogs.sum(of: \.age))]
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

    func keys(_ report: ([Row]) -> Void) throws {
        report([try keys("all keys of age < 2", "age < 2", least: 150)])
    }

    private func keys(_ name: String, _ condition: String, least: Double) throws -> Row {
        let select = try sqlite.prepare("SELECT id FROM dog WHERE \(condition)")
        let found = realm.objects(Dog.self).filter(condition).count
        return try row(
            name, .milliseconds, least: least,
            ours: { sampled(realm.objects(Dog.self).filter(condition), found) },
            theirs: { sampled(select.integers()).map { Double($0) } })
    }

    /// The ids of the last, the middle and the first element. The last is asked for first, so that all must be found,
    /// and the count is known, so that nothing is counted besides.
    private func sampled(_ dogs: Results<Dog>, _ count: Int) -> [Double] {
        count == 0 ? [] : [count - 1, count / 2, 0].map { Double(dogs[$0].id) }
    }

    private func sampled(_ ids: [Int]) -> [Int] {
        ids.isEmpty ? [] : [ids[ids.count - 1], ids[ids.count / 2], ids[0]]
    }

    // MARK: - Aggregates

    func aggregates(_ report: ([Row]) -> Void) throws {
        var rows: [Row] = []
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

    func orders(_ report: ([Row]) -> Void) throws {
        report([
            try sort("name", by: ["name"]) { id in Double(data.dog(id).name) },
            try sort("weight", by: ["weight"]) { id in data.dog(id).weight },
            try sort("age, then weight", by: ["age", "weight"]) { id in
                Double(data.dog(id).age) * 100 + data.dog(id).weight
            },
            try distinct("name"),
            try distinct("age"),
        ])
    }

    /// - Parameter value: What stands for the sorted properties of a dog; the order among equals is ours to promise only.
    private func sort(_ name: String, by properties: [String], value: (Int) -> Double) throws -> Row {
        let select = try sqlite.prepare("SELECT id FROM dog ORDER BY \(properties.joined(separator: ", "))")
        return try row(
            "sort \(data.count) by \(name), all keys", .milliseconds, least: 12,
            ours: {
                let dogs = realm.objects(Dog.self).sorted(by: properties.map { SortDescriptor(keyPath: $0) })
                return sampled(dogs, data.count).map { value(Int($0)) }
            },
            theirs: { sampled(select.integers()).map(value) })
    }

    private func distinct(_ property: String) throws -> Row {
        let select = try sqlite.prepare("SELECT count(DISTINCT \(property)) FROM dog")
        return try row(
            "distinct \(property)", .milliseconds, least: 20,
            ours: { [Double(realm.objects(Dog.self).distinct(by: [property]).count)] }, theirs: { select.answer() })
    }
}
