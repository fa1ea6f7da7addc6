package import Causeway
package import Foundation

/// The hourly weather at New York's three airports: one-way data.
package struct WeatherTable {
    package let readings: CommaSeparated

    package init(folder: URL) throws {
        readings = try CommaSeparated(folder.appendingPathComponent("weather.csv"))
    }

    /// Sends every reading, `batch` a transaction; `progress` hears how many are in after each.
    package func write(to realm: Realm, batch: Int = 2_000, progress: (Int) -> Void = { _ in }) throws {
        let (origin, time) = (try readings.column("origin"), try readings.column("time_hour"))
        let (temperature, humidity) = (try readings.column("temp"), try readings.column("humid"))
        let (windSpeed, pressure, visibility) = (
            try readings.column("wind_speed"), try readings.column("pressure"), try readings.column("visib")
        )
        for start in stride(from: 0, to: readings.rows.count, by: batch) {
            let end = min(start + batch, readings.rows.count)
            try realm.write {
                for index in start..<end {
                    let fields = readings.rows[index]
                    let values: [String: Any] = [
                        "reading": index + 1,
                        "origin": String(fields[origin]),
                        "time": Date(timeIntervalSince1970: TimeInterval(secondsSince1970(fields[time]))),
                        "temperature": fields[temperature].number as Any,
                        "humidity": fields[humidity].number as Any,
                        "windSpeed": fields[windSpeed].number as Any,
                        "pressure": fields[pressure].number as Any,
                        "visibility": fields[visibility].number as Any,
                    ]
                    realm.create(Weather.self, value: values)
                }
            }
            progress(end)
        }
    }
}
