import CausewayJSON
package import CausewayModel
import CausewayQuery

/// How single values of one type become values of another. CONVERSIONS.md has the rules as a table.
///
/// A rule never changes what a value says: a value for which it would have to does not fit. Texts are those of the data
/// API, without their quotes and tags.
package struct ValueConversion: Hashable, Sendable {
    package let source: PropertyType
    package let target: PropertyType

    /// Nil for a pair of types without a rule.
    package init?(from source: PropertyType, to target: PropertyType) {
        guard Self.hasRule(from: source, to: target) else { return nil }
        self.source = source
        self.target = target
    }

    private static let numbers: Set<PropertyType> = [.int, .float, .double, .decimal128]

    private static func hasRule(from source: PropertyType, to target: PropertyType) -> Bool {
        switch (source, target) {
        case (.object, _), (_, .object): false
        case _ where source == target: true
        case (.mixed, _), (_, .mixed), (.string, _), (_, .string): true
        case (.bool, .int), (.int, .bool): true
        default: numbers.contains(source) && numbers.contains(target)
        }
    }

    /// The value in the other type; nil if it does not fit.
    ///
    /// - Parameter value: of the source's type, and not null.
    package func converted(_ value: Value) -> Value? {
        if source == target { return value }
        if target == .mixed { return value }
        // A mixed value has a type already: it is not read as another one.
        if source == .mixed { return value.type == target ? value : nil }
        return switch target {
        case .bool: bool(value).map(Value.bool)
        case .int: int(value).map(Value.int)
        case .float: float(value).map(Value.float)
        case .double: double(value).map(Value.double)
        case .decimal128: decimal(value).map(Value.decimal)
        case .string: ValueText.text(of: value).map(Value.string)
        case .data, .date, .objectId, .uuid: read(value)
        case .object, .mixed: nil
        }
    }

    private func bool(_ value: Value) -> Bool? {
        if case .int(let number) = value { return number == 0 ? false : number == 1 ? true : nil }
        if case .bool(let bool)? = read(value) { return bool }
        return nil
    }

    private func int(_ value: Value) -> Int64? {
        switch value {
        case .bool(let bool): return bool ? 1 : 0
        case .float(let number): return Int64(exactly: number)
        case .double(let number): return Int64(exactly: number)
        case .decimal(let number): return Int64(exactly: number)
        default:
            if case .int(let number)? = read(value) { return number }
            return nil
        }
    }

    private func float(_ value: Value) -> Float? {
        switch value {
        case .int(let number): return Float(exactly: number)
        case .double(let number): return number.isNaN ? .nan : Float(exactly: number)
        case .decimal(let number):
            if number.isNaN { return .nan }
            guard let nearest = Float(number.description) else { return nil }
            return DecimalNumber(reading: nearest) == number ? nearest : nil
        default:
            if case .float(let number)? = read(value) { return number }
            return nil
        }
    }

    private func double(_ value: Value) -> Double? {
        switch value {
        case .int(let number): return Double(exactly: number)
        case .float(let number): return Double(number)
        case .decimal(let number):
            if number.isNaN { return .nan }
            let nearest = number.double
            return DecimalNumber(reading: nearest) == number ? nearest : nil
        default:
            if case .double(let number)? = read(value) { return number }
            return nil
        }
    }

    private func decimal(_ value: Value) -> DecimalNumber? {
        switch value {
        case .int(let number): return DecimalNumber(number)
        case .float(let number): return DecimalNumber(reading: number)
        case .double(let number): return DecimalNumber(reading: number)
        default:
            if case .decimal(let number)? = read(value) { return number }
            return nil
        }
    }

    /// What a string says.
    private func read(_ value: Value) -> Value? {
        guard case .string(let text) = value else { return nil }
        return ValueText.value(text, target)
    }
}
