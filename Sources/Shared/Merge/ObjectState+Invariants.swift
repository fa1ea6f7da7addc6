import CausewayModel

// What ObjectState.swift promises of itself, looked at in debug builds where a state has changed.

extension ObjectState {
    /// - Parameter property: what has changed; nil if it may be anything.
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
    /// A list or text of more positions is not gone over: its tree would be read again for every operation.
    private static var positionsMax: Int { 64 }

    fileprivate var isOrderOfTree: Bool {
        switch self {
        case .list(let list): list.positionCount > Self.positionsMax || list.isOrderOfTree
        case .text(let text): text.pieceCount > Self.positionsMax || text.isOrderOfTree
        case .keyed: true
        }
    }
}
