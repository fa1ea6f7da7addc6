import RealmSwift

class Vehicle: Object {
    @Persisted(primaryKey: true) var plate: String
    @Persisted var place = ""
    @Persisted var kilometers = 0
    @Persisted var trips: List<Trip>
}

class Trip: EmbeddedObject {
    @Persisted var destination = ""
    @Persisted var kilometers = 0
}

/// Sent to the server and kept there; a vehicle does not read it again.
class EngineReading: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var plate = ""
    @Persisted var celsius = 0.0
}
