import CausewayModel

extension BoundGeoWithin {
    func matches(_ row: some RowSource) -> Bool {
        row.holds(quantifier, path) { holds($0, row) }
    }

    private func holds(_ link: Value, _ row: some RowSource) -> Bool {
        guard !link.isNull, let point = row.object(at: link, in: target) else { return false }
        return holds(
            type: point.value(of: typeProperty, in: target),
            coordinates: point.elements(of: coordinatesProperty, in: target))
    }
}
