/// One element of a list: `dogs[0]`, `dogs[FIRST]`, `dogs[LAST]`. Null where the list is shorter.
package enum ListPlace: Hashable, Sendable {
    case at(Int)
    case first
    case last

    /// With its brackets.
    package var text: String {
        switch self {
        case .at(let index): "[\(index)]"
        case .first: "[FIRST]"
        case .last: "[LAST]"
        }
    }

    /// The element at this place; nil where there is none.
    package func element<Element>(of elements: [Element]) -> Element? {
        switch self {
        case .at(let index): elements.indices.contains(index) ? elements[index] : nil
        case .first: elements.first
        case .last: elements.last
        }
    }
}
