package import Causeway
package import Foundation

/// The four tables that flights refer to each other by, read from a folder of CSV files.
package struct FlightTable {
    package let airlines: CommaSeparated
    package let airports: CommaSeparated
    package let planes: CommaSeparated
    package let flights: CommaSeparated

    package init(folder: URL) throws {
        airlines = try CommaSeparated(folder.appendingPathComponent("airlines.csv"))
        airports = try CommaSeparated(folder.appendingPathComponent("airports.csv"))
        planes = try CommaSeparated(folder.appendingPathComponent("planes.csv"))
        flights = try CommaSeparated(folder.appendingPathComponent("flights.csv"))
    }

    package var objectCount: Int {
        airlines.rows.count + airports.rows.count + planes.rows.count + flights.rows.count
    }

    /// Writes everything, `batch` objects a transaction; `progress` hears how many objects are in after each.
    package func write(
        to realm: Realm, flights limit: Int? = nil, batch: Int = 5_000, progress: (Int) -> Void = { _ in }
    ) throws {
        var written = 0
        try realm.write {
            try writeAirlines(to: realm)
            try writeAirports(to: realm)
            try writePlanes(to: realm)
        }
        written += airlines.rows.count + airports.rows.count + planes.rows.count
        progress(written)
        let columns = try FlightColumns(flights)
        let total = limit ?? flights.rows.count
        for start in stride(from: 0, to: total, by: batch) {
            let end = min(start + batch, total)
            try realm.write {
                for index in start..<end {
                    // More flights than the table has are its rows over again, under numbers of their own.
                    let fields = flights.rows[index % flights.rows.count]
                    realm.add(columns.flight(fields, row: index + 1, in: realm))
                }
            }
            written += end - start
            progress(written)
        }
    }

    private func writeAirlines(to realm: Realm) throws {
        let (carrier, name) = (try airlines.column("carrier"), try airlines.column("name"))
        for fields in airlines.rows {
            let airline = Airline()
            airline.carrier = String(fields[carrier])
            airline.name = String(fields[name])
            realm.add(airline)
        }
    }

    private func writeAirports(to realm: Realm) throws {
        let (code, name) = (try airports.column("faa"), try airports.column("name"))
        let (latitude, longitude) = (try airports.column("lat"), try airports.column("lon"))
        let (altitude, zone) = (try airports.column("alt"), try airports.column("tzone"))
        for fields in airports.rows {
            let airport = Airport()
            airport.code = String(fields[code])
            airport.name = String(fields[name])
            airport.latitude = fields[latitude].number ?? 0
            airport.longitude = fields[longitude].number ?? 0
            airport.altitude = fields[altitude].integer ?? 0
            airport.timeZone = fields[zone].text
            realm.add(airport)
        }
    }

    private func writePlanes(to realm: Realm) throws {
        let (tail, year, type) = (try planes.column("tailnum"), try planes.column("year"), try planes.column("type"))
        let (manufacturer, model) = (try planes.column("manufacturer"), try planes.column("model"))
        let (engines, seats, engine) = (
            try planes.column("engines"), try planes.column("seats"), try planes.column("engine")
        )
        for fields in planes.rows {
            let plane = Plane()
            plane.tail = String(fields[tail])
            plane.year = fields[year].integer
            plane.type = String(fields[type])
            plane.manufacturer = String(fields[manufacturer])
            plane.model = String(fields[model])
            plane.engines = fields[engines].integer ?? 0
            plane.seats = fields[seats].integer ?? 0
            plane.engine = String(fields[engine])
            realm.add(plane)
        }
    }
}

/// Where the fields of a flight stand in its table.
private struct FlightColumns {
    let departure, scheduledDeparture, departureDelay, arrival, scheduledArrival, arrivalDelay: Int
    let carrier, number, tail, origin, dest, airTime, distance, time: Int

    init(_ table: CommaSeparated) throws {
        departure = try table.column("dep_time")
        scheduledDeparture = try table.column("sched_dep_time")
        departureDelay = try table.column("dep_delay")
        arrival = try table.column("arr_time")
        scheduledArrival = try table.column("sched_arr_time")
        arrivalDelay = try table.column("arr_delay")
        carrier = try table.column("carrier")
        number = try table.column("flight")
        tail = try table.column("tailnum")
        origin = try table.column("origin")
        dest = try table.column("dest")
        airTime = try table.column("air_time")
        distance = try table.column("distance")
        time = try table.column("time_hour")
    }

    func flight(_ fields: [Substring], row: Int, in realm: Realm) -> Flight {
        let flight = Flight()
        flight.row = row
        flight.time = Date(timeIntervalSince1970: TimeInterval(secondsSince1970(fields[time])))
        flight.scheduledDeparture = fields[scheduledDeparture].integer ?? 0
        flight.departure = fields[departure].integer
        flight.departureDelay = fields[departureDelay].integer
        flight.scheduledArrival = fields[scheduledArrival].integer ?? 0
        flight.arrival = fields[arrival].integer
        flight.arrivalDelay = fields[arrivalDelay].integer
        flight.carrier = String(fields[carrier])
        flight.number = fields[number].integer ?? 0
        flight.origin = String(fields[origin])
        flight.dest = String(fields[dest])
        flight.airTime = fields[airTime].integer
        flight.distance = fields[distance].integer ?? 0
        flight.airline = realm.object(ofType: Airline.self, forPrimaryKey: String(fields[carrier]))
        if let tail = fields[tail].text {
            flight.plane = realm.object(ofType: Plane.self, forPrimaryKey: tail)
        }
        flight.destination = realm.object(ofType: Airport.self, forPrimaryKey: String(fields[dest]))
        return flight
    }
}

/// Seconds since 1970 of a time like `2013-01-01T10:00:00Z`; zero for other texts. Date formatters, and even splitting
/// the text, take longer than all else that is done for a flight.
package func secondsSince1970(_ text: Substring) -> Int {
    var parts: InlineArray<6, Int> = .init(repeating: 0)
    var count = 0
    var isInside = false
    for byte in text.utf8 {
        if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            if !isInside { count += 1 }
            guard count <= 6, parts[count - 1] < 1_000_000 else { return 0 }
            parts[count - 1] = parts[count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
            isInside = true
        } else {
            isInside = false
        }
    }
    guard count == 6 else { return 0 }
    // Days from the civil calendar: years begin in March, so that the leap day comes last.
    let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
    let month = (parts[1] + 9) % 12
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + parts[2] - 1 - 719_468
    return days * 86_400 + parts[3] * 3_600 + parts[4] * 60 + parts[5]
}
