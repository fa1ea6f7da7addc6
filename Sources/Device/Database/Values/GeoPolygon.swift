import CausewayQuery

/// A polygon on the Earth's surface, with or without holes, for queries.
///
/// ```swift
/// let triangle = GeoPolygon(outerRing: [(48.0, -122.8), (48.2, -121.8), (47.6, -121.6), (48.0, -122.8)])!
/// let companies = realm.objects(Company.self).where { $0.location.geoWithin(triangle) }
/// print(triangle.outerRing.count, triangle.holes.isEmpty)    // 4 true
/// ```
///
/// A ring has at least four places, and its last place is its first. Its edges are great circles and belong to the
/// polygon. A ring divides the Earth into two parts; the polygon is the smaller one.
///
/// A query with a polygon that breaks one of these rules stops the program: No ring crosses itself or visits a place
/// twice. Holes lie within the outer ring and not within each other. Holes do not cross and share no edges; they may
/// share places.
public struct GeoPolygon: Hashable, Sendable {
    /// The ring around the polygon; its last place is its first.
    ///
    /// ```swift
    /// let triangle = GeoPolygon(outerRing: [(48.0, -122.8), (48.2, -121.8), (47.6, -121.6), (48.0, -122.8)])!
    /// print(triangle.outerRing.count, triangle.holes.count)    // 4 0
    /// ```
    public let outerRing: [GeoPoint]
    /// The rings of the holes.
    public let holes: [[GeoPoint]]

    /// A polygon with holes; nil when a ring has fewer than four places, or does not end where it began.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]) {
        for ring in [outerRing] + holes {
            guard ring.count >= 4, ring.first == ring.last else { return nil }
        }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// A polygon with any number of holes; nil when a ring has fewer than four places, or does not end where it began.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// A polygon of places given as (latitude, longitude); nil also when one of them is not on Earth.
    ///
    /// ```swift
    /// let ring = [(48.0, -123.0), (48.0, -121.0), (47.0, -121.0), (47.0, -123.0), (48.0, -123.0)]
    /// let lake = [(47.6, -122.2), (47.6, -122.1), (47.5, -122.1), (47.6, -122.2)]
    /// let land = GeoPolygon(outerRing: ring, holes: [lake])
    /// ```
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]) {
        guard let outer = Self.ring(outerRing) else { return nil }
        let inner = holes.compactMap(Self.ring)
        guard inner.count == holes.count else { return nil }
        self.init(outerRing: outer, holes: inner)
    }

    /// A polygon of places given as (latitude, longitude), with any number of holes; nil also when one of them is not
    /// on Earth.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    private static func ring(_ degrees: [(Double, Double)]) -> [GeoPoint]? {
        let points = degrees.compactMap { GeoPoint($0) }
        return points.count == degrees.count ? points : nil
    }
}

extension GeoPolygon: QueryShape {
    var shape: GeoShape { .polygon(([outerRing] + holes).map { $0.map(\.position) }) }
}
