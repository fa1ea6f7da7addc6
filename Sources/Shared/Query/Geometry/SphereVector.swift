/// A place on the unit sphere, or a direction in space.
struct SphereVector: Hashable, Sendable {
    var x: Double
    var y: Double
    var z: Double

    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    init(_ place: GeoPosition) {
        let latitude = Trigonometry.sineAndCosine(degrees: place.latitude)
        let longitude = Trigonometry.sineAndCosine(degrees: place.longitude)
        // Adding 0 turns −0 into 0: both are one place.
        x = latitude.cosine * longitude.cosine + 0
        y = latitude.cosine * longitude.sine + 0
        z = latitude.sine + 0
    }

    static func + (left: SphereVector, right: SphereVector) -> SphereVector {
        SphereVector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
    }

    static func - (left: SphereVector, right: SphereVector) -> SphereVector {
        SphereVector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
    }

    static func * (left: SphereVector, factor: Double) -> SphereVector {
        SphereVector(x: left.x * factor, y: left.y * factor, z: left.z * factor)
    }

    func dot(_ other: SphereVector) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: SphereVector) -> SphereVector {
        SphereVector(
            x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }

    var lengthSquared: Double { dot(self) }
    var length: Double { lengthSquared.squareRoot() }
    var normalized: SphereVector { self * (1 / length) }

    /// Whether two places are nearer to each other than their degrees can tell.
    func isSamePlace(as other: SphereVector) -> Bool { cross(other - self).lengthSquared < 1e-30 && dot(other) > 0 }

    /// A direction at a right angle to this one.
    var perpendicular: SphereVector {
        let other =
            abs(x) <= abs(y) && abs(x) <= abs(z)
            ? SphereVector(x: 1, y: 0, z: 0)
            : abs(y) <= abs(z) ? SphereVector(x: 0, y: 1, z: 0) : SphereVector(x: 0, y: 0, z: 1)
        return cross(other).normalized
    }
}

/// The shorter part of the great circle through two places.
struct SphereEdge: Hashable, Sendable {
    let start: SphereVector
    let end: SphereVector
    /// Points to the left on the way from the start to the end. Its length is the sine of the edge's angle.
    let normal: SphereVector

    // Everything is computed from differences between places near by, which lose nothing to rounding, so that an edge of a
    // millimetre is as exact as one of a thousand kilometres.

    init(_ start: SphereVector, _ end: SphereVector) {
        self.start = start
        self.end = end
        normal = start.cross(end - start)
    }

    /// How far rounding may move a place away from the edge it lies on: six nanometres on the Earth.
    private static let tolerance = 1e-15

    func contains(_ place: SphereVector) -> Bool {
        abs(side(of: place)) <= Self.tolerance * normal.length && spans(place)
    }

    /// Positive to the left, negative to the right: the place's distance from the great circle, times the normal's length.
    func side(of place: SphereVector) -> Double { (place - start).dot(normal) }

    /// Whether the place, moved straight to the edge's great circle, lies on the edge.
    private func spans(_ place: SphereVector) -> Bool {
        start.cross(place - start).dot(normal) >= 0 && (place - end).cross(end).dot(normal) >= 0
    }

    var middle: SphereVector { (start + end).normalized }

    /// The distance of a place, straight or along the sphere, whichever is quicker to compute. Only values near zero
    /// matter, where both are the same.
    func distance(to place: SphereVector) -> Double {
        spans(place)
            ? abs(side(of: place)) / normal.length : min((place - start).length, (place - end).length)
    }

    /// Whether the two cross between their ends.
    func crosses(_ other: SphereEdge) -> Bool {
        let (otherStart, otherEnd) = (side(of: other.start), side(of: other.end))
        guard otherStart < 0 && otherEnd > 0 || otherStart > 0 && otherEnd < 0 else { return false }
        let (ownStart, ownEnd) = (other.side(of: start), other.side(of: end))
        // The great circles meet twice, on both sides of the globe; the signs tell that it is the same meeting.
        return otherStart < 0 ? ownStart > 0 && ownEnd < 0 : ownStart < 0 && ownEnd > 0
    }
}
