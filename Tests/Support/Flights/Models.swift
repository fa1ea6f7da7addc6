package import Causeway
package import Foundation

// The flights that left New York in 2013, as an app would model them. The demo, the benchmarks and the tests share
// these classes; the data are the tables of nycflights13 (CC0).

package final class Airline: Object {
    @Persisted(primaryKey: true) package var carrier: String
    @Persisted package var name: String
}

package final class Airport: Object {
    @Persisted(primaryKey: true) package var code: String
    @Persisted package var name: String
    @Persisted package var latitude: Double
    @Persisted package var longitude: Double
    @Persisted package var altitude: Int
    @Persisted package var timeZone: String?
}

package final class Plane: Object {
    @Persisted(primaryKey: true) package var tail: String
    @Persisted package var year: Int?
    @Persisted package var type: String
    @Persisted package var manufacturer: String
    @Persisted package var model: String
    @Persisted package var engines: Int
    @Persisted package var seats: Int
    @Persisted package var engine: String
}

package final class Remark: EmbeddedObject {
    @Persisted package var author: String
    @Persisted package var text: String
}

package final class Flight: Object {
    /// The row in the table, from one.
    @Persisted(primaryKey: true) package var row: Int
    @Persisted package var time: Date
    @Persisted package var scheduledDeparture: Int
    @Persisted package var departure: Int?
    @Persisted package var departureDelay: Int?
    @Persisted package var scheduledArrival: Int
    @Persisted package var arrival: Int?
    @Persisted package var arrivalDelay: Int?
    @Persisted package var carrier: String
    @Persisted package var number: Int
    @Persisted package var origin: String
    @Persisted package var dest: String
    @Persisted package var airTime: Int?
    @Persisted package var distance: Int
    @Persisted package var gate: String?
    @Persisted package var audited: Bool
    @Persisted package var airline: Airline?
    @Persisted package var plane: Plane?
    @Persisted package var destination: Airport?
    @Persisted package var remarks: List<Remark>
}

/// One entry for every audit transaction, so that a lost or doubled upload would show in its length.
package final class Ledger: Object {
    @Persisted(primaryKey: true) package var name: String
    @Persisted package var entries: List<Remark>
}

/// A weather reading: written once on the device, kept on the server, never read back here.
package final class Weather: AsymmetricObject {
    @Persisted(primaryKey: true) package var reading: Int
    @Persisted package var origin: String
    @Persisted package var time: Date
    @Persisted package var temperature: Double?
    @Persisted package var humidity: Double?
    @Persisted package var windSpeed: Double?
    @Persisted package var pressure: Double?
    @Persisted package var visibility: Double?
}
