import CausewayModel

/// A comparison after its constant was converted to the property's type.
enum Converted {
    case comparison(Comparator, Value)
    /// Holds for no value, null included.
    case never
    /// Holds for every value, null included.
    case always
    /// Holds for every value but null.
    case notNull
}

extension Binder {
    /// Turns a constant into a value of the path's type, changing the operator where only that keeps the meaning:
    /// `age < 2.5` over ints is `age <= 2`.
    ///
    /// Ints take any number exactly. Doubles and Floats take any number as the nearest they can hold, as a property set
    /// to that number would. Decimals take a Double or Float as the decimal that it prints as.
    func convert(_ value: Value, _ comparator: Comparator, _ path: ResolvedPath) throws(QueryError) -> Converted {
        if value.isNull { return convertNull(comparator, path) }
        switch (path.type, value) {
        case (.bool, .bool), (.string, .string), (.data, .bytes), (.date, .timestamp), (.objectId, .objectId),
            (.uuid, .uuid), (.object, .object), (.object, .link):
            return .comparison(comparator, value)
        // A text that other SDKs cannot print stands as base 64.
        case (.string, .bytes(let bytes)):
            guard let text = String(validating: bytes, as: UTF8.self) else { throw mismatch(value, path) }
            return .comparison(comparator, .string(text))
        case (.bool, .int(0)), (.bool, .double(0)), (.bool, .float(0)), (.bool, .decimal(.zero)):
            return .comparison(comparator, .bool(false))
        case (.bool, .int(1)), (.bool, .double(1)), (.bool, .float(1)), (.bool, .decimal(DecimalNumber(1))):
            return .comparison(comparator, .bool(true))
        case (.object, .anyLink(let link)) where link.className == path.target:
            return .comparison(comparator, .link(link.key))
        // Links without a class could lead anywhere.
        case (.mixed, .object), (.mixed, .link): throw mismatch(value, path)
        case (.mixed, _): return .comparison(comparator, value)
        case (.decimal128, .bool(let value)):
            return .comparison(comparator, .decimal(DecimalNumber(value ? 1 : 0)))
        case (.decimal128, _):
            guard let number = ValueComparison.decimal(value) else { throw mismatch(value, path) }
            return .comparison(comparator, .decimal(number))
        case (.int, _), (.float, _), (.double, _):
            guard let number = Number(value) else { throw mismatch(value, path) }
            return number.converted(comparator, to: path.type)
        default:
            throw mismatch(value, path)
        }
    }

    private func convertNull(_ comparator: Comparator, _ path: ResolvedPath) -> Converted {
        switch comparator {
        case .equal, .lessOrEqual, .greaterOrEqual: path.isNullable ? .comparison(.equal, .null) : .never
        case .notEqual: path.isNullable ? .comparison(.notEqual, .null) : .always
        case .like: .comparison(.equal, .null)
        case .less, .greater, .between: .never
        // An absent needle is an empty one, and an empty needle matches nothing.
        case .beginsWith, .endsWith, .contains, .text: .never
        case .in: preconditionFailure("IN converts by its elements.")
        }
    }

    private func mismatch(_ value: Value, _ path: ResolvedPath) -> QueryError {
        QueryError(
            .value,
            "Expected object of type \(path.shownType) for property '\(path.name)' on object of type "
                + "'\(path.className)', but received: \(value.shown) (Invalid value)",
            remedy: Self.remedy(for: value, path.type)
        )
    }

    private static func remedy(for value: Value, _ type: PropertyType) -> String? {
        switch (type, value) {
        case (.objectId, .string): "A string is never converted: hand over an ObjectId, or write oid(…)."
        case (.uuid, .string): "A string is never converted: hand over a UUID, or write uuid(…)."
        case (.date, _): "Write 2026-01-31@12:00:00 in UTC or T<seconds>:<nanoseconds>, or hand over a Date with %@."
        case (.data, _): "Hand over a Data with %@, or write B64\"…\"."
        case (.mixed, _): "Hand over an AnyRealmValue.object with %@, or write link('Class', key)."
        case (.object, _):
            "Compare one of its properties, as in \"owner.name == 'Ann'\", or hand over an object with %@."
        case (.string, _): "Put the text in quotation marks, or hand over a String with %@."
        default: nil
        }
    }
}

// MARK: - Numbers

/// A constant that can stand where any number is wanted.
private enum Number {
    case int(Int64)
    case double(Double)
    case decimal(DecimalNumber)

