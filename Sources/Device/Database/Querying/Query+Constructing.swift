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
    /// The condition as a format string with the arguments of its placeholders, in RealmSwift's spelling.
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
        let text = format.text(written)
        return (text, format.arguments)
    }

    /// The condition as it was written.
    var written: WrittenCondition {
        switch part {
        case .path(let path): .truth(path.expression, isTrue: true)
        case .condition(_, _, let written): written
        case .count: .leaf(condition, isPlural: false)
        }
    }
}

/// A condition as the app wrote it. The condition that runs has lost the nesting of `&&`, and whether a Bool stood alone.
indirect enum WrittenCondition {
    /// A comparison, or a condition that no operator made.
    case leaf(CausewayQuery.Predicate, isPlural: Bool)
    /// The comparison of a count of elements.
    case counted(CausewayQuery.Comparison, elements: WrittenCondition)
    /// A Bool property without an operator.
    case truth(CausewayQuery.Expression, isTrue: Bool)
    case not(WrittenCondition)
    case both(WrittenCondition, WrittenCondition)
    case either(WrittenCondition, WrittenCondition)

    var negated: WrittenCondition {
        if case .truth(let path, true) = self { return .truth(path, isTrue: false) }
        return .not(self)
    }
}

extension WrittenCondition {
    /// The same with each predicate changed.
    func mappingPredicates(_ change: (CausewayQuery.Predicate) -> CausewayQuery.Predicate) -> WrittenCondition {
        switch self {
        case .leaf(let predicate, _): return .leaf(change(predicate), isPlural: false)
        case .truth(let path, let isTrue):
            guard case .comparison(let changed) = change(.comparison(Comparison(path, .equal, .value(.bool(true)))))
            else { return self }
            return .truth(changed.left, isTrue: isTrue)
        case .counted: return self
        case .not(let part): return .not(part.mappingPredicates(change))
        case .both(let left, let right): return .both(left.mappingPredicates(change), right.mappingPredicates(change))
        case .either(let left, let right):
            return .either(left.mappingPredicates(change), right.mappingPredicates(change))
        }
    }
}

/// Writes a condition with placeholders for its values.
private struct FormatString {
    var arguments: [Any] = []
    /// How many subqueries have begun: each has a variable of its own.
    private var subqueryCount = 0
    /// What stands before every path: nothing, or the variable of a SUBQUERY and a dot.
    private var start = ""

    mutating func text(_ condition: WrittenCondition, negation: String = "") -> String {
        switch condition {
        case .leaf(let predicate, let isPlural): return text(predicate, isPlural: isPlural, negation: negation)
        case .counted(let comparison, let elements):
            guard case .subquery(let subquery) = comparison.left else { return "\(comparison)" }
            subqueryCount += 1
            let (outer, variable) = (start, "$col\(subqueryCount)")
            start = variable + "."
            let inner = text(elements)
            start = outer
            let count = "SUBQUERY(\(start)\(subquery.collection.text), \(variable), \(inner)).@count"
            guard let right = operand(comparison.right, comparison) else { return "(\(comparison))" }
            return "(\(negation)\(count) \(comparison.operatorText) \(right))"
        case .truth(let path, let isTrue):
            return "\(operand(path) ?? "\(path)") == \(isTrue)"
        case .not(let part): return text(part, negation: "NOT ")
        case .both(let left, let right): return "\(negation)(\(text(left)) && \(text(right)))"
        case .either(let left, let right): return "\(negation)(\(text(left)) || \(text(right)))"
        }
    }

    private mutating func text(
        _ predicate: CausewayQuery.Predicate, isPlural: Bool, negation: String
    ) -> String {
        switch predicate {
        case .constant, .geoWithin: return negation + predicate.description
        case .and(let parts): return negation + joined(parts, " && ")
        case .or(let parts): return negation + joined(parts, " || ")
        case .not(let part): return text(part, isPlural: isPlural, negation: "NOT ")
        case .comparison(let comparison): return text(comparison, isPlural: isPlural, negation: negation)
        }
    }

    private mutating func joined(_ parts: [CausewayQuery.Predicate], _ separator: String) -> String {
        var joined = ""
        for part in parts {
            let text = text(part, isPlural: false, negation: "")
            joined = joined.isEmpty ? text : "(\(joined)\(separator)\(text))"
        }
        return joined
    }

    private mutating func text(
        _ comparison: CausewayQuery.Comparison, isPlural: Bool, negation: String
    ) -> String {
        let before = arguments.count
        // An element that a collection contains stands before it.
        if comparison.quantifier == .any, comparison.comparator == .equal, isPlural {
            if let element = operand(comparison.right, comparison), let collection = operand(comparison.left) {
                return "(\(negation)\(element) IN \(collection))"
            }
        } else if let left = operand(comparison.left, comparison), let right = operand(comparison.right, comparison) {
            let any = isPlural && !comparison.left.isNested ? "ANY " : comparison.quantifier.text
            return "(\(negation)\(any)\(left) \(comparison.operatorText) \(right))"
        }
        arguments.removeSubrange(before...)
        return "(\(negation)\(comparison))"
    }

    /// Nil for an expression that no argument can represent.
    private mutating func operand(
        _ expression: CausewayQuery.Expression, _ comparison: CausewayQuery.Comparison? = nil
    ) -> String? {
        switch expression {
        case .path(let path):
            return start + text(path)
        case .value(let value):
            guard value.isNull || value.any != nil else { return nil }
            arguments.append(value.any ?? NSNull())
            return "%@"
        case .values(let values):
            guard values.allSatisfy({ $0.isNull || $0.any != nil }) else { return nil }
            let elements = values.map { $0.any ?? NSNull() }
            arguments += comparison?.comparator == .between ? elements : [elements]
            return comparison?.comparator == .between ? "{%@, %@}" : "%@"
        case .subquery, .arithmetic, .quantified, .typeOf, .claim:
            return nil
        }
    }

    /// A path with RealmSwift's names for the parts of a map, and placeholders for keys and positions.
    private mutating func text(_ path: PropertyPath) -> String {
        let place = path.places[path.names.count - 1]
        guard path.aggregate == nil, path.places.count == (place == nil ? 0 : 1) else { return path.text }
        var text = PropertyPath(path.names).text
        if let place {
            guard case .at(let index) = place else { return path.text }
            text += "[%@]"
            arguments.append(index)
        }
        switch path.part {
        case nil: break
        case .keys: text += ".@allKeys"
        case .values: text += ".@allValues"
        case .value(let key):
            text += "[%@]"
            arguments.append(key.string)
        }
        for step in path.nested {
            switch step {
            case .index(let index):
                text += "[%@]"
                arguments.append(index)
            case .key(let key):
                text += "[%@]"
                arguments.append(key.string)
            default:
                text += "[#any]"
            }
        }
        return text
    }
}

extension CausewayQuery.Expression {
    /// Whether it looks into a mixed value: `[#any]` says that any element will do.
    fileprivate var isNested: Bool {
        if case .path(let path) = self { !path.nested.isEmpty || !path.places.isEmpty } else { false }
    }
}
