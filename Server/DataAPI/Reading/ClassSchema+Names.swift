import CausewayModel
import CausewayStore

extension ClassSchema {
    /// The number of a property that a request names.
    func column(_ name: String) throws(APIError) -> Int {
        if let column = index(of: name) { return column }
        let nearest = NearestName.of(name, among: properties.map(\.name))
        throw APIError(
            .requestInvalid,
            "“\(self.name)” has no property “\(name.prefix(80))”. "
                + (nearest.map { "Did you mean “\($0)”?" } ?? "GET schema lists what it has."))
    }
}

extension StoreSnapshot {
    /// A class that a request names: one whose objects stand for themselves.
    func apiClass(_ name: String) throws(APIError) -> (number: Int, schema: ClassSchema) {
        if let found = schema[name], let number = classNumber(name), found.kind == .object { return (number, found) }
        switch schema.withoutNestedCollections[name]?.kind {
        case .embedded:
            throw APIError(
                .classUnknown,
                "The objects of “\(name)” are embedded in others. Read and write them with the objects that hold them.")
        case .asymmetric:
            throw APIError(
                .classUnknown, "The objects of “\(name)” are one-way: devices send them, and nobody reads them.")
        case .object, nil: break
        }
        let known = schema.classes.filter { $0.kind == .object }.map(\.name)
        throw APIError(
            .classUnknown,
            "There is no class “\(name.prefix(80))” in this database. "
                + (NearestName.of(name, among: known).map { "Did you mean “\($0)”?" } ?? "GET schema lists its classes.")
        )
    }
}
