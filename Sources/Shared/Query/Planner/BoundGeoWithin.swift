package import CausewayModel

/// Whether points are in a region. The path ends at an embedded class of the form that `GeoWithin` describes.
package struct BoundGeoWithin: Hashable, Sendable {
    package var quantifier: Quantifier
    package var path: BoundPath
    /// The class of the points, and where in it they keep their type and their coordinates.
    package var target: String
    package var typeProperty: Int
    package var coordinatesProperty: Int
    package var region: GeoRegion

    /// Whether what a point's object holds is a place in the region.
    package func holds(type: Value, coordinates: [Value]) -> Bool {
        guard type == .string("Point"), coordinates.count >= 2, case .double(let longitude) = coordinates[0],
            case .double(let latitude) = coordinates[1]
        else { return false }
        return region.contains(GeoPosition(latitude: latitude, longitude: longitude))
    }
}

extension Binder {
    func bind(_ within: GeoWithin) throws(QueryError) -> BoundPredicate {
        let resolved = try resolve(within.path)
        guard within.path.aggregate == nil, resolved.type == .object, let name = resolved.target,
            let target = schema[name]
        else {
            throw QueryError(
                .property,
                "A GEOWITHIN query can only operate on a link to an embedded class, and '\(within.path.text)' is none")
        }
        guard target.kind == .embedded else {
            throw QueryError(
                .property,
                "A GEOWITHIN query can only operate on a link to an embedded class but '\(name)' is at the top level")
        }
        guard let type = target.index(of: "type"), let coordinates = target.index(of: "coordinates"),
            target.properties[type].type == .string, target.properties[type].collection == .none,
            target.properties[coordinates].type == .double, target.properties[coordinates].collection == .list
        else {
            throw QueryError(
                .property,
                "Query '\(Predicate.geoWithin(within))' links to data in the wrong format for a geoWithin query",
                remedy:
                    "'\(name)' needs a String 'type', which is \"Point\", and a List<Double> 'coordinates' with the "
                    + "longitude and the latitude.")
        }
        let quantifier = try quantifier(within.quantifier, over: resolved)
        do {
            let region = try GeoRegion(within.shape)
            return .geoWithin(
                BoundGeoWithin(
                    quantifier: quantifier, path: resolved.bound, target: name, typeProperty: type,
                    coordinatesProperty: coordinates, region: region))
        } catch {
            let text = within.shape.text
            throw QueryError(
                .value,
                "Invalid region in GEOWITHIN query for parameter 'G\(text.dropFirst())': '\(error.reason)'")
        }
    }
}
