/// A list or a map inside of a mixed value.
///
/// It rests as a row of a hidden embedded class, to which the value links as to an embedded object: so it is a list or
/// map property like any other, with the same chunks, element ids, observers and merging, and it ends with the value.
/// No app sees the classes: their names are none that Swift, a query or a schema from outside could say.
package enum NestedCollection: Sendable, CaseIterable {
    case list
    case map

    /// How many collections may stand inside of each other, the property's own included.
    package static let levelMax = 100
    /// The one property of both classes, and its column.
    package static let property = "elements"
    package static let column = 0

    package init?(className: String) {
        switch className {
        case Self.list.className: self = .list
        case Self.map.className: self = .map
        default: return nil
        }
    }

    package var className: String {
        switch self {
        case .list: "#List"
        case .map: "#Map"
        }
    }

    package var schema: ClassSchema {
        ClassSchema(
            name: className, kind: .embedded,
            properties: [
                Property(name: Self.property, type: .mixed, collection: self == .list ? .list : .map, isOptional: true)
            ])
    }
}

extension Schema {
    /// With the classes of nested collections, where any property may hold one.
    package var withNestedCollections: Schema {
        let holdsMixedValues = classes.contains { $0.properties.contains { $0.type == .mixed } }
        guard holdsMixedValues else { return self }
        return Schema(withoutNestedCollections.classes + NestedCollection.allCases.map(\.schema))
    }

    /// As apps and servers name it to each other.
    package var withoutNestedCollections: Schema {
        Schema(classes.filter { NestedCollection(className: $0.name) == nil })
    }
}
