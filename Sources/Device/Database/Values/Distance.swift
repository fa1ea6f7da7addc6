/// A distance along the Earth's surface, for the radius of a `GeoCircle`. It cannot be stored.
///
/// ```swift
/// let radius = Distance.kilometers(44.4)!
/// print(radius.asMiles())
/// ```
///
/// It is kept as the angle at the Earth's centre, whose radius counts as 6378.1 km everywhere.
public struct Distance: Hashable, Sendable {
    /// The distance as the angle at the Earth's centre.
    public let radians: Double

    private static let earthRadiusKilometers = 6378.1
    private static let kilometersPerMile = 1.609344

    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// A distance in kilometres; nil for a negative number and for NaN.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(kilometers / earthRadiusKilometers)
    }

    /// A distance in miles of 1,609.344 m; nil for a negative number and for NaN.
    public static func miles(_ miles: Double) -> Distance? {
        kilometers(miles * kilometersPerMile)
    }

    /// A distance as an angle in degrees; nil for a negative number and for NaN.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(degrees * (.pi / 180))
    }

    /// A distance as an angle in radians; nil for a negative number and for NaN.
    public static func radians(_ radians: Double) -> Distance? {
        Distance(radians)
    }

    /// The distance in kilometres.
    public func asKilometers() -> Double { radians * Self.earthRadiusKilometers }

    /// The distance in miles.
    public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }

    /// The distance as an angle in degrees.
    public func asDegrees() -> Double { radians * (180 / .pi) }
}
