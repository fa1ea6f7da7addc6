/// An outer ring and the holes in it. Its boundary belongs to it, that of its holes too.
struct SphericalPolygon: Hashable, Sendable {
    private let outer: SphericalRing
    private let holes: [SphericalRing]
    /// The middle of the vertices, and the least cosine of the angle from it to a vertex; nil where they are all
    /// around.
    private let cap: (middle: SphereVector, cosine: Double)?

    /// The rules, in the order they are checked:
    /// 1. Each ring is closed, has three vertices or more, none of them twice, and does not cross itself.
    /// 2. No two rings share an edge.
    /// 3. Every hole lies within the outer ring. They may share vertices.
    /// 4. No hole crosses another, and none touches another but in shared vertices.
    /// 5. No hole lies within another.
    init(_ rings: [[GeoPosition]]) throws(GeoShapeFault) {
        let count = rings.reduce(0) { $0 + $1.count }
        guard count <= QueryLimits.polygonPoints else {
            throw GeoShapeFault("The polygon has \(count) points, and at most \(QueryLimits.polygonPoints) are taken")
        }
        guard let first = rings.first else { throw GeoShapeFault("Polygon has no rings") }
        var holes: [SphericalRing] = []
        outer = try SphericalRing(first, number: 0)
        for (index, ring) in rings.enumerated().dropFirst() {
            holes.append(try SphericalRing(ring, number: index))
        }
        self.holes = holes
        cap = Self.cap(around: outer.vertices)
        try Self.checkDuplicates([outer] + holes)
        try checkContainment()
        try checkHoles()
    }

    private static func checkDuplicates(_ rings: [SphericalRing]) throws(GeoShapeFault) {
        var seen: [[SphereVector]: (ring: Int, edge: Int)] = [:]
        for (ring, edges) in rings.map(\.edges).enumerated() {
            for (index, edge) in edges.enumerated() {
                if let other = seen[[edge.start, edge.end]] ?? seen[[edge.end, edge.start]] {
                    throw GeoShapeFault(
                        "Polygon isn't valid: 'Duplicate edge: ring \(ring), edge \(index) and ring \(other.ring), edge "
                            + "\(other.edge)'")
                }
                seen[[edge.start, edge.end]] = (ring, index)
            }
        }
    }

    private func checkContainment() throws(GeoShapeFault) {
        for (index, hole) in holes.enumerated() {
            let crosses = hole.edges.contains { edge in outer.edges.contains { $0.crosses(edge) } }
            guard !crosses, outer.holds(hole) else {
                throw GeoShapeFault(
                    "Secondary ring \(index + 1) not contained by first exterior ring - secondary rings must be holes in "
                        + "the first ring")
            }
        }
    }

    private func checkHoles() throws(GeoShapeFault) {
        for (index, hole) in holes.enumerated() {
            for (earlierIndex, earlier) in holes[..<index].enumerated() {
                let crosses = hole.edges.contains { edge in earlier.edges.contains { $0.crosses(edge) } }
                if crosses || earlier.touchesBetweenVertices(hole) || hole.touchesBetweenVertices(earlier) {
                    throw GeoShapeFault(
                        "Polygon isn't valid: 'Edges cross: ring \(index + 1) and ring \(earlierIndex + 1)'")
                }
                if earlier.surrounds(hole) {
                    throw GeoShapeFault("Polygon interior rings cannot be nested: \(index + 1)")
                }
                if hole.surrounds(earlier) {
                    throw GeoShapeFault("Polygon interior rings cannot be nested: \(earlierIndex + 1)")
                }
            }
        }
    }

    /// - Complexity: O(1) for most places far away, O(n) for n vertices near by.
    func contains(_ place: SphereVector) -> Bool {
        if let cap, place.dot(cap.middle) < cap.cosine { return false }
        return outer.location(of: place) != .outside && holes.allSatisfy { $0.location(of: place) != .inside }
    }

    /// A cap of less than half the sphere that holds all vertices also holds their edges, and what they enclose.
    private static func cap(around vertices: [SphereVector]) -> (SphereVector, Double)? {
        let sum = vertices.reduce(SphereVector(x: 0, y: 0, z: 0), +)
        guard sum.lengthSquared > 1e-9 else { return nil }
        let middle = sum.normalized
        let cosine = (vertices.map { $0.dot(middle) }.min() ?? 0) - 1e-12
        return cosine > 0 ? (middle, cosine) : nil
    }

    static func == (left: SphericalPolygon, right: SphericalPolygon) -> Bool {
        left.outer == right.outer && left.holes == right.holes
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(outer)
        hasher.combine(holes)
    }
}
