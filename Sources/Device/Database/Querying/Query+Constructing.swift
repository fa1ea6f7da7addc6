import CausewayModel
import CausewayQuery
import Foundation

// RealmSwift's functions that show a typed query as text. Tests of apps use them.

extension Query {
    /// A query for building conditions outside of `where`.
    ///
    /// ```swift
    /// let young = Query<Dog>._constructForTesting().age < 2
    /// ```
    public static func _constructForTesting() -> Query<T> { Query<T>() }
}

extension Query where T == Bool {
    /// The condition as a format string with the arguments of its placeholders.
    ///
    /// ```swift
    /// let (format, arguments) = (Query<Dog>._constructForTesting().age < 2)._constructPredicate()
    /// format                                                                // "(age < %@)"
    /// dogs.filter(NSPredicate(format: format, argumentArray: arguments))    // as dogs.where { $0.age < 2 }
    /// ```
    ///
    /// Shapes and comparisons with an object are written into the text and have no argument.
    public func _constructPredicate() -> (String, [Any]) {
        var format = FormatString()
        let text = format.text(condition, from: "")
        return (text, format.arguments)
    }
}

/// Writes a condition with placeholders for its values.
private struct FormatString {
    var arguments: [Any] = []

    /// - Parameter start: The prefix of every path: empty, or the variable of a SUBQUERY and a dot.
    mutating func text(_ predicate: CausewayQuery.Predicate, from start: String) -> String {
        switch predicate {
        case .constant, .geoWithin: return predicate.description
        case .and(let parts): return joined(parts, " && ", start)
        case .or(let parts): return joined(parts, " || ", start)
        case .not(let part): return "NOT \(text(part, from: start))"
        case .comparison(let comparison): return text(comparison, from: start)
        }
    }

    private mutating func joined(
        _ parts: [CausewayQuery.Predicate], _ separator: String, _ start: String
    ) -> String {
        var texts: [String] = []
        for part in parts { texts.append(text(part, from: start)) }
        return texts.count == 1 ? texts[0] : "(\(texts.joined(separator: separator)))"
    }

    private mutating func text(_ comparison: CausewayQuery.Comparison, from start: String) -> String {
        let before = arguments.count
        guard let left = operand(comparison.left, comparison, start),
            let right = operand(comparison.right, comparison, start)
        else {
            arguments.removeSubrange(before...)
            return "(\(comparison))"
        }
        return "(\(comparison.quantifier.text)\(left) \(comparison.operatorText) \(right))"
    }

    /// Nil for an expression that no argument can represent.
    private mutating func operand(
        _ expression: CausewayQuery.Expression, _ comparison: CausewayQuery.Comparison, _ start: String
    ) -> String? {
        switch expression {
        case .path(let path):
            return start + path.text
        case .subquery(let subquery):
            let condition = text(subquery.condition, from: "$col1.")
            return "SUBQUERY(\(start)\(subquery.collection.text), $col1, \(condition)).@count"
        case .value(let value):
            guard value.isNull || value.any != nil else { return nil }
            arguments.append(value.any ?? NSNull())
            return "%@"
        case .values(let values):
            guard values.allSatisfy({ $0.isNull || $0.any != nil }) else { return nil }
            let elements = values.map { $0.any ?? NSNull() }
            arguments += comparison.comparator == .between ? elements : [elements]
            return comparison.comparator == .between ? "{%@, %@}" : "%@"
        case .arithmetic, .quantified, .typeOf, .claim:
            return nil
        }
    }
}
