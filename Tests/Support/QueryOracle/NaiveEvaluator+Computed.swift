import CausewayModel
import CausewayObjectStoreReference
import CausewayQuery

// Arithmetic, types and places in lists, each as the grammar's page words it.

extension NaiveEvaluator {
    func holds(_ computation: BoundComputation, _ key: ObjectKey, _ className: String) -> Bool {
        guard let elements = computation.elements else { return holds(computation, .null, key, className) }
        let answers = values(of: elements, key, className).map { holds(computation, $0, key, className) }
        switch computation.quantifier {
        case .implied, .any: return answers.contains(true)
        case .all: return !answers.contains(false)
        case .none: return !answers.contains(true)
        }
    }

    private func holds(
        _ computation: BoundComputation, _ element: Value, _ key: ObjectKey, _ className: String
    ) -> Bool {
        let rule = NaiveComparison()
        let left = value(computation.left, element, key, className)
        switch computation.right {
        case .one(let right):
            return rule.holds(left, computation.comparator, value(right, element, key, className))
        case .list(let values) where computation.comparator == .in:
            return values.contains { rule.holds(left, .equal, $0) }
        case .list(let values):
            return rule.holds(left, .greaterOrEqual, values[0]) && rule.holds(left, .lessOrEqual, values[1])
        }
    }

    private func value(
        _ arithmetic: BoundArithmetic, _ element: Value, _ key: ObjectKey, _ className: String
    ) -> Value {
        switch arithmetic {
        case .value(let value): return value
        case .element: return element
        case .path(let path):
            let found = values(of: path, key, className)
            return path.aggregate.map { fold($0, found, path) } ?? found.first ?? .null
        case .operation(let left, let sign, let right):
            return NaiveArithmetic.result(
                value(left, element, key, className), sign, value(right, element, key, className))
        }
    }

    func holds(_ test: BoundTypeTest, _ key: ObjectKey, _ className: String) -> Bool {
        var wanted: Set<StoredType> = []
        switch test.right {
        case .types(let types): wanted = types
        case .path(let other): wanted = [type(values(of: other, key, className).first ?? .null)]
        }
        let answers = values(of: test.path, key, className).map { wanted.contains(type($0)) != test.isNegated }
        switch test.quantifier {
        case .implied: return answers == [true]
        case .any: return answers.contains(true)
        case .all: return !answers.contains(false)
        case .none: return !answers.contains(true)
        }
    }

    private func type(_ value: Value) -> StoredType {
        switch store.collections[value] {
        case .list: return .list
        case .map: return .dictionary
        case nil: break
        }
        return switch value {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .string: .string
        case .bytes: .binary
        case .timestamp: .date
        case .objectId: .objectId
        case .uuid: .uuid
        default: .object
        }
    }
}

/// One element of a list, or null.
func naiveElement(_ list: [Value], _ place: ListPlace) -> Value {
    switch place {
    case .first: list.first ?? .null
    case .last: list.last ?? .null
    case .at(let index): index < list.count ? list[index] : .null
    // Steps with these have no place: a key is the map's, and every element is what a collection stands for.
    case .key, .each: preconditionFailure("a bound list has positions alone")
    }
}

/// Ints in 128 bits and cut to 64 afterwards; everything else as floating point or decimals have it.
enum NaiveArithmetic {
    static func result(_ left: Value, _ sign: ArithmeticOperator, _ right: Value) -> Value {
        if case .int(let left) = left, case .int(let right) = right {
            let (left, right) = (Int128(left), Int128(right))
            switch sign {
            case .plus: return .int(Int64(clamping: left + right))
            case .minus: return .int(Int64(clamping: left - right))
            case .times: return .int(Int64(clamping: left * right))
            case .divided: return right == 0 ? .null : .int(Int64(clamping: left / right))
            }
        }
        if isDecimal(left) || isDecimal(right) {
            guard let left = NaiveNumber.decimal(left), let right = NaiveNumber.decimal(right) else { return .null }
            switch sign {
            case .plus: return .decimal(left + right)
            case .minus: return .decimal(left - right)
            case .times: return .decimal(left * right)
            case .divided: return .decimal(left / right)
            }
        }
        guard let left = NaiveNumber(left), let right = NaiveNumber(right) else { return .null }
        // An int beside a double is the nearest double.
        let (first, second) = (Double(left.amount), Double(right.amount))
        switch sign {
        case .plus: return .double(first + second)
        case .minus: return .double(first - second)
        case .times: return .double(first * second)
        case .divided: return .double(first / second)
        }
    }

    private static func isDecimal(_ value: Value) -> Bool {
        if case .decimal = value { true } else { false }
    }
}
