import CausewayModel
import CausewayQuery

/// A comparison of numbers of one type with constants of that type. Agrees with `ValueComparison`.
struct NumberRule<Number: Comparable> {
    private let comparator: Comparator
    private let constants: [Number]
    private let first: Number?
    /// Whether the comparison holds for null.
    let nullsMatch: Bool

    /// Nil when it is no comparison of numbers of this type.
    init?(_ comparator: Comparator, _ operand: [Value], _ number: (Value) -> Number?) {
        let constants = operand.compactMap(number)
        guard constants.count == operand.count(where: { !$0.isNull }) else { return nil }
        switch comparator {
        case .between: guard constants.count == 2 else { return nil }
        case .in: break
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard operand.count == 1 else { return nil }
        case .beginsWith, .endsWith, .contains, .like, .text: return nil
        }
        self.comparator = comparator
        self.constants = constants
        first = constants.first
        nullsMatch = NullRule(comparator, operand).nullsMatch
    }

    init(_ comparator: Comparator, _ constant: Number) {
        self.comparator = comparator
        constants = [constant]
        first = constant
        nullsMatch = comparator == .notEqual
    }

    @inline(__always)
    func holds(_ number: Number) -> Bool {
        // With nil as the only constant, every number differs and nothing else holds.
        guard let first else { return comparator == .notEqual }
        return switch comparator {
        case .equal: number == first
        case .notEqual: number != first
        case .less: number < first
        case .lessOrEqual: number <= first
        case .greater: number > first
        case .greaterOrEqual: number >= first
        case .between: number >= first && number <= constants[1]
        case .in: constants.contains(number)
        case .beginsWith, .endsWith, .contains, .like, .text: false
        }
    }
}

extension NumberRule<Int64> {
    init?(_ comparator: Comparator, _ operand: [Value]) {
        self.init(comparator, operand) { if case .int(let constant) = $0 { constant } else { nil } }
    }
}

extension NumberRule<Double> {
    /// A Float constant compares as the Double of the same amount.
    init?(_ comparator: Comparator, _ operand: [Value]) {
        self.init(comparator, operand) { value in
            switch value {
            case .double(let constant): constant
            case .float(let constant): Double(constant)
            default: nil
            }
        }
    }
}
