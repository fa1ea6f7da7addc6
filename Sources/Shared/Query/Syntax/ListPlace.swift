package import CausewayModel

/// One element of a collection on the way of a path: `dogs[0]`, `dogs[FIRST]`, `dogs[LAST]` of a list, `dogs['Rex'].age` of
/// a map. Null where there is none.
package enum ListPlace: Hashable, Sendable {
    case at(Int)
    case first
    case last
    /// The value of a key of a map, where a name follows it. At the end of a path it is the path's part.
    case key(ExactString)
    /// Every element, as without it, where a name follows: `dogs[*].name`, `dogsByName.@values.name`.
    case each

    /// With its brackets.
    package var text: String {
        switch self {
        case .at(let index): "[\(index)]"
        case .first: "[FIRST]"
        case .last: "[LAST]"
        case .key(let key): NestedStep.key(key).text
        case .each: NestedStep.any.text
        }
    }

    /// The element at this place; nil where there is none.
    package func element<Element>(of elements: [Element]) -> Element? {
        switch self {
        case .at(let index): elements.indices.contains(index) ? elements[index] : nil
        case .first: elements.first
        case .last: elements.last
        // These lead to no position: the binder takes them apart.
        case .key, .each: nil
        }
    }
}
