import CausewayQuery

/// A box on the Earth's surface between two corners, for queries.
///
/// ```swift
/// let largeBox = GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1))!
/// let companies = realm.objects(Company.self).where { $0.location.geoWithin(largeBox) }
/// ```
///
/// Its edges are great circles between the corners, and belong to it. A box that is higher or wider than half the Earth
/// is the part that its edges cut off, not the rest.
public struct GeoBox: Hashable, Sendable {
    /// The south-western corner.
    ///
    /// ```swift
    /// let box = GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1))!
    /// print(box.bottomLeft.latitude, box.topRight.latitude)
    /// ```
    public let bottomLeft: GeoPoint
    /// The north-eastern corner.
    public let topRight: GeoPoint

    /// A box between two places.
    ///
    /// ```swift
    /// let box = GeoBox(
    ///     bottomLeft: GeoPoint(latitude: 47.3, longitude: -122.7)!, topRight: GeoPoint(latitude: 48.1, longitude: -122.1)!)
    /// ```
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// A box between two places given as (latitude, longitude); nil when one of them is not on Earth.
    ///
    /// ```swift
    /// let box = GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1))
    /// ```
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else { return nil }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }
}

extension GeoBox: QueryShape {
    var shape: GeoShape { .box(southWest: bottomLeft.position, northEast: topRight.position) }
}
