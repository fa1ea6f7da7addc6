import Causeway

// The models of the documents' page on geospatial data, as they stand there.

class CustomGeoPoint: EmbeddedObject {
    @Persisted private var type: String = "Point"
    @Persisted private var coordinates: List<Double>

    public var latitude: Double { return coordinates[1] }
    public var longitude: Double { return coordinates[0] }

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        // Longitude comes first in the coordinates array of a GeoJson document
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

class Geospatial_Company: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var location: CustomGeoPoint?

    convenience init(_ location: CustomGeoPoint) {
        self.init()
        self.location = location
    }
}

/// What a query for places must refuse: points of another form, and points at the top level.
enum OddPlaces {
    class Point: EmbeddedObject {
        @Persisted var type = "Point"
        @Persisted var coordinates: List<Int>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Place: Object {
        @Persisted var name = ""
        @Persisted var at: Point?
        @Persisted var other: Place?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// Whose type says what it likes.
    class FreePoint: EmbeddedObject {
        @Persisted var type = ""
        @Persisted var coordinates: List<Double>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class FreePlace: Object {
        @Persisted var name = ""
        @Persisted var at: FreePoint?
        @Persisted var visited: List<FreePoint>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
