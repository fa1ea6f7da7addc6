import CausewaySeeds

// Paths to values of a type: properties, elements, what links lead to, and operators on collections.
extension TextGenerator {
    /// - Returns: a path, and what written numbers are beside it.
    mutating func path(to type: PlainType) -> (path: TreePath, digits: TreeDigits) {
        let digits: TreeDigits = type == .int || type == .decimal ? .all : type == .mixed ? .ofDecimals : .none
        switch numbers.below(8) {
        case 0...2: return (TreePath(end: .value(property(of: type))), digits)
        case 3:
            let hops = hops()
            return (TreePath(hops: hops, end: .value(property(of: type))), digits)
        case 4: return (collection(of: type) ?? TreePath(end: .value(property(of: type))), digits)
        case 5: return (one(of: type) ?? TreePath(end: .value(property(of: type))), digits)
        case 6 where type == .int || type == .double || type == .decimal: return folded(type)
        case 7 where type == .int: return (counted(), .all)
        default: return (TreePath(end: .value(property(of: type))), digits)
        }
    }

    private mutating func property(of type: PlainType) -> String {
        let name = numbers.one(of: PlainObject.singles.filter { $0.type == type }.map(\.name))
        return name
    }

    private func list(of type: PlainType) -> String? {
        PlainObject.listProperties.first { $0.type == type && $0.name != "limits" }?.name
    }

    /// One or two steps to other objects.
    private mutating func hops() -> [TreePath.Hop] {
        var hops = [hop()]
        if numbers.once(in: 4) { hops.append(hop()) }
        return hops
    }

    private mutating func hop() -> TreePath.Hop {
        switch numbers.below(6) {
        case 0, 1:
            note("through a link")
            return .link("link")
        case 2, 3:
            note("through a list")
            return .each("items")
        case 4:
            note("element and property")
            return .place("items", place())
        default:
            note("backlinks")
            return .backlinks
        }
    }

    private mutating func place() -> TreePlace {
        switch numbers.below(3) {
        case 0: .first
        case 1: .last
        default: .at(numbers.below(3))
        }
    }

    private mutating func collection(of type: PlainType) -> TreePath? {
        if type == .int, numbers.once(in: 4) {
            note("@values")
            return TreePath(end: .values("map"))
        }
        if type == .int, numbers.once(in: 4) {
            note("lengths")
            return TreePath(end: .lengths("names"))
        }
        if type == .text, numbers.once(in: 3) {
            note("@keys")
            return TreePath(end: .keys("map"))
        }
        if type == .int, numbers.once(in: 4) { return TreePath(end: .list("limits")) }
        guard let name = list(of: type) else { return nil }
        guard numbers.once(in: 3) else { return TreePath(end: .list(name)) }
        note("through two lists")
        return TreePath(hops: [.each("items")], end: .list(name))
    }

    /// One element of a collection.
    private mutating func one(of type: PlainType) -> TreePath? {
        if type == .int, numbers.once(in: 2) {
            note("entry")
            return TreePath(end: .entry("map", key: numbers.one(of: PlainObject.mapKeys + ["missing"])))
        }
        return list(of: type).map { TreePath(end: .element($0, place())) }
    }

    private mutating func folded(_ type: PlainType) -> (path: TreePath, digits: TreeDigits) {
        let fold = numbers.one(of: TreeFold.allCases)
        note(fold.rawValue)
        let digits: TreeDigits = type == .decimal || type == .int && fold != .average ? .all : .none
        guard let name = list(of: type) else { return (TreePath(end: .value(property(of: type))), digits) }
        switch numbers.below(4) {
        case 0:
            note("operator over objects")
            return (TreePath(end: .foldOf(fold, "items", property: property(of: type))), digits)
        case 1:
            note("operator behind backlinks")
            return (TreePath(hops: [.backlinks], end: .foldOf(fold, "items", property: property(of: type))), digits)
        case 2:
            note("operator in each object")
            return (TreePath(hops: [.each("items")], end: .fold(fold, name)), digits)
        default: return (TreePath(end: .fold(fold, name)), digits)
        }
    }

    private mutating func counted() -> TreePath {
        switch numbers.below(6) {
        case 0:
            note("size of a text")
            return TreePath(end: .size(numbers.one(of: ["name", "optName", "data"])))
        case 1:
            note("count of a map")
            return TreePath(end: .count("map", isSize: numbers.once(in: 2)))
        case 2:
            note("@links.@count")
            return TreePath(end: .backlinkCount)
        case 3: return TreePath(hops: [.each("items")], end: .count("items", isSize: numbers.once(in: 2)))
        default:
            return TreePath(end: .count(numbers.one(of: ["ints", "names", "items"]), isSize: numbers.once(in: 2)))
        }
    }
}
