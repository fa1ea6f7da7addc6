package import CausewayModel

// How the classes of a schema lead to each other.

extension Schema {
    /// The classes of these names, and those that they lead to.
    package func reached(from names: [String]) -> Schema {
        var waiting = names
        var reached: Set<ExactString> = []
        while let name = waiting.popLast() {
            guard let found = self[name], reached.insert(ExactString(name)).inserted else { continue }
            waiting += found.properties.compactMap(\.target)
        }
        return Schema(classes.filter { reached.contains(ExactString($0.name)) })
    }

    /// The classes that the links of a class, and of those embedded in it, lead to.
    package func linked(from name: String) -> Set<ExactString> {
        var targets: Set<ExactString> = []
        var seen: Set<ExactString> = []
        var waiting = [name]
        while let name = waiting.popLast() {
            guard seen.insert(ExactString(name)).inserted, let known = self[name] else { continue }
            for target in known.properties.compactMap(\.target) {
                if self[target]?.kind == .embedded {
                    waiting.append(target)
                } else {
                    targets.insert(ExactString(target))
                }
            }
        }
        return targets
    }

    /// Sorts classes so that those that links lead to come first, except around circles.
    package func linkedFirst(_ names: [String]) -> [String] {
        let wanted = Set(names.map { ExactString($0) })
        var result: [String] = []
        var begun: Set<ExactString> = []
        func visit(_ name: ExactString) {
            guard wanted.contains(name), begun.insert(name).inserted else { return }
            for target in linked(from: name.string).sorted() { visit(target) }
            result.append(name.string)
        }
        for name in names { visit(ExactString(name)) }
        return result
    }
}
