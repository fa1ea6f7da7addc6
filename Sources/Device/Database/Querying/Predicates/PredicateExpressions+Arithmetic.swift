import CausewayModel
import CausewayQuery
import Foundation

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        let sign: ArithmeticOperator =
            switch op {
            case .add: .plus
            case .subtract: .minus
            case .multiply: .times
            @unknown default:
                throw PredicateRefusal("a query has no operator '\(op)'", remedy: "Use +, - or *.")
            }
        return try computed(translation.operand(lhs), sign, translation.operand(rhs), Output.self)
    }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try computed(translation.operand(lhs), .divided, translation.operand(rhs), Output.self)
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try computed(translation.operand(lhs), .divided, translation.operand(rhs), Output.self)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        // Times -1 and not 0 minus: the negation of 0.0 is -0.0.
        let factor: PredicateOperand = Output.self == Double.self ? .constant(-1.0) : .constant(-1)
        return try computed(factor, .times, translation.operand(wrapped), Output.self)
    }
}

private func computed(
    _ left: PredicateOperand, _ sign: ArithmeticOperator, _ right: PredicateOperand, _ type: Any.Type
) throws -> PredicateOperand {
    if type == Float.self {
        throw PredicateRefusal(
            "a query computes in doubles, and Swift computes with Float in floats", remedy: "Declare a Double.")
    }
    return try left.combined(with: right) { left, right in
        let variables = left.variables.union(right.variables)
        guard variables.count <= 1 else {
            throw PredicateRefusal(
                "\(left.shown) and \(right.shown) belong to two objects, and a query computes with values of one object",
                remedy: "Filter the results with a closure.")
        }
        return .arithmetic(.operation(try left.arithmetic(), sign, try right.arithmetic()), of: variables)
    }
}

extension PredicateOperand {
    fileprivate func arithmetic() throws -> CausewayQuery.Arithmetic {
        switch self {
        case .path(let path) where path.collection == .none && !path.path.names.isEmpty: .path(path.path)
        case .constant(let constant): .value(try Self.value(constant, beside: self))
        case .arithmetic(let arithmetic, _): arithmetic
        default: throw PredicateRefusal("a query cannot compute with \(shown)", remedy: "Compare it by itself.")
        }
    }
}
