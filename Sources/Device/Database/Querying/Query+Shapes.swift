import CausewayQuery

extension Query where T: _QueryOptional, T.Wrapped: EmbeddedObject {
    /// The point lies in the box.
    ///
    /// ```swift
    /// companies.where { $0.location.geoWithin(GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1))!) }
    /// ```
    ///
    /// The embedded class needs a String `type`, which is "Point", and a `List<Double>` named `coordinates` with
    /// longitude and latitude. A class without them stops the program. An object with other content is in no shape.
    public func geoWithin(_ box: GeoBox) -> Query<Bool> { within(box) }

    /// The point is at most the circle's radius from its centre. See ``geoWithin(_:)-(GeoBox)``.
    ///
    /// ```swift
    /// companies.where { $0.location.geoWithin(GeoCircle(center: (47.8, -122.6), radius: Distance.kilometers(44.4)!)!) }
    /// ```
    public func geoWithin(_ circle: GeoCircle) -> Query<Bool> { within(circle) }

    /// The point lies in the polygon and in none of its holes. A polygon that breaks the rules stops the program.
    ///
    /// ```swift
    /// let triangle = GeoPolygon(outerRing: [(48.0, -122.8), (48.2, -121.8), (47.6, -121.6), (48.0, -122.8)])!
    /// companies.where { $0.location.geoWithin(triangle) }
    /// ```
    public func geoWithin(_ polygon: GeoPolygon) -> Query<Bool> { within(polygon) }

    private func within(_ shape: any QueryShape) -> Query<Bool> {
        let condition = CausewayQuery.Predicate.geoWithin(
            GeoWithin(PropertyPath(path.names, aggregate: path.aggregate), shape.shape))
        return Query<Bool>(
            .condition(
                condition, over: path.collection.map { [$0] } ?? [], written: .leaf(condition, isPlural: false)))
    }
}
