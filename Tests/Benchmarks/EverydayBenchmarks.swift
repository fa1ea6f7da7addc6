import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

/// What apps do most: one object at a time, one small write at a time, the first page of a list. A million dogs of
/// 100,000 persons, through the public API, with targets that no peer may beat.
@MainActor
struct EverydayBenchmarks {
    static let group = "everyday"
    let folder: URL
    let smoke: Bool
    let data: DogData
    let realm: Realm
    let sqlite: SQLitePeer

    /// Whether nothing was measured before in this process: what others freed hides what this group takes.
    let isFirst: Bool

    init(folder: URL, smoke: Bool, isFirst: Bool) throws {
        self.folder = folder
        self.smoke = smoke
        self.isFirst = isFirst
        data = DogData(smoke: smoke)
        realm = try DogData.realm(folder.appendingPathComponent("everyday.realm"))
        sqlite = try data.sqlite(folder.appendingPathComponent("everyday.sqlite"))
    }

    func file(_ name: String) -> URL { folder.appendingPathComponent("everyday-" + name) }

    func run(_ report: ([Row]) -> Void) throws {
        try fill(report)
        try sqlite.keepReading()
        try sequences(report)
        try singles(report)
        try indexes(report)
        try backlinks(report)
        try tops(report)
        try texts(report)
        try commits(report)
        try besideReader(report)
        try notification(report)
        try liveResults(report)
        let files = try fromColumns(report)
        try opening(files, report)
        try lists(report)
        try deletes(files, report)
    }

    // MARK: - Filling

    private func fill(_ report: ([Row]) -> Void) throws {
        var (ours, theirs, lists) = (Stopwatch(), Stopwatch(), Stopwatch())
        let before = try residentBytes()
        try PeakMemory.begin()
        let persons = try data.addPersons(to: realm)
        try ours.time { try data.addDogs(to: realm, of: persons) }
        let taken = try residentBytes() - before
        try lists.time { try data.fillLists(in: realm, of: persons) }
        let peak = try PeakMemory.bytes() - before
        try data.addPersons(to: sqlite)
        try theirs.time { try data.addDogs(to: sqlite) }
        try sqlite.execute("CREATE INDEX dog_owner ON dog (owner)")
        try sqlite.settle()
        report([
            rate("bulk insert", ours.sample(operations: data.count), theirs.sample(operations: data.count), least: 2e6),
            .less(
                Self.group, "appending \(data.count) links to \(data.persons) lists", "ms",
                ours: lists.sample().median / 1e6, most: 500, under: .hot(lists.sample())),
        ])
        guard isFirst else { return }
        report([
            .less(
                Self.group, "memory after the insert, with the pages of the file", "MB", ours: Double(taken) / 1e6,
                most: 80, under: .hot(ours.sample())),
            .less(
                Self.group, "memory at the peak of the insert and the lists", "MB", ours: Double(peak) / 1e6, most: 200,
                under: .hot(ours.sample())),
        ])
    }

    /// Files of all dogs that nobody has open.
    struct Files {
        let realm, sqlite: URL
    }

    private func fromColumns(_ report: ([Row]) -> Void) throws -> Files {
        let files = Files(realm: file("columns.realm"), sqlite: file("columns.sqlite"))
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        let realm = try DogData.realm(files.realm)
        let persons = try data.addPersons(to: realm)
        try ours.time { try data.createDogs(in: realm, of: persons) }
        let peer = try data.sqlite(files.sqlite)
        try data.addPersons(to: peer)
        try theirs.time { try data.addDogs(to: peer) }
        try peer.settle()
        report([
            rate(
                "bulk insert from columns", ours.sample(operations: data.count),
                theirs.sample(operations: data.count), least: 5e6)
        ])
        return files
    }

    // MARK: - One object after the other

