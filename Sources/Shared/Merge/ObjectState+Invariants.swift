import CausewayModel

// The invariants of ObjectState.swift, checked in debug builds after a state has changed.

extension ObjectState {
    /// - Parameter property: the property that has changed; nil if any may have.
    func assertInvariants(_ property: String? = nil) {
        assert(fields.isInPlace, "fields are not in order: \(fields.map(\.property))")
        assert(parts.isInPlace, "parts are not in order: \(parts.map { "\($0.content.kind) \($0.property)" })")
        assert(
            zip(sums, sums.dropFirst()).allSatisfy { $0.property.precedes($1.property) },
            "sums are not in order: \(sums.map(\.property))")
        guard let property else { return }
        assert(
            parts.allSatisfy { !$0.property.isSame(as: property) || $0.content.isOrderOfTree },
            "the list or text \(property) is not in the order of its tree")
    }
}

extension ObjectState.Content {
    /// A longer list or text is not checked: every operation would walk its whole tree.
    private static var positionsMax: Int { 64 }

    fileprivate var isOrderOfTree: Bool {
        switch self {
        case .list(let list): list.positionCount > Self.positionsMax || list.isOrderOfTree
        case .text(let text): text.pieceCount > Self.positionsMax || text.isOrderOfTree
        case .keyed: true
        }
    }
}
