/// A place on the Earth, in degrees.
package struct GeoPosition: Hashable, Sendable {
    package var latitude: Double
    package var longitude: Double

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether there is such a place.
    package var isOnEarth: Bool { -90...90 ~= latitude && -180...180 ~= longitude }

    /// As in GeoJSON: the longitude first.
    package var text: String { "[\(longitude), \(latitude)]" }
}

/// A part of the Earth's surface, as written. `GeoRegion` tests whether places are in it.
package enum GeoShape: Hashable, Sendable {
    case box(southWest: GeoPosition, northEast: GeoPosition)
    case circle(center: GeoPosition, radians: Double)
    /// The outer ring and the holes in it, each closed.
    case polygon([[GeoPosition]])

    /// As the query language writes it.
    package var text: String {
        switch self {
        case .box(let southWest, let northEast): "geoBox(\(southWest.text), \(northEast.text))"
        case .circle(let center, let radians): "geoCircle(\(center.text), \(radians))"
        case .polygon(let rings):
            "geoPolygon("
                + rings.map { "{" + $0.map(\.text).joined(separator: ", ") + "}" }.joined(separator: ", ") + ")"
        }
    }

    var places: [GeoPosition] {
        switch self {
        case .box(let southWest, let northEast): [southWest, northEast]
        case .circle(let center, _): [center]
        case .polygon(let rings): rings.flatMap { $0 }
        }
    }
}

/// Why a shape is not valid.
struct GeoShapeFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// A valid shape, which tests whether places are in it. Its boundary belongs to it.
package struct GeoRegion: Hashable, Sendable {
    private enum Form: Hashable, Sendable {
        /// All places whose straight-line distance from the centre, squared, is at most this.
        case cap(center: SphereVector, distanceSquared: Double)
        case polygon(SphericalPolygon)
    }
    private let form: Form

    init(_ shape: GeoShape) throws(GeoShapeFault) {
        if let place = shape.places.first(where: { !$0.isOnEarth }) {
            throw GeoShapeFault(
                "Longitude/latitude is out of bounds, lng: \(place.longitude) lat: \(place.latitude)")
        }
        switch shape {
        case .box(let southWest, let northEast):
            // The edges are great circles, as those of any polygon.
            let southEast = GeoPosition(latitude: southWest.latitude, longitude: northEast.longitude)
            let northWest = GeoPosition(latitude: northEast.latitude, longitude: southWest.longitude)
            form = .polygon(try SphericalPolygon([[southWest, southEast, northEast, northWest, southWest]]))
        case .circle(let center, let radians):
            guard radians >= 0 else {
                throw GeoShapeFault("The radius of a circle must be a non-negative number")
            }
            let halfChord = radians >= .pi ? 1.001 : Trigonometry.sine(radians: radians / 2)
            form = .cap(center: SphereVector(center), distanceSquared: 4 * halfChord * halfChord)
        case .polygon(let rings):
            form = .polygon(try SphericalPolygon(rings))
        }
    }

    /// Whether the place is in the shape. False for places outside the Earth's degrees.
    ///
    /// - Complexity: O(n) for a polygon of n vertices.
    package func contains(_ place: GeoPosition) -> Bool {
        guard place.isOnEarth else { return false }
        let vector = SphereVector(place)
        switch form {
        case .cap(let center, let distanceSquared): return (vector - center).lengthSquared <= distanceSquared
        case .polygon(let polygon): return polygon.contains(vector)
        }
    }
}
