import Causeway
import CausewayMeasuring
import Foundation

/// Queries over a million dogs of 100,000 persons, beside SQLite with the same rows and indexes.
///
/// Both sides must give the same answer, or the run ends. SQLite's statements are prepared once; ours are parsed, bound
/// and evaluated in every run, with new `Results`, since live ones keep what they found. Either side reads one snapshot
/// all along. Where we scan on two threads, the same on one processor stands below. GRDB is no peer here: it runs the same
/// SQLite.
@MainActor
struct QueryBenchmarks {
    static let group = "query"
    let smoke: Bool
    let data: DogData
    let realmFile: URL
    let sqliteFile: URL
    let realm: Realm
    let sqlite: SQLitePeer

    init(folder: URL, smoke: Bool) throws {
        self.smoke = smoke
        data = DogData(smoke: smoke)
        realmFile = folder.appendingPathComponent("query.realm")
        sqliteFile = folder.appendingPathComponent("query.sqlite")
        realm = try DogData.realm(realmFile)
        sqlite = try data.sqlite(sqliteFile)
        let persons = try data.addPersons(to: realm)
        try data.addDogs(to: realm, of: persons)
        try data.fillLists(in: realm, of: persons)
        try data.addPersons(to: sqlite)
        try data.addDogs(to: sqlite)
        // What stands for the lists, and what finds the dogs of a person.
        try sqlite.execute("CREATE INDEX dog_owner ON dog (owner)")
        try sqlite.settle()
        try sqlite.keepReading()
    }

    func run(_ reportRows: ([Row]) -> Void) throws {
        func report(_ rows: [[Row]]) { rows.forEach(reportRows) }
        try numbers(report)
        try texts(report)
        try links(report)
        try collections(report)
        try indexes(report)
        try allIDs(report)
        try aggregates(report)
        try orders(report)
    }

    // MARK: - Conditions on the object's own properties

    private func numbers(_ report: ([[Row]]) -> Void) throws {
        report([
            try count("age < 2", least: 150),
            try count("age == 7", least: 150),
            try count("weight > 30", least: 80),
            try count("weight > 54", least: 80),
            try count("age IN {1, 3, 5, 7}", sql: "age IN (1, 3, 5, 7)", least: 150),
            try count("age BETWEEN {5, 9}", sql: "age BETWEEN 5 AND 9", least: 150),
        ])
    }

    private func texts(_ report: ([[Row]]) -> Void) throws {
        let name = data.names[500]
        let other = data.names[3]
        report([
            try count("name == '\(name)'", least: 60),
            try count("name ==[c] '\(other)'", sql: "name = '\(other)' COLLATE NOCASE", least: 60),
            try count("name BEGINSWITH 'a'", sql: "name GLOB 'a*'", least: 40),
            try count("name CONTAINS 'ab'", sql: "instr(name, 'ab') > 0", least: 40),
            try count("name CONTAINS[c] 'ab'", sql: "name LIKE '%ab%'", least: 40),
            try count("name LIKE '*ab*'", sql: "name GLOB '*ab*'", least: 40),
            try count("age < 5 AND weight > 30 OR name == '\(name)'", least: 60),
        ])
    }

    // MARK: - Through a link

    private func links(_ report: ([[Row]]) -> Void) throws {
        let name = data.personNames[77]
        report([
            try count(
                "owner.name == '\(name)'", from: "dog JOIN person ON person.id = dog.owner",
                sql: "person.name = '\(name)'", remark: ", SQLite by index", least: 1),
            try count(
                "owner.name BEGINSWITH 'a'", from: "dog NOT INDEXED JOIN person ON person.id = dog.owner",
                sql: "person.name GLOB 'a*'", least: 40),
            try count(
                "owner.name BEGINSWITH 'a'", from: "dog JOIN person ON person.id = dog.owner",
                sql: "person.name GLOB 'a*'", remark: ", SQLite by index", least: 1),
        ])
    }

    // MARK: - How a row is made

    /// The count of the dogs that satisfy a condition; SQL says it in the same words unless told otherwise.
    func count(
        _ condition: String, from: String = "dog", sql: String? = nil, remark: String = "", least: Double
    ) throws -> [Row] {
        let select = try sqlite.prepare("SELECT count(*) FROM \(from) WHERE \(sql ?? condition)")
        return try row(
            "count \(condition)\(remark)", .nanosecondsEachDog, least: least,
            ours: { [Double(realm.objects(Dog.self).filter(condition).count)] }, theirs: { select.answer() })
    }

    enum Unit {
        case nanosecondsEachDog, milliseconds
    }

    /// - Parameter least: The ratio to reach; half of it on one processor, where our second thread gains nothing.
    func row(
        _ name: String, _ unit: Unit, least: Double? = nil, most: Double? = nil, ours: Duel.Work, theirs: Duel.Work
    ) throws -> [Row] {
        let duels = try Duel.onAllThenOneProcessor(name, smoke: smoke, ours: ours, theirs: theirs)
        return duels.enumerated().map { number, duel in
            row(duel, unit, least: number == 0 ? least : least.map { $0 / 2 }, most: number == 0 ? most : nil)
        }
    }

    func row(_ duel: Duel, _ unit: Unit, least: Double? = nil, most: Double? = nil) -> Row {
        let (divisor, word) =
            switch unit {
            case .nanosecondsEachDog: (Double(data.count), "ns/row")
            case .milliseconds: (1e6, "ms")
            }
        return .less(
            Self.group, duel.name, word, ours: duel.ours.median / divisor,
            peer: ("SQLite", duel.theirs.median / divisor), ratioTarget: least, most: most, under: duel.conditions)
    }
}
