import CausewayModel
import CausewayQuery
import Foundation

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try aggregated(translation.operand(elements), .minimum, Elements.Output.Element.self, Output.self)
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try aggregated(translation.operand(elements), .maximum, Elements.Output.Element.self, Output.self)
    }
}

private func aggregated(
    _ elements: PredicateOperand, _ aggregate: Aggregate, _ type: Any.Type, _ output: Any.Type
) throws -> PredicateOperand {
    let known: [Any.Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Float.self, Double.self, Decimal128.self, Date.self,
    ]
    return try elements.mapped { elements in
        guard case .path(let path) = elements, path.collection != .none, path.path.part != .keys,
            known.contains(where: { $0 == type })
        else {
            throw PredicateRefusal(
                "a query cannot ask \(elements.shown) for its \(aggregate == .minimum ? "min" : "max")",
                remedy: "Ask a collection of numbers or dates.")
        }
        return .path(path.with(aggregate, output))
    }
}

// MARK: - One element of a list

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        guard case .constant(let index as Int) = try translation.operand(self.index) else {
            throw PredicateRefusal("the position of an element is not a constant number", remedy: "Use a constant.")
        }
        return try translation.operand(wrapped).mapped { collection in
            guard case .path(let path) = collection, path.collection == .list, path.path.part == nil,
                Wrapped.Output.self is any _ListType.Type
            else {
                throw PredicateRefusal(
                    "a query cannot ask \(collection.shown) for the element at a position", remedy: "Ask a List.")
            }
            guard index >= 0 else { return .undefined }
            let isThere = try PredicateOperand.path(path.with(.count, Int.self)).compared(.greater, .constant(index))
            return .choice(try isThere.truth(), .path(path.element(.at(index), Output.self)), .undefined)
        }
    }
}

/// A list, whose elements have places that a query can name.
private protocol _ListType {}

extension List: _ListType {}
