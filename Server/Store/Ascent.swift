/// The tops that things are part of at any depth, of many things at once: what was found for one serves those below it.
/// Devices decide how deep they nest, and each step up is a search.
///
/// - Complexity: of n things that are part of each other O(n) steps, in whatever order they are asked for, besides
///   `2 * depthMax` for each that is asked for alone.
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

    /// Collections may stand a hundred levels deep, in embedded objects that stand in others.
    package static var depthOfParts: Int { 256 }

    /// The top that a thing is part of, no more than `depthMax` steps up.
    ///
    /// - Parameter holder: the one step up; nil where nothing holds a thing. It says the same as long as this is used.
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
            // All of the first half have more than the allowed steps above them, or go round in a circle.
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
