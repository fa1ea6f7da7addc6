import Causeway
import CausewayMeasuring
import Foundation

/// Queries over real data, all flights that left New York in 2013, beside SQLite with the same rows.
@MainActor
struct FlightBenchmarks {
    static let group = "flights"
    private let smoke: Bool
    private let data: FlightData
    private let realm: Realm
    private let sqlite: SQLitePeer

    /// - Parameter source: A folder with the tables of nycflights13 as `*.csv.gz`; `january` is the one for a smoke run.
    /// - Returns: Nil where the flights are not there.
    init?(folder: URL, source: String, january: String, smoke: Bool) throws {
        let (source, flights) = smoke ? (january, "flights-2013-01") : (source, "flights")
        guard FileManager.default.fileExists(atPath: "\(source)/\(flights).csv.gz") else { return nil }
        let unpacked = folder.appendingPathComponent("flights")
        try unpack(["flights": flights, "airports": "airports", "planes": "planes"], from: source, to: unpacked)
        self.smoke = smoke
        data = try FlightData(folder: unpacked, limit: smoke ? 2_000 : .max)
        realm = try data.realm(folder.appendingPathComponent("flights.realm"))
        sqlite = try data.sqlite(folder.appendingPathComponent("flights.sqlite"))
    }

    func run(_ report: ([Row]) -> Void) throws {
        let rows = [
            try count("delay > 60"),
            try count("carrier == 'UA'"),
            try count(
                "origin.altitude > 15", from: "departure JOIN airport ON airport.id = departure.origin",
                sql: "airport.altitude > 15"),
            try count("tail BEGINSWITH 'N9'", sql: "tail GLOB 'N9*'"),
            try count("tail CONTAINS 'AA'", sql: "instr(tail, 'AA') > 0"),
            try day(),
            try sortByDelay(),
            try eachAircraft(),
        ]
        report(rows.flatMap { $0 })
    }

    private func count(_ condition: String, from: String = "departure", sql: String? = nil) throws -> [Row] {
        let select = try sqlite.prepare("SELECT count(*) FROM \(from) WHERE \(sql ?? condition)")
        return try row(
            "count \(condition)", ours: { [Double(realm.objects(Departure.self).filter(condition).count)] },
            theirs: { select.answer() })
    }

    private func day() throws -> [Row] {
        let begin = 1_357_534_800  // the seventh of January, from New York's midnight
        let end = begin + 86_400
        let select = try sqlite.prepare(
            "SELECT count(*), total(distance) FROM departure WHERE time >= \(begin) AND time < \(end)")
        let (first, last) = (Date(timeIntervalSince1970: Double(begin)), Date(timeIntervalSince1970: Double(end)))
        return try row(
            "flights of a day, and the sum of their distances",
            ours: {
                let departures = realm.objects(Departure.self).filter("time >= %@ AND time < %@", first, last)
                // The sum first: from then on the count is known.
                let sum = departures.sum(of: \.distance)
                return [Double(departures.count), Double(sum)]
            }, theirs: { select.answer() })
    }

    private func sortByDelay() throws -> [Row] {
        let select = try sqlite.prepare("SELECT row FROM departure ORDER BY delay")
        let places = [data.flights.count - 1, data.flights.count / 2, 0]
        let delay = { (row: Int) in Double(data.flights[row].delay ?? -1_000) }
        return try row(
            "sort by delay, all rows",
            ours: {
                var rows: [Int] = []
                for departure in realm.objects(Departure.self).sorted(byKeyPath: "delay") { rows.append(departure.row) }
                return places.map { delay(rows[$0]) }
            },
            theirs: {
                let rows = select.integers()
                return places.map { delay(rows[$0]) }
            })
    }

    /// How late each aircraft is on average, through the inverse of the link to it.
    private func eachAircraft() throws -> [Row] {
        // The plus keeps SQLite from the index, which would lead it to the departures in random order.
        let select = try sqlite.prepare(
            "SELECT count(mean), total(mean) FROM "
                + "(SELECT avg(delay) AS mean FROM departure WHERE aircraft IS NOT NULL GROUP BY +aircraft)")
        return try row(
            "mean delay of each aircraft",
            ours: {
                var (count, sum) = (0, 0.0)
                for aircraft in realm.objects(Aircraft.self) {
                    guard let mean: Double = aircraft.departures.average(of: \.delay) else { continue }
                    count += 1
                    sum += mean
                }
                return [Double(count), sum]
            }, theirs: { select.answer() })
    }

    private func row(_ name: String, ours: Duel.Work, theirs: Duel.Work) throws -> [Row] {
        try Duel.onAllThenOneProcessor(name, smoke: smoke, ours: ours, theirs: theirs).map { duel in
            .less(
                Self.group, duel.name, "ms", ours: duel.ours.median / 1e6, peer: ("SQLite", duel.theirs.median / 1e6),
                under: duel.conditions)
        }
    }
}
