import CausewayModel
import CausewayQuery
import Foundation

extension PredicateOperand {
    /// A comparison of two operands, with every choice in them taken apart.
    func compared(_ comparator: CausewayQuery.Comparator, _ other: PredicateOperand) throws -> PredicateOperand {
        try combined(with: other) { left, right in .condition(try left.plainlyCompared(comparator, right)) }
    }

    private func plainlyCompared(
        _ comparator: CausewayQuery.Comparator, _ other: PredicateOperand
    ) throws -> PredicateTruth {
        switch (self, other) {
        case (.constant(let left), .constant(let right)):
            return PredicateTruth(
                ValueComparison.holds(
                    try Self.value(left, beside: self), comparator, try Self.value(right, beside: self), []))
        case (.condition(let truth), _):
            return truth.choosing(
                try PredicateOperand.constant(true).compared(comparator, other).truth(),
                try PredicateOperand.constant(false).compared(comparator, other).truth())
        case (_, .condition(let truth)):
            return truth.choosing(
                try compared(comparator, .constant(true)).truth(), try compared(comparator, .constant(false)).truth())
        case (.constant, _):
            guard let exchanged = comparator.exchanged else { throw Self.notOnTheLeft(self) }
            return try other.plainlyCompared(exchanged, self)
        case (.counted(let subquery, let variable), .constant(let constant)):
            let value = try Self.value(constant, beside: self)
            return PredicateTruth(.comparison(Comparison(.subquery(subquery), comparator, .value(value))), [variable])
        case (.arithmetic, .constant(nil)):
            return PredicateTruth(comparator == .notEqual)
        default:
            let (left, right) = (try expression(beside: other), try other.expression(beside: self))
            let variables = variables.union(other.variables)
            guard variables.count <= 1 else { throw Self.twoObjects(self, other) }
            return PredicateTruth(.comparison(Comparison(left, comparator, right)), variables)
        }
    }

    private func expression(beside other: PredicateOperand) throws -> CausewayQuery.Expression {
        switch self {
        case .path(let path):
            if path.path.names.isEmpty {
                throw PredicateRefusal(
                    "it compares an object as a whole", remedy: "Compare its properties, or use where.")
            }
            if path.collection != .none {
                throw PredicateRefusal(
                    "it compares the collection \(shown) as a whole",
                    remedy: "Ask for its count, or what it contains.")
            }
            return .path(path.path)
        case .constant(let constant): return .value(try Self.value(constant, beside: other))
        case .arithmetic(let arithmetic, _): return .arithmetic(arithmetic)
        case .counted:
            throw PredicateRefusal("\(shown) is not compared with a constant", remedy: "Compare it with a number.")
        case .filtered, .range, .condition, .choice, .undefined:
            throw PredicateRefusal("\(shown) cannot be compared", remedy: "Ask for its count, or what it contains.")
        }
    }

    /// The objects whose properties it reads.
    var variables: Set<PredicateExpressions.VariableID> {
        switch self {
        case .path(let path): [path.variable]
        case .arithmetic(_, let variables): variables
        case .counted(_, let variable): [variable]
        case .filtered(let path, _): [path.variable]
        case .condition(let truth): truth.variables
        case .range(let lower, let upper, _): lower.variables.union(upper.variables)
        case .choice(let truth, let yes, let no): truth.variables.union(yes.variables).union(no.variables)
        case .constant, .undefined: []
        }
    }

    /// A constant in the form that the store compares.
    static func value(_ constant: Any?, beside other: PredicateOperand) throws -> Value {
        let constant: Any? =
            switch constant {
            case let character as Character: String(character)
            case let text as Substring: String(text)
            default: constant
            }
        if let constant, (type(of: constant) as? any _Persistable.Type)?._shape.isMapped == true {
            throw PredicateRefusal(
                "\(other.shown) is stored as an object", remedy: "Use where, which compares it by its members.")
        }
        guard let value = singleValue(constant) else {
            throw PredicateRefusal(
                "a constant of type '\(constant.map { "\(type(of: $0))" } ?? "nil")' is no value that a property can hold",
                remedy: "Compare with a value of the property's type.")
        }
        return value
    }

    private static func notOnTheLeft(_ operand: PredicateOperand) -> PredicateRefusal {
        PredicateRefusal(
            "\(operand.shown) stands where a query needs a property", remedy: "Filter the results with a closure.")
    }

    private static func twoObjects(_ left: PredicateOperand, _ right: PredicateOperand) -> PredicateRefusal {
        PredicateRefusal(
            "\(left.shown) and \(right.shown) belong to two objects, and a query compares values of one object",
            remedy: "Filter the results with a closure.")
    }

    // MARK: - Text

    /// Whether a text or bytes begin with, or contain, others. An empty text is in every text, as it is in Swift.
    func searched(_ comparator: CausewayQuery.Comparator, for part: PredicateOperand) throws -> PredicateOperand {
        try combined(with: part) { text, part in
            let truth = try text.plainlyCompared(comparator, part)
            if case .constant(let constant) = part {
                let isEmpty = (constant as? any Collection)?.isEmpty == true
                return .condition(isEmpty ? PredicateTruth(true) : truth)
            }
            let empty: PredicateOperand = if case .path(let path) = part { path.emptyText } else { .constant("") }
            return .condition(try part.compared(.equal, empty).truth() || truth)
        }
    }
}

extension PredicatePath {
    /// The empty value of its type: of bytes or of a text.
    var emptyText: PredicateOperand { .constant(type == Data.self ? Data() : "") }
}
