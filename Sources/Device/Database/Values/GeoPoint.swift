import CausewayQuery

/// A place on the Earth, for the shapes of queries. It cannot be stored.
///
/// ```swift
/// let seattle = GeoPoint(latitude: 47.68, longitude: -122.35)!
/// print(seattle.latitude, seattle.longitude, seattle.altitude)    // 47.68 -122.35 0.0
/// ```
///
/// To store and query places, declare an embedded class of your own with the fields of a GeoJSON point:
///
/// ```swift
/// class CustomGeoPoint: EmbeddedObject {
///     @Persisted private var type = "Point"
///     @Persisted private var coordinates: List<Double>    // longitude, latitude
/// }
/// ```
public struct GeoPoint: Hashable, Sendable {
    /// Degrees north of the equator, from -90 to 90.
    ///
    /// ```swift
    /// let summit = GeoPoint(latitude: 46.85, longitude: -121.76, altitude: 4392)!
    /// print(summit.latitude, summit.longitude, summit.altitude)
    /// ```
    public let latitude: Double
    /// Degrees east of Greenwich, from -180 to 180.
    public let longitude: Double
    /// The altitude of the place. Queries ignore it.
    public let altitude: Double

    /// A place by its degrees; nil when there is no such place, and for a negative altitude.
    ///
    /// ```swift
    /// let summit = GeoPoint(latitude: 46.85, longitude: -121.76, altitude: 4392)
    /// ```
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard GeoPosition(latitude: latitude, longitude: longitude).isOnEarth, altitude >= 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    init?(_ degrees: (Double, Double)) {
        self.init(latitude: degrees.0, longitude: degrees.1)
    }

    var position: GeoPosition { GeoPosition(latitude: latitude, longitude: longitude) }
}

/// A shape that a query can look for points in.
protocol QueryShape {
    var shape: GeoShape { get }
}
