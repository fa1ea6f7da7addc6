import CausewayModel
import CausewayQuery
import Foundation

// MARK: - Ranges

extension PredicateExpressions.Range: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        .range(lower: try translation.operand(lower), upper: try translation.operand(upper), isClosed: false)
    }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        .range(lower: try translation.operand(lower), upper: try translation.operand(upper), isClosed: true)
    }
}

/// A range that a predicate captured.
private protocol CapturedRange {
    var capturedBounds: (lower: Any?, upper: Any?, isClosed: Bool) { get }
}

extension Range: CapturedRange {
    fileprivate var capturedBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: CapturedRange {
    fileprivate var capturedBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, upperBound, true) }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate var capturedBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, nil, true) }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate var capturedBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, false) }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate var capturedBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, true) }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try checkOrder(of: Element.Output.self)
        let element = try translation.operand(self.element)
        return try translation.operand(range).mapped { range in
            switch range {
            case .range(let lower, let upper, let isClosed):
                let lies = try element.lies(from: lower, to: upper, isClosed)
                // Swift makes no range whose bounds are the wrong way round.
                return .choice(try lower.compared(.lessOrEqual, upper).truth(), lies, .undefined)
            case .constant(let captured as any CapturedRange):
                let (lower, upper, isClosed) = captured.capturedBounds
                return try element.lies(
                    from: lower.map { .constant($0) }, to: upper.map { .constant($0) }, isClosed)
            default:
                throw PredicateRefusal(
                    "a query cannot ask \(range.shown) for its values", remedy: "Compare the bounds.")
            }
        }
    }
}

extension PredicateOperand {
    fileprivate func lies(
        from lower: PredicateOperand?, to upper: PredicateOperand?, _ isClosed: Bool
    ) throws -> PredicateOperand {
        var truth = PredicateTruth(true)
        if let lower { truth = truth && (try compared(.greaterOrEqual, lower).truth()) }
        if let upper { truth = truth && (try compared(isClosed ? .lessOrEqual : .less, upper).truth()) }
        return .condition(truth)
    }
}

// MARK: - Elements

private func members(of sequence: some Sequence) -> [Any?] { sequence.map { flattened($0) } }

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        let element = try translation.operand(self.element)
        return try translation.operand(sequence).combined(with: element) { sequence, element in
            switch sequence {
            case .path(let path) where path.type == String.self: return try sequence.searched(.contains, for: element)
            case .path(let path) where path.collection != .none: return .condition(try path.contains(element))
            case .constant(let constant?): return .condition(try Self.isAmong(constant, element))
            default:
                throw PredicateRefusal(
                    "a query cannot search \(sequence.shown)", remedy: "Ask a collection that a property holds.")
            }
        }
    }

    /// Whether a captured collection has the element.
    private static func isAmong(_ collection: Any, _ element: PredicateOperand) throws -> PredicateTruth {
        guard let collection = collection as? any Sequence else {
            throw PredicateRefusal("'\(type(of: collection))' is no collection", remedy: "Hand over an array or a set.")
        }
        guard case .path(let path) = element, path.collection == .none, !path.path.names.isEmpty else {
            return try members(of: collection).reduce(PredicateTruth(false)) { truth, member in
                truth || (try element.compared(.equal, .constant(member)).truth())
            }
        }
        let values = try members(of: collection).map { try PredicateOperand.value($0, beside: element) }
        return PredicateTruth(.comparison(Comparison(.path(path.path), .in, .values(values))), [path.variable])
    }
}

extension PredicatePath {
    fileprivate func contains(_ element: PredicateOperand) throws -> PredicateTruth {
        try refuseMixedValues()
        let value: CausewayQuery.Expression
        switch element {
        case .constant(let constant): value = .value(try PredicateOperand.value(constant, beside: .path(self)))
        case .path(let other) where other.variable == variable && other.collection == .none:
            value = .path(other.path)
        default:
            throw PredicateRefusal(
                "a query cannot search '\(text)' for \(element.shown)", remedy: "Search for a constant or a property.")
        }
        return PredicateTruth(
            .comparison(Comparison(quantifier: .any, .path(path), .equal, value)), [variable])
    }

