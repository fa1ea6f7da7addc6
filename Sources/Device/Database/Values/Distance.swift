/// A distance along the Earth's surface, for the radius of a `GeoCircle`. It cannot be stored.
///
/// ```swift
/// let radius = Distance.kilometers(44.4)!
/// print(radius.asMiles(), radius.asKilometers(), radius.asDegrees(), radius.radians)
/// let same = [Distance.miles(27.6), Distance.degrees(0.4), Distance.radians(0.007)]
/// ```
///
/// It is kept as the angle at the Earth's centre, whose radius counts as 6378.1 km everywhere.
public struct Distance: Hashable, Sendable {
    /// The distance as the angle at the Earth's centre.
    ///
    /// ```swift
    /// Distance.kilometers(6378.1)!.radians    // 1.0
    /// ```
    public let radians: Double

    private static let earthRadiusKilometers = 6378.1
    private static let kilometersPerMile = 1.609344

    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// A distance in kilometres; nil for a negative number and for NaN.
    ///
    /// ```swift
    /// let radius = Distance.kilometers(44.4)
    /// ```
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(kilometers / earthRadiusKilometers)
    }

    /// A distance in miles of 1,609.344 m; nil for a negative number and for NaN.
    ///
    /// ```swift
    /// let radius = Distance.miles(27.6)
    /// ```
    public static func miles(_ miles: Double) -> Distance? {
        kilometers(miles * kilometersPerMile)
    }

    /// A distance as an angle in degrees; nil for a negative number and for NaN.
    ///
    /// ```swift
    /// let radius = Distance.degrees(0.4)
    /// ```
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(degrees * (.pi / 180))
    }

    /// A distance as an angle in radians; nil for a negative number and for NaN.
    ///
    /// ```swift
    /// let radius = Distance.radians(0.007)
    /// ```
    public static func radians(_ radians: Double) -> Distance? {
        Distance(radians)
    }

    /// The distance in kilometres.
    ///
    /// ```swift
    /// Distance.miles(1)!.asKilometers()    // 1.609344
    /// ```
    public func asKilometers() -> Double { radians * Self.earthRadiusKilometers }

    /// The distance in miles.
    ///
    /// ```swift
    /// Distance.kilometers(1.609344)!.asMiles()    // 1.0
    /// ```
    public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }

    /// The distance as an angle in degrees.
    ///
    /// ```swift
    /// Distance.radians(.pi)!.asDegrees()    // 180.0
    /// ```
    public func asDegrees() -> Double { radians * (180 / .pi) }
}
