package import CausewayQuery
package import Foundation

// A predicate of Foundation is a tree of generic types, `PredicateExpressions.X`. Each type that a query has a counterpart
// of conforms to `TranslatableExpression` and answers with the operand that it stands for. Other types have no conformance
// and are refused.

extension CausewayQuery.Predicate {
    /// The condition that holds for exactly the objects for which a predicate of Foundation evaluates to true.
    ///
    /// - Throws: `PredicateRefusal` for a predicate with a part that no query has.
    package init<Root>(translating predicate: Foundation.Predicate<Root>) throws {
        let root = PredicatePath(variable: predicate.variable.key, type: Root.self)
        let translation = PredicateTranslation(meanings: [predicate.variable.key: .path(root)])
        self = try translation.truth(predicate.expression).holds
    }
}

/// Why a predicate cannot be a query.
package struct PredicateRefusal: Error, CustomStringConvertible {
    package let description: String

    init(_ part: String, remedy: String) {
        description = "This #Predicate cannot be run over a Realm: \(part). \(remedy)"
    }
}

/// An expression that a query has a counterpart of.
protocol TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand
}

/// What the variables of a predicate stand for while its expressions are translated.
struct PredicateTranslation {
    var meanings: [PredicateExpressions.VariableID: PredicateOperand]

    /// What an expression stands for. An expression without the predicate's objects is a constant, which Foundation computes.
    func operand(_ expression: some PredicateExpression) throws -> PredicateOperand {
        if !Self.mentionsVariables(type(of: expression)), let constant = try? expression.evaluate(PredicateBindings()) {
            return .constant(flattened(constant))
        }
        guard let translatable = expression as? any TranslatableExpression else {
            throw PredicateRefusal.unknown(type(of: expression))
        }
        return try translatable.operand(self)
    }

    /// Whether an expression asks for an object. The types of all its parts are in the name of its type. Evaluating it
    /// would not tell: Foundation takes an optional variable without a value for nil.
    private static func mentionsVariables(_ type: Any.Type) -> Bool { "\(type)".contains("Variable<") }

    /// Whether an expression holds.
    func truth(_ expression: some PredicateExpression) throws -> PredicateTruth {
        try operand(expression).truth()
    }

    func binding(_ variable: PredicateExpressions.VariableID, to operand: PredicateOperand) -> Self {
        var inner = self
        inner.meanings[variable] = operand
        return inner
    }
}

extension PredicateRefusal {
    fileprivate static func unknown(_ type: Any.Type) -> PredicateRefusal {
        let name = "\(type)".prefix { $0 != "<" }
        let part =
            switch name {
            case "IntRemainder": "the remainder '%' has no counterpart in a query"
            case "TypeCheck", "ConditionalCast", "ForceCast": "a query does not tell types apart with 'is' and 'as'"
            case "StringContainsRegex": "a query has no regular expressions"
            case "CollectionRangeSubscript": "a query has no subscript with a range"
            default: "a query has no counterpart of '\(name)'"
            }
        return PredicateRefusal(
            part,
            remedy: name == "StringContainsRegex"
                ? "Use where with like, or filter the results with a closure." : "Filter the results with a closure.")
    }
}