    fileprivate func refuseMixedValues() throws {
        let isMixed = (type as? any RealmCollectionBase.Type)?.holdsMixedValues ?? (type == [AnyRealmValue].self)
        guard isMixed else { return }
        throw PredicateRefusal(
            "a query compares mixed values in another way than Swift, such as 1 and 1.0", remedy: "Use where.")
    }
}

extension RealmCollectionBase {
    fileprivate static var holdsMixedValues: Bool { Element.self == AnyRealmValue.self }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try elements(translation.operand(sequence), variable.key, LHS.Output.Element.self, test, translation) {
            .condition(try $0.any())
        }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try elements(translation.operand(sequence), variable.key, LHS.Output.Element.self, test, translation) {
            .condition(try $0.all())
        }
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try elements(translation.operand(sequence), variable.key, LHS.Output.Element.self, filter, translation) {
            guard case .objects(let path, let truth) = $0 else {
                throw PredicateRefusal(
                    "a query can filter a collection of objects, but not one of values",
                    remedy: "Ask with contains or allSatisfy.")
            }
            return .filtered(path, truth)
        }
    }
}

/// A condition on the elements of a collection.
private enum ElementCondition {
    case objects(PredicatePath, PredicateTruth)
    case values(QuantifiedValues, PredicateTruth)
    /// The elements are constants.
    case constants([PredicateTruth])

    func any() throws -> PredicateTruth {
        switch self {
        case .objects(let path, let truth):
            let fails = truth.fails.map { Self.count(path, PredicateTruth.negation(of: $0), .equal) }
            return PredicateTruth(Self.count(path, truth.holds, .greater), fails: fails, [path.variable])
        case .values(let values, let truth): return try values.any(truth)
        case .constants(let truths): return truths.reduce(PredicateTruth(false)) { $0 || $1 }
        }
    }

    func all() throws -> PredicateTruth {
        switch self {
        case .objects(let path, let truth):
            let fails = truth.fails.map { Self.count(path, $0, .greater) }
            return PredicateTruth(
                Self.count(path, PredicateTruth.negation(of: truth.holds), .equal), fails: fails, [path.variable])
        case .values(let values, let truth): return try values.all(truth)
        case .constants(let truths): return truths.reduce(PredicateTruth(true)) { $0 && $1 }
        }
    }

    /// Compares the number of objects that meet a condition with zero.
    private static func count(
        _ path: PredicatePath, _ condition: CausewayQuery.Predicate, _ comparator: CausewayQuery.Comparator
    ) -> CausewayQuery.Predicate {
        .comparison(Comparison(.subquery(Subquery(path.path, where: condition)), comparator, .value(.int(0))))
    }
}

private func elements(
    _ sequence: PredicateOperand, _ variable: PredicateExpressions.VariableID, _ type: Any.Type,
    _ test: some PredicateExpression, _ translation: PredicateTranslation,
    _ result: (ElementCondition) throws -> PredicateOperand
) throws -> PredicateOperand {
    try sequence.mapped { sequence in
        switch sequence {
        case .path(let path) where path.collection != .none && type is ObjectBase.Type:
            let element = PredicatePath(variable: variable, type: type)
            let truth = try translation.binding(variable, to: .path(element)).truth(test)
            guard truth.variables.isSubset(of: [variable]) else {
                throw PredicateRefusal(
                    "the condition on the elements of '\(path.text)' looks at another object, too",
                    remedy: "Move that part out of the closure, or filter the results with a closure.")
            }
            return try result(.objects(path, truth))
        case .path(let path)
        where path.collection != .none && (type as? any _Persistable.Type)?._shape.collection == CollectionKind.none:
            try path.refuseMixedValues()
            var element = path
            element.type = type
            element.isElement = true
            let truth = try translation.binding(variable, to: .path(element)).truth(test)
            return try result(.values(QuantifiedValues(path: path), truth))
        case .constant(let constant as any Sequence):
            let truths = try members(of: constant).map {
                try translation.binding(variable, to: .constant($0)).truth(test)
            }
            return try result(.constants(truths))
        default:
            throw PredicateRefusal(
                "a query cannot ask \(sequence.shown) for its elements",
                remedy: "Ask a collection that a property holds. Ask a map for its keys or values.")
        }
    }
}
