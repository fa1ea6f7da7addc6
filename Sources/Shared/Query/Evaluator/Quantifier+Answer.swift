// A quantifier is decided by the first element that answers its question: for ANY and NONE one that meets the condition, for
// ALL one that does not.

extension Quantifier {
    /// Whether an element decides it.
    func isDecided(by holds: Bool) -> Bool { holds != (self == .all) }

    /// The answer, once it is known whether an element decided.
    func answer(isDecided: Bool) -> Bool {
        switch self {
        case .implied, .any: isDecided
        case .all, .none: !isDecided
        }
    }

    /// Whether elements meet a condition as it asks.
    func holds<Element>(for elements: [Element], _ condition: (Element) throws -> Bool) rethrows -> Bool {
        answer(isDecided: try elements.contains { isDecided(by: try condition($0)) })
    }
}
