/// A list or a map inside of a mixed value.
///
/// It is stored as a row of a hidden embedded class, and the value links to that row. So it is a list or map property
/// like any other, with the same chunks, element ids, observers and merging, and it ends with the value. No app sees
/// these classes: neither Swift nor a query nor a schema from outside can write their names.
package enum NestedCollection: Sendable, CaseIterable {
    case list
    case map

    /// How deep collections may nest, the property's own included.
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
    /// The schema with the classes of nested collections, if any property may hold one.
    package var withNestedCollections: Schema {
        let holdsMixedValues = classes.contains { $0.properties.contains { $0.type == .mixed } }
        guard holdsMixedValues else { return self }
        return Schema(withoutNestedCollections.classes + NestedCollection.allCases.map(\.schema))
    }

    /// The schema as apps and servers exchange it.
    package var withoutNestedCollections: Schema {
        Schema(classes.filter { NestedCollection(className: $0.name) == nil })
    }
}
