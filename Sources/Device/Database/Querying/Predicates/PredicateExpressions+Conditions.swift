import CausewayQuery
import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        .condition(try translation.truth(lhs) && translation.truth(rhs))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        .condition(try translation.truth(lhs) || translation.truth(rhs))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        .condition(!(try translation.truth(wrapped)))
    }
}

extension PredicateExpressions.Equal: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try compared(translation.operand(lhs), .equal, translation.operand(rhs), LHS.Output.self)
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try compared(translation.operand(lhs), .notEqual, translation.operand(rhs), LHS.Output.self)
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try checkOrder(of: LHS.Output.self)
        let comparator: CausewayQuery.Comparator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default:
                throw PredicateRefusal("a query has no comparison '\(op)'", remedy: "Use <, <=, > or >=.")
            }
        return try translation.operand(lhs).compared(comparator, translation.operand(rhs))
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        let truth = try translation.truth(test)
        return .choice(truth, try translation.operand(trueBranch), try translation.operand(falseBranch))
    }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try translation.operand(self.wrapped).mapped { wrapped in
            if case .constant(nil) = wrapped { return wrapped }
            guard case .path(var path) = wrapped else {
                return try translation.binding(variable.key, to: wrapped).operand(transform)
            }
            path.type = Wrapped.self
            let result = try translation.binding(variable.key, to: .path(path)).operand(transform)
            // Beyond an empty link a path is nil by itself.
            if case .path(let longer) = result, longer.goes(through: path) { return result }
            return .choice(try wrapped.isPresent(), result, .constant(nil))
        }
    }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try translation.operand(lhs).mapped { value in
            switch value {
            case .constant(nil): return try translation.operand(rhs)
            case .path(var path):
                path.type = RHS.Output.self
                return .choice(try value.isPresent(), .path(path), try translation.operand(rhs))
            default: return value
            }
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try translation.operand(inner).mapped { value in
            switch value {
            case .constant(nil): return .undefined
            case .path(var path):
                path.type = Wrapped.self
                return .choice(try value.isPresent(), .path(path), .undefined)
            default: return value
            }
        }
    }
}

// MARK: - What Swift compares as the store does

/// Compares two values for equality, which a query decides by what is stored.
private func compared(
    _ left: PredicateOperand, _ comparator: CausewayQuery.Comparator, _ right: PredicateOperand, _ type: Any.Type
) throws -> PredicateOperand {
    let type = (type as? any OptionalType.Type)?.wrappedType ?? type
    if type == AnyRealmValue.self {
        throw PredicateRefusal(
            "a query compares mixed values in another way than Swift, such as 1 and 1.0", remedy: "Use where.")
    }
    if type == Text.self {
        throw PredicateRefusal("it compares a Text as a whole", remedy: "Compare its 'string'.")
    }
    return try left.compared(comparator, right)
}

/// Stops at types whose order is not that of their stored values.
func checkOrder(of type: Any.Type) throws {
    let known: [Any.Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Float.self, Double.self, Decimal128.self, String.self,
        Date.self, Duration.self, Counter.self, ObjectId.self, UUID.self,
    ]
    guard known.contains(where: { $0 == type }) else {
        throw PredicateRefusal(
            "the order of '\(type)' is its own, and a query orders by what is stored",
            remedy: "Compare its rawValue or another stored property, or use where.")
    }
}
