package import CausewayModel

/// Why a value does not fit the type that its property gets.
package enum Misfit: String, CaseIterable, Sendable {
    /// A null, and the property will be required.
    case null
    /// A number that the type does not hold exactly.
    case number
    /// A text that does not read as the type.
    case text
    /// A date outside of the years 1 to 9999: it has no text.
    case date
    /// Bytes that are not UTF-8: they have no text.
    case bytes
    /// In a mixed property: a value of another type, a link or a collection.
    case type

    /// - Parameter value: one that does not fit.
    package init(of value: Value, in property: PropertyType) {
        switch value {
        case .null: self = .null
        case _ where property == .mixed: self = .type
        case .string: self = .text
        case .timestamp: self = .date
        case .bytes: self = .bytes
        case .bool, .int, .float, .double, .decimal: self = .number
        case .objectId, .uuid, .object, .link, .anyObject, .anyLink: self = .type
        }
    }
}
