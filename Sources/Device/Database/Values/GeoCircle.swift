import CausewayQuery

/// All places within a distance of a centre, for queries.
///
/// ```swift
/// let largeCircle = GeoCircle(center: GeoPoint(latitude: 47.8, longitude: -122.6)!, radius: Distance.kilometers(44.4)!)
/// let companies = realm.objects(Company.self).where { $0.location.geoWithin(largeCircle) }
/// let wider = GeoCircle(center: largeCircle.center, radiusInRadians: largeCircle.radiusInRadians * 2)
/// ```
public struct GeoCircle: Hashable, Sendable {
    /// The place in the middle.
    ///
    /// ```swift
    /// let circle = GeoCircle(center: (47.8, -122.6), radius: Distance.kilometers(44.4)!)!
    /// print(circle.center.latitude, circle.radiusInRadians)
    /// ```
    public let center: GeoPoint
    /// The radius as the angle at the Earth's centre.
    public let radiusInRadians: Double

    /// A circle around a place.
    ///
    /// ```swift
    /// let circle = GeoCircle(center: GeoPoint(latitude: 47.8, longitude: -122.6)!, radius: Distance.kilometers(44.4)!)
    /// ```
    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// A circle around a place given as (latitude, longitude); nil when there is no such place.
    ///
    /// ```swift
    /// let circle = GeoCircle(center: (47.8, -122.6), radius: Distance.kilometers(44.4)!)
    /// ```
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// A circle whose radius is an angle; nil for a negative number and for NaN.
    ///
    /// ```swift
    /// let circle = GeoCircle(center: GeoPoint(latitude: 47.8, longitude: -122.6)!, radiusInRadians: 0.007)
    /// ```
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard let radius = Distance.radians(radiusInRadians) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// A circle around a place given as (latitude, longitude), whose radius is an angle; nil when there is no such
    /// place, for a negative number and for NaN.
    ///
    /// ```swift
    /// let circle = GeoCircle(center: (47.8, -122.6), radiusInRadians: 0.007)
    /// ```
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }
}

extension GeoCircle: QueryShape {
    var shape: GeoShape { .circle(center: center.position, radians: radiusInRadians) }
}
