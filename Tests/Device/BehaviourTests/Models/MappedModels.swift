public import Causeway
public import Foundation

// The models of the documents' part on types of the app's own, as they stand there. `Coordinate` stands for the one of
// Core Location, which is not on this platform.

extension URL: FailableCustomPersistable {
    public typealias PersistedType = String
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    public var persistableValue: String { absoluteString }
}

struct Coordinate: CustomPersistable {
    var latitude: Double
    var longitude: Double

    init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(persistedValue: Location) {
        self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
    }

    var persistableValue: Location {
        Location(value: ["latitude": latitude, "longitude": longitude])
    }
}

class Location: EmbeddedObject {
    @Persisted var latitude: Double
    @Persisted var longitude: Double
}

class Club: Object {
    @Persisted var name: String
    @Persisted var url: URL
    @Persisted var archive: URL?
    @Persisted var location: Coordinate
    @Persisted var branch: Coordinate?
    @Persisted var mirrors: List<URL>
}

struct Celsius: CustomPersistable {
    var degrees: Double

    init(persistedValue: Double) { degrees = persistedValue }

    var persistableValue: Double { degrees }
}

class Reading: Object {
    @Persisted var place: String
    @Persisted var temperature: Celsius

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A mapped type whose embedded object holds more than values.
struct Itinerary: CustomPersistable {
    var stops: Int

    init(persistedValue: Route) { stops = persistedValue.stops.count }

    var persistableValue: Route { Route() }
}

class Route: EmbeddedObject {
    @Persisted var stops: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Tour: Object {
    @Persisted var itinerary: Itinerary

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
