import CausewayQuery

/// The parts of an AND that bound a property below or above. Each is paired with the first part that bounds the
/// property on the other side, and together they are one range.
struct BoundsInPairs {
    private var bounds: [Int: (bounds: IndexBounds, comparison: BoundComparison)] = [:]
    private var firstBelow: [BoundPath: Int] = [:]
    private var firstAbove: [BoundPath: Int] = [:]

    /// - Complexity: O(parts)
    init(_ parts: [BoundPredicate]) {
        for (index, part) in parts.enumerated() {
            guard case .comparison(let comparison) = part, comparison.path.steps.count == 1,
                let bounds = IndexBounds(comparison), bounds.isHalfOpen
            else { continue }
            self.bounds[index] = (bounds, comparison)
            if bounds.lower != nil {
                if firstBelow[comparison.path] == nil { firstBelow[comparison.path] = index }
            } else if firstAbove[comparison.path] == nil {
                firstAbove[comparison.path] = index
            }
        }
    }

    /// The range that a part makes with its partner; nil without a partner.
    subscript(index: Int) -> (range: IndexBounds, partner: Int, comparison: BoundComparison)? {
        guard let (own, comparison) = bounds[index],
            let partner = own.lower != nil ? firstAbove[comparison.path] : firstBelow[comparison.path],
            let range = bounds[partner].flatMap({ own.intersection($0.bounds) })
        else { return nil }
        return (range, partner, comparison)
    }
}