    private func sequences(_ report: ([Row]) -> Void) throws {
        let dogs = realm.objects(Dog.self)
        try LoopCheck(data: data).run(dogs)
        func sum(_ text: String, _ add: @escaping (SQLitePeer.Statement) -> Int) throws -> Duel.Work {
            let select = try sqlite.prepare(text)
            return {
                var sum = 0
                while select.step() { sum &+= add(select) }
                select.reset()
                return [Double(sum)]
            }
        }
        // Loops as an app writes them: a closure would hide from the optimiser what is done with the object.
        report([
            row(
                try Duel(
                    "Int of results in sequence", smoke: smoke,
                    ours: {
                        var sum = 0
                        for dog in dogs { sum &+= dog.age }
                        return [Double(sum)]
                    }, theirs: try sum("SELECT age FROM dog") { $0.integer(0) }), "ns", operations: data.count,
                most: 8),
            row(
                try Duel(
                    "String of results in sequence", smoke: smoke,
                    ours: {
                        var sum = 0
                        for dog in dogs { sum &+= dog.name.utf8.count }
                        return [Double(sum)]
                    }, theirs: try sum("SELECT name FROM dog") { $0.length(0) }), "ns", operations: data.count,
                most: 16),
            row(
                try Duel(
                    "link, then its String", smoke: smoke,
                    ours: {
                        var sum = 0
                        for dog in dogs { sum &+= dog.owner?.name.utf8.count ?? 0 }
                        return [Double(sum)]
                    },
                    theirs: try sum("SELECT person.name FROM dog JOIN person ON person.id = dog.owner") {
                        $0.length(0)
                    }), "ns", operations: data.count, most: 50),
            row(
                try Duel(
                    "four properties", smoke: smoke,
                    ours: {
                        var sum = 0
                        for dog in dogs { sum &+= dog.id &+ dog.age &+ Int(dog.weight) &+ dog.name.utf8.count }
                        return [Double(sum)]
                    },
                    theirs: try sum("SELECT id, age, weight, name FROM dog") {
                        $0.integer(0) &+ $0.integer(1) &+ Int($0.double(2)) &+ $0.length(3)
                    }), "ns", operations: data.count, most: 25),
            row(
                try Duel(
                    "results[i].age by subscript", smoke: smoke,
                    ours: {
                        var sum = 0
                        for index in 0..<dogs.count { sum &+= dogs[index].age }
                        return [Double(sum)]
                    }, theirs: try sum("SELECT age FROM dog") { $0.integer(0) }), "ns", operations: data.count,
                most: 30),
        ])
    }

    // MARK: - Single objects

    private func singles(_ report: ([Row]) -> Void) throws {
        let passes = smoke ? 10 : 1_000
        let dogs = Array(realm.objects(Dog.self).prefix(1_000))
        let few = try sqlite.prepare("SELECT age FROM dog WHERE id < \(dogs.count)")
        let held = try Duel(
            "Int of 1,000 objects held in an array", smoke: smoke,
            ours: {
                var sum = 0
                for _ in 0..<passes {
                    for dog in dogs { sum &+= dog.age }
                }
                return [Double(sum)]
            },
            theirs: {
                var sum = 0
                for _ in 0..<passes {
                    while few.step() { sum &+= few.integer(0) }
                    few.reset()
                }
                return [Double(sum)]
            })
        let lookups = smoke ? 1_000 : 200_000
        let select = try sqlite.prepare("SELECT age FROM dog WHERE id = ?")
        func sum(_ age: (Int) -> Int) -> [Double] {
            var random = SeededNumbers(seed: 2)
            var sum = 0
            for _ in 0..<lookups { sum &+= age(Int(random.next() % UInt64(data.count))) }
            return [Double(sum)]
        }
        let keyed = try Duel(
            "primary key and one read", smoke: smoke,
            ours: { sum { realm.object(ofType: Dog.self, forPrimaryKey: $0)?.age ?? 0 } },
            theirs: {
                sum { id in
                    select.bind(1, id)
                    defer { select.reset() }
                    return select.step() ? select.integer(0) : 0
                }
            })
        report([
            row(held, "ns", operations: passes * dogs.count, most: 6), row(keyed, "ns", operations: lookups, most: 200),
        ])
    }

    // MARK: - Questions that are asked again and again

