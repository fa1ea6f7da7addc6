package import CausewayModel

extension BoundPredicate {
    /// Whether one object meets the predicate. Agrees with the leaf-by-leaf evaluator of the object store on every row.
    ///
    /// - Complexity: linear in the predicate and in the elements of the lists it names.
    package func matches(_ row: some RowSource) -> Bool {
        switch self {
        case .constant(let value): value
        case .and(let parts): parts.allSatisfy { $0.matches(row) }
        case .or(let parts): parts.contains { $0.matches(row) }
        case .not(let part): !part.matches(row)
        case .comparison(let comparison): comparison.matches(row)
        case .subquery(let subquery): subquery.matches(row)
        case .geoWithin(let within): within.matches(row)
        case .computed(let computation): computation.matches(row)
        case .type(let test): test.matches(row)
        case .pairs(let pairs): pairs.matches(row)
        }
    }
}

extension BoundComparison {
    fileprivate func matches(_ row: some RowSource) -> Bool {
        let operand = row.settled(operand)
        guard quantifier != .implied else { return holds(row.single(at: path), operand, row) }
        return row.holds(quantifier, path) { holds($0, operand, row) }
    }

    /// One value against the right side.
    fileprivate func holds<Row: RowSource>(_ value: Value, _ operand: Operand, _ row: Row) -> Bool {
        switch operand {
        case .value(let constant):
            return ValueComparison.holds(value, comparator, constant, options) { left, right in
                row.namesSameObject(left, right, in: path.steps.last?.target ?? "")
            }
        case .values(let values) where comparator == .between:
            guard values.count == 2 else { return false }
            return ValueComparison.holds(value, .greaterOrEqual, values[0], [])
                && ValueComparison.holds(value, .lessOrEqual, values[1], [])
        case .values(let values):
            return values.contains { constant in
                ValueComparison.holds(value, .equal, constant, options) { left, right in
                    row.namesSameObject(left, right, in: path.steps.last?.target ?? "")
                }
            }
        case .path:
            preconditionFailure("The right path has been read into a value.")
        }
    }
}

extension BoundSubquery {
    fileprivate func matches(_ row: some RowSource) -> Bool {
        guard let target = count.path.steps.last?.target else { return false }
        var found: Int64 = 0
        row.walk(count.path.steps[...]) { element in
            if let object = row.object(at: element, in: target), condition.matches(object) { found += 1 }
            return true
        }
        return count.holds(.int(found), row.settled(count.operand), row)
    }
}

extension RowSource {
    /// Whether the values of a path meet a condition as the quantifier asks. The first value that decides it is the last
    /// that is read.
    func holds(_ quantifier: Quantifier, _ path: BoundPath, _ condition: (Value) -> Bool) -> Bool {
        var isDecided = false
        visit(path) { value in
            isDecided = quantifier.isDecided(by: condition(value))
            return !isDecided
        }
        return quantifier.answer(isDecided: isDecided)
    }

    /// The operand with a path's value in place of the path.
    fileprivate func settled(_ operand: Operand) -> Operand {
        if case .path(let other) = operand { .value(single(at: other)) } else { operand }
    }

    /// Hands `body` every value of a path until it answers false. An operator on a collection behind another one has a
    /// value for each of these collections.
    func visit(_ path: BoundPath, _ body: (Value) -> Bool) {
        guard let aggregate = path.aggregate, let last = path.steps.last else {
            walk(path.steps[...], body)
            return
        }
        guard path.foldsEach, let link = path.steps.dropLast().last else {
            _ = body(single(at: path))
            return
        }
        walk(path.steps.dropLast()) { value in
            guard let target = link.target, let owner = object(at: value, in: target) else { return true }
            return body(owner.single(at: BoundPath(steps: [last], aggregate: aggregate)))
        }
    }

    /// The one value of a to-one path or of an operator on a collection. An absent link on the way makes it null.
    func single(at path: BoundPath) -> Value {
        guard let aggregate = path.aggregate else {
            var result = Value.null
            walk(path.steps[...]) { value in
                result = value
                return false
            }
            return result
        }
        guard let type = path.steps.last?.type else { return .null }
        var fold = AggregateFold(aggregate, over: type)
        walk(path.steps[...]) { value in
            fold.add(value)
            return true
        }
        return fold.result
    }

    /// The value that a step reads if it is no collection; null for a key that its map does not have.
    package func value(at step: BoundPath.Step) -> Value {
        if let place = step.place {
            return place.element(of: elements(of: step.property, in: step.className)) ?? .null
        }
        guard let name = step.mapKey else { return value(of: step.property, in: step.className) }
        let keys = elements(of: ~step.property, in: step.className)
        // The last: a draft has what is put into a map behind what is there.
        guard let place = keys.lastIndex(of: .string(name.string)) else { return .null }
        let values = elements(of: step.property, in: step.className)
        return values.indices.contains(place) ? values[place] : .null
    }

    /// Hands `body` every value at the end of a path until it answers false. Returns false when it did.
    ///
    /// A link at the end counts as it stands, whether its object is here or not: otherwise `owner == nil` and
    /// `dogs.@count` would differ between a server and a device that holds a part of the objects.
    @discardableResult
    func walk(_ steps: ArraySlice<BoundPath.Step>, _ body: (Value) -> Bool) -> Bool {
        guard let step = steps.first else { return true }
        let rest = steps.dropFirst()
        if !step.nested.isEmpty { return walkNested(step, body) }
        guard step.collection == .none else {
            let found =
                step.direction == .forward
                ? elements(of: step.property, in: step.className) : origins(of: step.property, in: step.target)
            for element in found {
                guard rest.isEmpty else {
                    guard let target = step.target, let next = object(at: element, in: target) else { continue }
                    guard next.walk(rest, body) else { return false }
                    continue
                }
                guard body(element) else { return false }
            }
            return true
        }
        let value = value(at: step)
        guard !rest.isEmpty else { return body(value) }
        if !value.isNull, let target = step.target, let next = object(at: value, in: target) {
            return next.walk(rest, body)
        }
        // Beyond an absent link a single value is null; a list is empty.
        return rest.contains(where: \.isToMany) ? true : body(.null)
    }
}
