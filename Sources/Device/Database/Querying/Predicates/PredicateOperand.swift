import CausewayModel
import CausewayQuery
import Foundation

/// What an expression of a predicate stands for in a query.
indirect enum PredicateOperand {
    case path(PredicatePath)
    /// A value without any optional around it.
    case constant(Any?)
    case arithmetic(Arithmetic, of: Set<PredicateExpressions.VariableID>)
    case condition(PredicateTruth)
    /// The objects of a collection that meet a condition.
    case filtered(PredicatePath, PredicateTruth)
    /// How many objects of a collection meet a condition.
    case counted(Subquery, of: PredicateExpressions.VariableID)
    case range(lower: PredicateOperand, upper: PredicateOperand, isClosed: Bool)
    /// The first operand where the truth holds, the second where it fails.
    case choice(PredicateTruth, PredicateOperand, PredicateOperand)
    /// Evaluating it throws.
    case undefined

    /// The same with `transform` done to every operand that may come out of its choices.
    func mapped(_ transform: (PredicateOperand) throws -> PredicateOperand) throws -> PredicateOperand {
        switch self {
        case .undefined: .undefined
        case .choice(let truth, let yes, let no):
            .choice(truth, try yes.mapped(transform), try no.mapped(transform))
        default: try transform(self)
        }
    }

    func combined(
        with other: PredicateOperand, _ transform: (PredicateOperand, PredicateOperand) throws -> PredicateOperand
    ) throws -> PredicateOperand {
        // Each choice of one side meets each of the other.
        guard alternatives * other.alternatives <= Self.alternativesMax else {
            throw PredicateRefusal(
                "it combines more than \(Self.alternativesMax) cases of optional values",
                remedy: "Use fewer '??', '!' and 'if let' in one comparison.")
        }
        return try mapped { left in try other.mapped { right in try transform(left, right) } }
    }

    /// How many operands may come out of its choices.
    private var alternatives: Int {
        if case .choice(_, let yes, let no) = self { yes.alternatives + no.alternatives } else { 1 }
    }

    /// The most cases that one comparison or calculation is translated into: each becomes a part of the query.
    private static let alternativesMax = 256

    /// The operand as a condition.
    func truth() throws -> PredicateTruth {
        switch self {
        case .condition(let truth): return truth
        case .undefined: return .undefined
        case .choice(let truth, let yes, let no): return truth.choosing(try yes.truth(), try no.truth())
        case .constant(let value as Bool): return PredicateTruth(value)
        case .path: return try compared(.equal, .constant(true)).truth()
        case .constant, .arithmetic, .filtered, .counted, .range:
            throw PredicateRefusal("\(shown) is no condition", remedy: "Compare it with a value.")
        }
    }

    /// Whether there is a value.
    func isPresent() throws -> PredicateTruth {
        // The results of a map's values have those that are there.
        if case .path(let path) = self, path.path.names.isEmpty { return PredicateTruth(true) }
        return try compared(.notEqual, .constant(nil)).truth()
    }

    /// How a message names it.
    var shown: String {
        switch self {
        case .path(let path): "'\(path.text)'"
        case .constant(let value): "the constant '\(value.map { "\($0)" } ?? "nil")'"
        case .arithmetic: "a computed number"
        case .condition: "a condition"
        case .filtered(let path, _): "the filtered '\(path.text)'"
        case .counted(let subquery, _): "the count of the filtered '\(subquery.collection.text)'"
        case .range: "a range"
        case .choice(_, let yes, _): yes.shown
        case .undefined: "a missing value"
        }
    }
}

/// A path of property names that starts at a variable of a predicate.
struct PredicatePath {
    let variable: PredicateExpressions.VariableID
    var path = PropertyPath([])
    /// The Swift type of what it leads to.
    var type: Any.Type
    /// Whether it stands for one of the values of the collection that it names.
    var isElement = false

    init(variable: PredicateExpressions.VariableID, type: Any.Type) {
        self.variable = variable
        self.type = type
    }

    var text: String { path.names.isEmpty ? "\(type)" : path.text }

    /// The kind of collection at the end of the path.
    var collection: CollectionKind {
        if path.aggregate != nil || isElement { return .none }
        switch path.part {
        case .keys, .values: return .list
        case .value: return .none
        case nil: return (type as? any _Persistable.Type)?._shape.collection ?? .none
        }
    }

    /// The path to a property of the object at its end.
    func appending(_ name: String, _ type: Any.Type) -> PredicatePath {
        var result = self
        if case .value(let key) = path.part {
            result.path.places[path.names.count - 1] = .key(key)
            result.path.part = nil
        }
        result.path.names += name.split(separator: ".").map(String.init)
        result.type = type
        return result
    }

    /// The path to one element of the collection at its end.
    func element(_ place: ListPlace, _ type: Any.Type) -> PredicatePath {
        var result = self
        result.path.places[path.names.count - 1] = place
        result.type = type
        return result
    }

    func with(_ aggregate: Aggregate, _ type: Any.Type) -> PredicatePath {
        var result = self
        if path.part == .values || path.part == .keys { result.path.part = nil }
        result.path.aggregate = aggregate
        result.type = type
        return result
    }

    func with(_ part: MapPart, _ type: Any.Type) -> PredicatePath {
        var result = self
        result.path.part = part
        result.type = type
        return result
    }

    /// Whether this path is nil wherever the other one is.
    func goes(through other: PredicatePath) -> Bool {
        guard variable == other.variable, other.path.aggregate == nil, path.aggregate == nil else { return false }
        let count = other.path.names.count
        guard path.names.starts(with: other.path.names) else { return false }
        if path.names.count == count { return path == other.path }
        var start = other.path.places
        if case .value(let key) = other.path.part { start[count - 1] = .key(key) }
        return path.places.filter { $0.key < count } == start
    }
}
