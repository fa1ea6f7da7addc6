package import CausewayModel

/// Each element of a collection against each of several others: `ANY scores > ALL limits`, `ALL names BEGINSWITH ANY {'a',
/// 'b'}`. The left quantifier asks first.
package struct BoundPairs: Hashable, Sendable {
    package enum Right: Hashable, Sendable {
        /// The values of a list, each as the test of one element.
        case tests([Test])
        /// The elements of another collection.
        case path(BoundPath, Comparator)
    }

    package enum Test: Hashable, Sendable {
        case constant(Bool)
        case comparison(Comparator, Value)
    }

    package var quantifier: Quantifier
    package var path: BoundPath
    package var options: TextOptions
    package var rightQuantifier: Quantifier
    package var right: Right

    package init(
        quantifier: Quantifier, path: BoundPath, options: TextOptions, rightQuantifier: Quantifier, right: Right
    ) {
        self.quantifier = quantifier
        self.path = path
        self.options = options
        self.rightQuantifier = rightQuantifier
        self.right = right
    }

    /// Every path that is read.
    package var paths: [BoundPath] {
        if case .path(let other, _) = right { [path, other] } else { [path] }
    }
}
