/// A closed line of great-circle edges that does not meet itself, and the smaller part of the sphere that it cuts off.
struct SphericalRing: Hashable, Sendable {
    enum Location {
        case inside
        case boundary
        case outside
    }

    let edges: [SphereEdge]
    /// A place inside.
    private let inner: SphereVector

    var vertices: [SphereVector] { edges.map(\.start) }

    /// Reads a ring as it was written: the last place is the first again.
    ///
    /// - Parameter number: which ring of its polygon it is, for errors.
    init(_ places: [GeoPosition], number: Int) throws(GeoShapeFault) {
        guard let first = places.first, let last = places.last else {
            throw GeoShapeFault("Ring \(number) has no points")
        }
        guard SphereVector(first).isSamePlace(as: SphereVector(last)) else {
            throw GeoShapeFault(
                "Ring \(number) is not closed, first vertex '\(first.text)' must equal last vertex '\(last.text)'")
        }
        var vertices: [SphereVector] = []
        for place in places {
            // A place that is written twice in a row counts once.
            let vertex = SphereVector(place)
            if vertices.last?.isSamePlace(as: vertex) != true { vertices.append(vertex) }
        }
        while vertices.count > 1, vertices[0].isSamePlace(as: vertices[vertices.count - 1]) { vertices.removeLast() }
        guard vertices.count >= 3 else {
            throw GeoShapeFault(
                "Ring \(number) must have at least 3 different vertices, \(vertices.count) unique vertices were provided"
            )
        }
        edges = vertices.indices.map { SphereEdge(vertices[$0], vertices[($0 + 1) % vertices.count]) }
        try Self.checkVertices(vertices, number)
        try Self.checkEdges(edges, number)
        guard let inner = Self.innerPlace(edges) else {
            throw GeoShapeFault("Ring \(number) is not valid: 'Edges touch each other'")
        }
        self.inner = inner
    }

    private static func checkVertices(_ vertices: [SphereVector], _ number: Int) throws(GeoShapeFault) {
        var seen: [SphereVector: Int] = [:]
        for (index, vertex) in vertices.enumerated() {
            if let other = seen.updateValue(index, forKey: vertex) {
                throw GeoShapeFault("Ring \(number) is not valid: 'Duplicate vertices: \(other) and \(index)'")
            }
            let next = (index + 1) % vertices.count
            if (vertex + vertices[next]).lengthSquared < 1e-28 {
                throw GeoShapeFault("Ring \(number) is not valid: 'Vertices \(index) and \(next) are antipodal'")
            }
        }
    }

    private static func checkEdges(_ edges: [SphereEdge], _ number: Int) throws(GeoShapeFault) {
        for (index, edge) in edges.enumerated() {
            // Neighbours share a vertex and cannot cross.
            for other in edges.indices.dropFirst(index + 2)
            where !(index == 0 && other == edges.count - 1) && edge.crosses(edges[other]) {
                throw GeoShapeFault("Ring \(number) is not valid: 'Edges \(index) and \(other) cross'")
            }
        }
    }

    // MARK: - Inside and outside

    /// A place inside. Of the two sides, the one with less area is inside. Nil where the ring touches itself.
    private static func innerPlace(_ edges: [SphereEdge]) -> SphereVector? {
        guard
            let longest = edges.indices.max(by: { left, right in
                edges[left].normal.lengthSquared < edges[right].normal.lengthSquared
            })
        else { return nil }
        // Beside the middle of the longest edge, nearer to it than any other edge is.
        let middle = edges[longest].middle
        var room = 0.5
        for (index, edge) in edges.enumerated() where index != longest { room = min(room, edge.distance(to: middle)) }
        guard room > 1e-15 else { return nil }
        let left = edges[longest].normal.normalized * (room / 2)
        return (isLeftInside(edges) ? middle + left : middle - left).normalized
    }

    /// Adds up the areas of the triangles from one vertex to each edge, positive to the left. The sum is the area of
    /// the left side, up to whole spheres.
    private static func isLeftInside(_ edges: [SphereEdge]) -> Bool {
        let apex = edges[0].start
        let area = edges.dropFirst().dropLast().reduce(0.0) { area, edge in
            let volume = edge.side(of: apex)
            let angles = 1 + apex.dot(edge.start) + edge.start.dot(edge.end) + edge.end.dot(apex)
            return area + 2 * Trigonometry.arcTangent(volume, angles)
        }
        let sphere = 4 * Double.pi
        let left = area - sphere * (area / sphere).rounded(.down)
        return left <= sphere / 2
    }

    /// - Complexity: O(n) for n edges.
    func location(of place: SphereVector) -> Location {
        if edges.contains(where: { $0.contains(place) }) { return .boundary }
        guard (place + inner).lengthSquared > 1e-18 else {
            // From the opposite side of the globe, every way is a shortest one: one is chosen.
            let between = inner.perpendicular
            return crossings(from: place, to: between) != crossings(from: between, to: inner) ? .outside : .inside
        }
        return crossings(from: place, to: inner) ? .outside : .inside
    }

    /// Whether the way between two places crosses the ring an odd number of times.
    private func crossings(from start: SphereVector, to end: SphereVector) -> Bool {
        let way = start.cross(end - start)
        var isOdd = false
        for edge in edges {
            // A vertex right on the way counts as left of it, for both of its edges.
            let from = (edge.start - start).dot(way)
            let to = (edge.end - start).dot(way)
            guard (from >= 0) != (to >= 0) else { continue }
            // Where the edge meets the way's great circle, as seen from both of the way's ends.
            let fromStart = (edge.start - start) * abs(to) + (edge.end - start) * abs(from)
            let fromEnd = (edge.start - end) * abs(to) + (edge.end - end) * abs(from)
            if start.cross(fromStart).dot(way) > 0, fromEnd.cross(end).dot(way) > 0 { isOdd.toggle() }
        }
        return isOdd
    }

    /// Whether another ring that does not cross this one has any part inside of it.
    func surrounds(_ other: SphericalRing) -> Bool {
        other.edges.contains { location(of: $0.start) == .inside || location(of: $0.middle) == .inside }
    }

    /// Whether another ring lies within, touching this one in shared vertices at most.
    func holds(_ other: SphericalRing) -> Bool {
        let own = Set(vertices)
        return other.edges.allSatisfy { edge in
            (own.contains(edge.start) || location(of: edge.start) == .inside) && location(of: edge.middle) == .inside
        }
    }

    /// Whether a vertex of another ring lies on an edge of this one, between its ends.
    func touchesBetweenVertices(_ other: SphericalRing) -> Bool {
        let own = Set(vertices)
        return other.edges.contains { !own.contains($0.start) && location(of: $0.start) == .boundary }
    }
}
