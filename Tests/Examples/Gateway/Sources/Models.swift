import RealmSwift

/// How one sensor is to be read: the back office sets it, the gateway obeys.
class Sensor: Object {
    @Persisted(primaryKey: true) var name = ""
    /// Seconds from one reading to the next.
    @Persisted var interval = 60
    /// A reading above this is an alarm.
    @Persisted var limit = 0.0
    /// Whether the gateway reads by the interval and the limit above.
    @Persisted var isInForce = false
    @Persisted var readings: Counter
}

/// Sent to the server and kept there; no device reads it again.
class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var sensor = ""
    @Persisted var takenAt = Date()
    @Persisted var celsius = 0.0
    @Persisted var isAlarm = false
}
