package import CausewayModel

/// A comparison with arithmetic on one side or both.
package struct BoundComputation: Hashable, Sendable {
    package enum Right: Hashable, Sendable {
        case one(BoundArithmetic)
        /// The constants of IN, or the two of BETWEEN.
        case list([Value])
    }

    package var quantifier: Quantifier
    package var left: BoundArithmetic
    /// Equality, an order, `in` or `between`.
    package var comparator: Comparator
    package var right: Right
    /// The one path through a collection. Each of its elements is computed with by itself, in place of `element`.
    package var elements: BoundPath?

    package init(
        quantifier: Quantifier, _ left: BoundArithmetic, _ comparator: Comparator, _ right: Right,
        elements: BoundPath? = nil
    ) {
        self.quantifier = quantifier
        self.left = left
        self.comparator = comparator
        self.right = right
        self.elements = elements
    }

    /// Every path that is read.
    package var paths: [BoundPath] {
        let ofRight: [BoundPath] = if case .one(let right) = right { right.paths } else { [] }
        return (elements.map { [$0] } ?? []) + left.paths + ofRight
    }
}

/// Numbers computed from paths that have one value an object.
package indirect enum BoundArithmetic: Hashable, Sendable {
    case value(Value)
    case path(BoundPath)
    /// The collection's element that is computed with.
    case element
    case operation(BoundArithmetic, ArithmeticOperator, BoundArithmetic)

    fileprivate var paths: [BoundPath] {
        switch self {
        case .value, .element: []
        case .path(let path): [path]
        case .operation(let left, _, let right): left.paths + right.paths
        }
    }
}
