package import CausewayModel
import CausewayQuery

/// An object that is described by its values alone, as rules see it. It is not stored, so its links lead nowhere.
package struct DescribedObject: RowSource {
    private let classSchema: ClassSchema
    /// By the properties' numbers.
    private let values: [Int: Value]
    private let elements: [Int: [Value]]

    /// - Parameters:
    ///   - values: of properties that are no collections. Others have the value of a new object.
    ///   - elements: of lists and sets. Others are empty.
    package init(of classSchema: ClassSchema, values: [Int: Value], elements: [Int: [Value]] = [:]) {
        self.classSchema = classSchema
        self.values = values
        self.elements = elements
    }

    package func value(of property: Int, in className: String) -> Value {
        guard classSchema.name.isSame(as: className), classSchema.properties.indices.contains(property) else {
            return .null
        }
        return values[property] ?? classSchema.properties[property].zero
    }

    package func elements(of property: Int, in className: String) -> [Value] {
        classSchema.name.isSame(as: className) ? elements[property] ?? [] : []
    }

    package func object(at link: Value, in target: String) -> DescribedObject? { nil }
}
