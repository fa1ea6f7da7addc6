import CausewayModel

extension BoundGeoWithin {
    func matches(_ row: some RowSource) -> Bool {
        var found = false
        row.walk(path.steps[...]) { link in
            let holds = holds(link, row)
            found = quantifier == .all ? !holds : holds
            // The first element that answers the quantifier's question decides it.
            return !found && quantifier != .implied
        }
        switch quantifier {
        case .implied, .any: return found
        case .all, .none: return !found
        }
    }

    private func holds(_ link: Value, _ row: some RowSource) -> Bool {
        guard !link.isNull, let point = row.object(at: link, in: target) else { return false }
        return holds(
            type: point.value(of: typeProperty, in: target),
            coordinates: point.elements(of: coordinatesProperty, in: target))
    }
}