    private func indexes(_ report: ([Row]) -> Void) throws {
        let breed = data.breeds[17]
        let times = smoke ? 10 : 1_000
        let count = try sqlite.prepare("SELECT count(*) FROM dog WHERE breed = '\(breed)'")
        let counted = try Duel(
            "count of an index", smoke: smoke,
            ours: {
                var sum = 0
                for _ in 0..<times { sum += realm.objects(Dog.self).filter("breed == %@", breed).count }
                return [Double(sum)]
            },
            theirs: {
                var sum = 0
                for _ in 0..<(times / 10) { sum += Int(count.answer()[0]) * 10 }
                return [Double(sum)]
            })
        let rowids = try sqlite.prepare("SELECT id FROM dog WHERE breed = '\(breed)'")
        // The keys alone: the last object is at the end of all of them.
        let keys = try Duel(
            "keys of an index", smoke: smoke,
            ours: { [Double(realm.objects(Dog.self).filter("breed == %@", breed).last?.id ?? -1)] },
            theirs: { [Double(rowids.integers().last ?? -1)] })
        report([
            row(counted, "µs", operations: times * 1_000, most: 0.4), row(keys, "µs", operations: 1_000, most: 25),
        ])
    }

    private func backlinks(_ report: ([Row]) -> Void) throws {
        let many = try sqlite.prepare(
            "SELECT count(*) FROM (SELECT owner FROM dog GROUP BY owner HAVING count(*) > 12)")
        let old = try sqlite.prepare(
            "SELECT count(*) FROM (SELECT owner FROM dog GROUP BY owner HAVING avg(age) > 9.5)")
        func duel(_ name: String, _ condition: String, _ select: SQLitePeer.Statement) throws -> Duel {
            try Duel(
                name, smoke: smoke, ours: { [Double(realm.objects(Person.self).filter(condition).count)] },
                theirs: { select.answer() })
        }
        report([
            row(
                try duel("backlinks @count > 12", "@links.Dog.owner.@count > 12", many), "ms", operations: 1_000_000,
                most: 2),
            row(
                try duel("backlinks @avg.age > 9.5", "@links.Dog.owner.@avg.age > 9.5", old), "ms",
                operations: 1_000_000, most: 8),
        ])
    }

    /// The first page of a sorted list, read as apps read it.
    private func tops(_ report: ([Row]) -> Void) throws {
        let most = 100
        func top(_ properties: [String], _ value: @escaping (Dog) -> Double, _ number: @escaping (Int) -> Double) throws
        {
            let select = try sqlite.prepare(
                "SELECT id FROM dog ORDER BY \(properties.joined(separator: ", ")) LIMIT \(most)")
            let order = properties.map { SortDescriptor(keyPath: $0) }
            let duel = try Duel(
                "first \(most) of a sort by \(properties.joined(separator: ", "))", smoke: smoke,
                ours: { Array(realm.objects(Dog.self).sorted(by: order).prefix(most)).map(value) },
                theirs: { select.integers().map(number) })
            report([row(duel, "ms", operations: 1_000_000, most: 3)])
        }
        let place = Dictionary(uniqueKeysWithValues: data.names.enumerated().map { ($1, Double($0)) })
        try top(["name"], { place[$0.name] ?? -1 }, { Double(data.dog($0).name) })
        try top(["weight"], { $0.weight }, { data.dog($0).weight })
        try top(["age"], { Double($0.age) }, { Double(data.dog($0).age) })
        try top(
            ["age", "weight"], { Double($0.age) * 100 + $0.weight },
            { Double(data.dog($0).age) * 100 + data.dog($0).weight })
    }

    private func texts(_ report: ([Row]) -> Void) throws {
        let select = try sqlite.prepare("SELECT count(*) FROM dog WHERE name GLOB '*a*b*'")
        let duel = try Duel(
            "LIKE '*a*b*'", smoke: smoke,
            ours: { [Double(realm.objects(Dog.self).filter("name LIKE '*a*b*'").count)] }, theirs: { select.answer() })
        report([row(duel, "ns/row", operations: data.count, most: 3)])
    }

    // MARK: - Rows of the table

    func row(
        _ duel: Duel, _ unit: String, operations: Int, most: Double? = nil, peer: String = "SQLite"
    ) -> Row {
        .less(
            Self.group, duel.name, unit, ours: duel.ours.median / Double(operations),
            peer: (peer, duel.theirs.median / Double(operations)), most: most, under: duel.conditions)
    }

    func rate(_ name: String, _ ours: Sample, _ theirs: Sample, peer: String = "SQLite", least: Double? = nil) -> Row {
        .more(
            Self.group, name, "/s", ours: 1e9 / ours.median, peer: (peer, 1e9 / theirs.median), least: least,
            under: .hot(ours, theirs))
    }
}
