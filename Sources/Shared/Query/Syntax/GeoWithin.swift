/// `location GEOWITHIN geoBox(…)`: whether a point is in a shape.
///
/// A point is an embedded object with a string `type`, which says "Point", and a list of doubles `coordinates`:
/// longitude, latitude, and perhaps more, which is ignored.
package struct GeoWithin: Hashable, Sendable {
    package var quantifier: Quantifier
    package var path: PropertyPath
    package var shape: GeoShape

    package init(quantifier: Quantifier = .implied, _ path: PropertyPath, _ shape: GeoShape) {
        self.quantifier = quantifier
        self.path = path
        self.shape = shape
    }
}
