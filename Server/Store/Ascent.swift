/// Finds the top that each of many things is part of, at any depth. What is found for one is reused for those below it:
/// devices decide how deep they nest, and each step up is a search.
///
/// - Complexity: O(n) steps for n things that are part of each other, in whatever order they are asked for, and up to
///   `2 * depthMax` more for each that is asked for alone.
package struct Ascent<Thing: Hashable> {
    package enum Holder {
        case part(Thing)
        case top(Thing)
    }

    private struct Way {
        var top: Thing
        var depth: Int
    }

    private let depthMax: Int
    /// Nil where the way up is longer than `depthMax`, or has no end.
    private var ways: [Thing: Way?] = [:]

    package init(depthMax: Int = Self.depthOfParts) {
        self.depthMax = depthMax
    }

    /// Collections may nest a hundred levels deep, in embedded objects that nest as well.
    package static var depthOfParts: Int { 256 }

    /// The top that a thing is part of; nil when it is more than `depthMax` steps up, or there is none.
    ///
    /// - Parameter holder: one step up; nil where nothing holds a thing. It must answer the same as long as this value
    ///   is used.
    package mutating func top(of thing: Thing, _ holder: (Thing) -> Holder?) -> Thing? {
        var path: [Thing] = []
        var way: Way?
        var next = thing
        climb: while true {
            if let known = ways[next] {
                way = known
                break
            }
            path.append(next)
            switch holder(next) {
            case .top(let top):
                way = Way(top: top, depth: 0)
                break climb
            case .part(let part):
                next = part
            case nil:
                break climb
            }
            // Each of the first half has more than the allowed steps above it, or is in a cycle.
            guard path.count < 2 * depthMax else {
                path.removeLast(depthMax)
                break
            }
        }
        for thing in path.reversed() {
            way?.depth += 1
            if let found = way, found.depth > depthMax { way = nil }
            ways.updateValue(way, forKey: thing)
        }
        return way?.top
    }
}