    /// A Bool counts as 0 or 1, as it does in NSNumber.
    init?(_ value: Value) {
        switch value {
        case .int(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .float(let value): self = .double(Double(value))
        case .bool(let value): self = .int(value ? 1 : 0)
        case .decimal(let value): self = .decimal(value)
        default: return nil
        }
    }

    func converted(_ comparator: Comparator, to type: PropertyType) -> Converted {
        switch (self, type) {
        case (.int(let value), .int): .comparison(comparator, .int(value))
        case (.double(let value), .int): Self.int(comparator, value)
        case (.int(let value), .float): .comparison(comparator, .float(Float(value)))
        case (.double(let value), .float): Self.float(comparator, value)
        case (.decimal(let value), .int): Self.int(comparator, value)
        case (.decimal(let value), .float): Self.float(comparator, value)
        case (.int(let value), _): .comparison(comparator, .double(Double(value)))
        case (.double(let value), _): .comparison(comparator, .double(value))
        case (.decimal(let value), _): Self.double(comparator, value)
        }
    }

    /// Int values against a Double that may lie between two of them or beyond all of them.
    private static func int(_ comparator: Comparator, _ value: Double) -> Converted {
        if value.isNaN { return comparator == .notEqual ? .always : .never }
        if let exact = Int64(exactly: value) { return .comparison(comparator, .int(exact)) }
        return int(comparator, between: Int64(exactly: value.rounded(.down)), isAbove: value > 0)
    }

    private static func int(_ comparator: Comparator, _ value: DecimalNumber) -> Converted {
        if value.isNaN { return comparator == .notEqual ? .always : .never }
        if let exact = Int64(exactly: value) { return .comparison(comparator, .int(exact)) }
        return int(comparator, between: value.roundedDown, isAbove: !value.isNegative)
    }

    /// - Parameters:
    /// - below: the largest Int64 below the number; nil when there is none.
    /// - isAbove: without one, whether the number is above the largest Int64, and not below the least.
    private static func int(_ comparator: Comparator, between below: Int64?, isAbove: Bool) -> Converted {
        switch comparator {
        case .equal: return .never
        case .notEqual: return .always
        case .less, .lessOrEqual:
            guard let below else { return isAbove ? .notNull : .never }
            return .comparison(.lessOrEqual, .int(below))
        case .greater, .greaterOrEqual:
            guard let below else { return isAbove ? .never : .notNull }
            return below == .max ? .never : .comparison(.greaterOrEqual, .int(below + 1))
        case .in, .between, .beginsWith, .endsWith, .contains, .like, .text:
            preconditionFailure("IN and BETWEEN convert by their elements, and text operators never meet numbers.")
        }
    }

    /// A finite Double too large for a Float must not turn into infinity, which a property may hold.
    private static func float(_ comparator: Comparator, _ value: Double) -> Converted {
        nearest(comparator, Float(value), isFinite: value.isFinite) { .float($0) }
    }

    private static func float(_ comparator: Comparator, _ value: DecimalNumber) -> Converted {
        nearest(comparator, Float(value.double), isFinite: value.isFinite) { .float($0) }
    }

    private static func double(_ comparator: Comparator, _ value: DecimalNumber) -> Converted {
        nearest(comparator, value.double, isFinite: value.isFinite) { .double($0) }
    }

    /// - Parameter isFinite: whether the constant itself is finite.
    private static func nearest<Number: BinaryFloatingPoint>(
        _ comparator: Comparator, _ nearest: Number, isFinite: Bool, _ value: (Number) -> Value
    ) -> Converted {
        guard nearest.isInfinite, isFinite else { return .comparison(comparator, value(nearest)) }
        let isAbove = nearest > 0
        let largest = Number.greatestFiniteMagnitude
        switch comparator {
        case .equal: return .never
        case .notEqual: return .always
        case .less, .lessOrEqual:
            return isAbove ? .comparison(.lessOrEqual, value(largest)) : .comparison(.less, value(-largest))
        case .greater, .greaterOrEqual:
            return isAbove ? .comparison(.greater, value(largest)) : .comparison(.greaterOrEqual, value(-largest))
        case .in, .between, .beginsWith, .endsWith, .contains, .like, .text:
            preconditionFailure("IN and BETWEEN convert by their elements, and text operators never meet numbers.")
        }
    }
}

extension Value {
    /// The lower bound of a closed range of the values above this one; nil where there is none.
    func closed(below comparator: Comparator) -> Value? {
        switch (comparator, self) {
        case (.greaterOrEqual, _): self
        case (.greater, .float(let value)): .float(value.nextUp)
        case (.greater, .double(let value)): .double(value.nextUp)
        default: nil
        }
    }

    func closed(above comparator: Comparator) -> Value? {
        switch (comparator, self) {
        case (.lessOrEqual, _): self
        case (.less, .float(let value)): .float(value.nextDown)
        case (.less, .double(let value)): .double(value.nextDown)
        default: nil
        }
    }
}

// MARK: - Tests of one element

/// A path and its quantifier, from which the test of each value is built.
struct ElementTest {
    var quantifier: Quantifier
    var path: BoundPath
    var options: TextOptions

    func predicate(_ comparator: Comparator, _ operand: Operand) -> BoundPredicate {
        .comparison(
            BoundComparison(
                quantifier: quantifier, path: path, comparator: comparator, options: options, operand: operand
            )
        )
    }

    func predicate(_ converted: Converted) -> BoundPredicate {
        switch converted {
        case .comparison(let comparator, let value): predicate(comparator, .value(value))
        case .notNull: predicate(.notEqual, .value(.null))
        case .never:
            switch quantifier {
            case .implied, .any: .constant(false)
            case .none: .constant(true)
            // True for an empty collection only.
            case .all: predicate(.in, .values([]))
            }
        case .always:
            switch quantifier {
            case .implied, .all: .constant(true)
            case .any: hasElement
            case .none: .not(hasElement)
            }
        }
    }

    /// The same with the path in it where the answer is the same for all objects: rules and subscriptions ask where a
    /// condition looks.
    func predicate(keepingPath converted: Converted) -> BoundPredicate {
        switch (converted, quantifier) {
        case (.never, _): return predicate(.in, .values([]))
        case (.always, .implied): return .not(predicate(.in, .values([])))
        case (.always, .all):
            var any = self
            any.quantifier = .any
            return .not(any.predicate(.in, .values([])))
        default: return predicate(converted)
        }
    }

    private var hasElement: BoundPredicate {
        var any = self
        any.quantifier = .any
        return .or([any.predicate(.equal, .value(.null)), any.predicate(.notEqual, .value(.null))])
    }
}
