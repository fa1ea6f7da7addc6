/// Which objects a generated text finds, as its tree says: plain loops over plain dictionaries. It shares no code with the
/// query language of the product, nor with its store.
package struct PlainEvaluator: Sendable {
    package let objects: [PlainObject]
    /// For each object, the objects whose list `items` holds it, once for each time.
    private let backlinks: [[Int]]

    package init(_ objects: [PlainObject]) {
        self.objects = objects
        var backlinks = Array(repeating: [Int](), count: objects.count)
        for (row, object) in objects.enumerated() {
            for case .object(let target) in object.lists["items"] ?? [] { backlinks[target].append(row) }
        }
        self.backlinks = backlinks
    }

    /// The places of the objects that meet the predicate, ascending.
    package func found(_ predicate: TreePredicate) -> [Int] {
        objects.indices.filter { holds(predicate, $0) }
    }

    package func holds(_ predicate: TreePredicate, _ row: Int) -> Bool {
        switch predicate {
        case .truth(let value): value
        case .and(let parts): parts.allSatisfy { holds($0, row) }
        case .or(let parts): parts.contains { holds($0, row) }
        case .not(let part): !holds(part, row)
        case .comparison(let comparison): holds(comparison, row)
        }
    }

    private func holds(_ comparison: TreeComparison, _ row: Int) -> Bool {
        let (first, second) = (comparison.left.digits, comparison.right.digits)
        let digits = first.rawValue < second.rawValue ? second : first
        let rule = PlainComparison(ignoresCase: comparison.ignoresCase, digits: digits)
        let right = values(comparison.right.operand, row, digits)
        return quantified(comparison.left.quantifier, values(comparison.left.operand, row, digits)) { value in
            if comparison.comparator == .between {
                return rule.holds(value, .greaterOrEqual, right[0]) && rule.holds(value, .lessOrEqual, right[1])
            }
            return quantified(comparison.right.quantifier, right) { other in
                rule.holds(value, comparison.comparator == .isIn ? .equal : comparison.comparator, other)
            }
        }
    }

    private func quantified(
        _ quantifier: TreeQuantifier?, _ values: [PlainValue], _ holds: (PlainValue) -> Bool
    ) -> Bool {
        guard let quantifier else { return values.contains(where: holds) }
        return switch quantifier {
        case .any, .some: values.contains(where: holds)
        case .all: values.allSatisfy(holds)
        case .none: !values.contains(where: holds)
        }
    }

    // MARK: - Sides

    private func values(_ operand: TreeOperand, _ row: Int, _ digits: TreeDigits) -> [PlainValue] {
        switch operand {
        case .path(let path): values(path, row)
        case .constant(let value, _): [value]
        case .list(let values): values.map(\.0)
        case .computed(let left, let sign, let right):
            values(left, row, digits).flatMap { left in
                values(right, row, digits).map { computed(left, sign, $0, digits) }
            }
        case .subquery(let path, let condition):
            [.number(PlainNumber(places(path.hops, row).compactMap { $0 }.count { holds(condition, $0) }), .int)]
        }
    }

    private func computed(
        _ left: PlainValue, _ sign: PlainNumber.Sign, _ right: PlainValue, _ digits: TreeDigits
    ) -> PlainValue {
        guard let first = left.amount(digits), let second = right.amount(digits) else { return .null }
        var areIntegers = false
        if case (.number(_, .int), .number(_, .int)) = (left, right) { areIntegers = true }
        guard let result = PlainNumber.result(first, sign, second, areIntegers: areIntegers) else { return .null }
        return .number(result, areIntegers ? .int : .double)
    }

    // MARK: - Paths

    /// The objects that hops lead to; nil for one that a link without a target leads to.
    private func places(_ hops: [TreePath.Hop], _ row: Int) -> [Int?] {
        var places: [Int?] = [row]
        for hop in hops {
            places = places.flatMap { place -> [Int?] in
                switch hop {
                case .link(let name): return [place.flatMap { Self.target(objects[$0].values[name]) }]
                case .place(let name, let position):
                    return [place.flatMap { Self.target(Self.element(objects[$0].lists[name] ?? [], position)) }]
                case .each(let name): return place.map { (objects[$0].lists[name] ?? []).map { Self.target($0) } } ?? []
                case .backlinks: return place.map { backlinks[$0].map(Optional.some) } ?? []
                }
            }
        }
        return places
    }

    private static func target(_ value: PlainValue?) -> Int? {
        if case .object(let row)? = value { row } else { nil }
    }

    private static func element(_ list: [PlainValue], _ place: TreePlace) -> PlainValue {
        switch place {
        case .first: list.first ?? .null
        case .last: list.last ?? .null
        case .at(let index): list.indices.contains(index) ? list[index] : .null
        }
    }

    private func values(_ path: TreePath, _ row: Int) -> [PlainValue] {
        let places = places(path.hops, row)
        /// One value for each object, null where a link leads to none.
        func single(_ read: (PlainObject) -> PlainValue) -> [PlainValue] {
            places.map { $0.map { read(objects[$0]) } ?? .null }
        }
        /// All values of all objects.
        func all(_ read: (PlainObject) -> [PlainValue]) -> [PlainValue] {
            places.flatMap { $0.map { read(objects[$0]) } ?? [] }
        }
        /// One fold for each object; over links that lead nowhere, that of nothing.
        func each(_ fold: ([PlainValue]) -> PlainValue, _ read: (PlainObject) -> [PlainValue]) -> [PlainValue] {
            guard path.isToMany else { return [fold(all(read))] }
            return places.compactMap { $0.map { fold(read(objects[$0])) } }
        }
        switch path.end {
        case .value(let name): return single { $0.values[name] ?? .null }
        case .objects: return places.map { $0.map(PlainValue.object) ?? .null }
        case .list(let name): return all { $0.lists[name] ?? [] }
        case .element(let name, let place): return single { Self.element($0.lists[name] ?? [], place) }
        case .entry(let name, let key): return single { $0.maps[name]?[key] ?? .null }
        case .keys(let name): return all { ($0.maps[name] ?? [:]).keys.map(PlainValue.text) }
        case .values(let name): return all { Array(($0.maps[name] ?? [:]).values) }
        case .count(let name, _):
            return each({ .number(PlainNumber($0.count), .int) }) { object in
                object.lists[name] ?? Array((object.maps[name] ?? [:]).values)
            }
        case .fold(let fold, let name): return each({ PlainFold.result(fold, $0) }) { $0.lists[name] ?? [] }
        case .foldOf(let fold, let name, let property):
            let held = all { $0.lists[name] ?? [] }
            return [
                PlainFold.result(fold, held.map { Self.target($0).flatMap { objects[$0].values[property] } ?? .null })
            ]
        case .size(let name):
            return single { $0.values[name]?.utf8.map { .number(PlainNumber($0.count), .int) } ?? .null }
        case .lengths(let name):
            return all { ($0.lists[name] ?? []).map { .number(PlainNumber($0.utf8?.count ?? 0), .int) } }
        case .type(let name): return single { .text(($0.values[name] ?? .null).typeName) }
        case .backlinkCount:
            let links = objects.flatMap { object in
                ["link", "mixed"].filter { object.values[$0] == .object(row) }
            }
            return [.number(PlainNumber(backlinks[row].count + links.count), .int)]
        }
    }
}

enum PlainFold {
    /// Null and NaN are left out.
    static func result(_ fold: TreeFold, _ values: [PlainValue]) -> PlainValue {
        let numbers = values.compactMap { $0.amount(.all) }.filter { !$0.isNaN }
        switch fold {
        case .minimum: return best(numbers) { $0 < 0 }
        case .maximum: return best(numbers) { $0 > 0 }
        case .sum: return .number(sum(numbers), .double)
        case .average:
            guard !numbers.isEmpty else { return .null }
            let count = PlainNumber(numbers.count)
            return .number(
                PlainNumber.result(sum(numbers), .divided, count, areIntegers: false) ?? .notANumber, .double)
        }
    }

    private static func sum(_ numbers: [PlainNumber]) -> PlainNumber {
        numbers.reduce(PlainNumber(0)) { PlainNumber.result($0, .plus, $1, areIntegers: false) ?? .notANumber }
    }

    private static func best(_ numbers: [PlainNumber], _ isBetter: (Int) -> Bool) -> PlainValue {
        guard var best = numbers.first else { return .null }
        for number in numbers.dropFirst() where isBetter(PlainNumber.order(number, best) ?? 0) { best = number }
        return .number(best, .double)
    }
}
