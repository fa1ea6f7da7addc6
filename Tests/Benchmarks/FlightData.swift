import Causeway
import CausewayFlights
import Foundation

/// A flight as the queries want it: with a link to where it began, and to the aircraft, which knows its departures.
final class Departure: Object {
    @Persisted(primaryKey: true) var row: Int
    @Persisted var time: Date
    @Persisted var delay: Int?
    @Persisted var carrier: String
    @Persisted var tail: String?
    @Persisted var distance: Int
    @Persisted var origin: Airport?
    @Persisted var aircraft: Aircraft?
}

final class Aircraft: Object {
    @Persisted(primaryKey: true) var tail: String
    @Persisted(originProperty: "aircraft") var departures: LinkingObjects<Departure>
}

/// The flights that left New York in 2013, read once for both sides.
struct FlightData {
    struct Flight {
        var row: Int
        var secondsSince1970: Int
        var delay: Int?
        var carrier: String
        var tail: String?
        var distance: Int
        var origin: Int?
        var aircraft: Int?
    }

    let airports: [(code: String, altitude: Int)]
    let aircraft: [String]
    let flights: [Flight]

    /// - Parameter folder: Holds `airports.csv`, `planes.csv` and `flights.csv`.
    init(folder: URL, limit: Int = .max) throws {
        let airports = try CommaSeparated(folder.appendingPathComponent("airports.csv"))
        let (code, altitude) = (try airports.column("faa"), try airports.column("alt"))
        self.airports = airports.rows.map { (String($0[code]), Int($0[altitude]) ?? 0) }
        let planes = try CommaSeparated(folder.appendingPathComponent("planes.csv"))
        let number = try planes.column("tailnum")
        aircraft = planes.rows.map { String($0[number]) }
        let airportPlaces = Dictionary(uniqueKeysWithValues: zip(self.airports.map(\.code), 0...))
        let aircraftPlaces = Dictionary(uniqueKeysWithValues: zip(aircraft, 0...))

        let table = try CommaSeparated(folder.appendingPathComponent("flights.csv"))
        let (time, delay, carrier) = (
            try table.column("time_hour"), try table.column("dep_delay"), try table.column("carrier")
        )
        let (tail, distance, origin) = (
            try table.column("tailnum"), try table.column("distance"), try table.column("origin")
        )
        flights = table.rows.prefix(limit).enumerated().map { row, fields in
            Flight(
                row: row, secondsSince1970: CausewayFlights.secondsSince1970(fields[time]), delay: Int(fields[delay]),
                carrier: String(fields[carrier]), tail: fields[tail] == "NA" ? nil : String(fields[tail]),
                distance: Int(fields[distance]) ?? 0, origin: airportPlaces[String(fields[origin])],
                aircraft: aircraftPlaces[String(fields[tail])])
        }
    }

    // MARK: - On both sides

    @MainActor
    func realm(_ file: URL) throws -> Realm {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: file, objectTypes: [Departure.self, Aircraft.self, Airport.self]))
        try realm.write {
            let airports = self.airports.map { code, altitude in
                let airport = Airport()
                airport.code = code
                airport.altitude = altitude
                realm.add(airport)
                return airport
            }
            let aircraft = self.aircraft.map { tail in
                let aircraft = Aircraft()
                aircraft.tail = tail
                realm.add(aircraft)
                return aircraft
            }
            for flight in flights {
                let departure = Departure()
                departure.row = flight.row
                departure.time = Date(timeIntervalSince1970: TimeInterval(flight.secondsSince1970))
                departure.delay = flight.delay
                departure.carrier = flight.carrier
                departure.tail = flight.tail
                departure.distance = flight.distance
                departure.origin = flight.origin.map { airports[$0] }
                departure.aircraft = flight.aircraft.map { aircraft[$0] }
                realm.add(departure)
            }
        }
        return realm
    }

    func sqlite(_ file: URL) throws -> SQLitePeer {
        let peer = try SQLitePeer(file)
        try peer.execute("CREATE TABLE airport (id INTEGER PRIMARY KEY, code TEXT, altitude INTEGER)")
        try peer.execute("CREATE TABLE aircraft (id INTEGER PRIMARY KEY, tail TEXT)")
        try peer.execute(
            "CREATE TABLE departure (row INTEGER PRIMARY KEY, time INTEGER, delay INTEGER, carrier TEXT, tail TEXT, "
                + "distance INTEGER, origin INTEGER REFERENCES airport (id), "
                + "aircraft INTEGER REFERENCES aircraft (id))")
        try peer.execute("BEGIN IMMEDIATE")
        let airport = try peer.prepare("INSERT INTO airport VALUES (?, ?, ?)")
        for (id, (code, altitude)) in airports.enumerated() {
            airport.bind(1, id)
            airport.bind(2, copying: code)
            airport.bind(3, altitude)
            airport.run()
        }
        let plane = try peer.prepare("INSERT INTO aircraft VALUES (?, ?)")
        for (id, tail) in aircraft.enumerated() {
            plane.bind(1, id)
            plane.bind(2, copying: tail)
            plane.run()
        }
        let departure = try peer.prepare("INSERT INTO departure VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        for flight in flights {
            departure.bind(1, flight.row)
            departure.bind(2, flight.secondsSince1970)
            departure.bind(3, flight.delay)
            departure.bind(4, copying: flight.carrier)
            departure.bind(5, copying: flight.tail)
            departure.bind(6, flight.distance)
            departure.bind(7, flight.origin)
            departure.bind(8, flight.aircraft)
            departure.run()
        }
        try peer.execute("CREATE INDEX departure_aircraft ON departure (aircraft)")
        try peer.execute("COMMIT")
        try peer.settle()
        try peer.keepReading()
        return peer
    }
}
