import CausewayModel

// What ObjectState.swift promises of itself, looked at in debug builds where a state has changed.

extension ObjectState {
    /// A list or text of more positions is not gone over: its tree would be read again for every operation.
    private static var positionsMax: Int { 64 }

    /// - Parameter property: what has changed; nil if it may be anything.
    func assertInvariants(_ property: String? = nil) {
        assert(Self.isAscending(fields, \.property), "fields are not in order: \(fields.map(\.property))")
        assert(Self.isAscending(lists, \.property), "lists are not in order: \(lists.map(\.property))")
        assert(Self.isAscending(keyed, \.property), "sets and maps are not in order: \(keyed.map(\.property))")
        assert(Self.isAscending(texts, \.property), "texts are not in order: \(texts.map(\.property))")
        assert(Self.isAscending(sums, \.property), "sums are not in order: \(sums.map(\.property))")
        guard let property else { return }
        assert(
            lists.allSatisfy { list in
                !list.property.isSame(as: property) || list.list.positionCount > Self.positionsMax
                    || list.list.isOrderOfTree
            }, "the list \(property) is not in the order of its tree")
        assert(
            texts.allSatisfy { text in
                !text.property.isSame(as: property) || text.text.pieceCount > Self.positionsMax
                    || text.text.isOrderOfTree
            }, "the text \(property) is not in the order of its tree")
    }

    private static func isAscending<Part>(_ parts: [Part], _ property: (Part) -> String) -> Bool {
        zip(parts, parts.dropFirst()).allSatisfy { property($0).precedes(property($1)) }
    }
}
