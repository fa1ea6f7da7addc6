import CausewayModel
import CausewayQuery
import Foundation

// The arguments for `%@` in a format string arrive as `Any`. Here they become values of the query language, or stop
// the program. An argument is never converted to text and parsed again.

/// Converts the arguments of a format string, in their order.
func queryArguments(_ arguments: [Any?]) -> [Argument] {
    arguments.map(queryArgument)
}

private func queryArgument(_ argument: Any?) -> Argument {
    if let value = singleValue(argument) { return .value(value) }
    if let shape = argument.flatMap(unwrapped) as? any QueryShape { return .shape(shape.shape) }
    guard let argument, let values = listValues(argument) else {
        misuse(
            "Invalid argument of type '\(argument.map { String(describing: type(of: $0)) } ?? "nil")' for a predicate: "
                + "pass a value that a property can hold, a managed object, or a sequence of these."
        )
    }
    return .values(values)
}

/// An argument that is one value; nil for anything else.
func singleValue(_ argument: Any?) -> Value? {
    if let argument, let usual = usualValue(argument) { return usual }
    return switch argument.map(unwrapped) ?? nil {
    case nil, is NSNull: .null
    case let object as ObjectBase: object._linkValue()
    case let mixed as AnyRealmValue: mixed._toStored(nil).value
    case let scalar as any _PersistableScalar: scalar._stored.value
    case let custom as any _CustomPersistable: custom.scalarValue
    case let text as Text: .string(text.string)
    case let number as any BinaryInteger: wholeNumber(number)
    case let number as any BinaryFloatingPoint: .double(Double(number))
    case let object?: foundationValue(of: object) ?? (object as? NSNumber).map { .double($0.doubleValue) }
    }
}

/// What most arguments are: asking for each of the protocols takes longer than reading the query. Of the very type, because a
/// number of Foundation can be cast to many.
func usualValue(_ argument: Any) -> Value? {
    let type = type(of: argument)
    if type == String.self { return (argument as? String).map(Value.string) }
    if type == Int.self { return (argument as? Int).map { .int(Int64($0)) } }
    return nil
}

/// Unwraps an optional inside an `Any`, through any number of layers.
private func unwrapped(_ argument: Any) -> Any? {
    guard let optional = argument as? any _AnyOptional else { return argument }
    return optional._content.flatMap(unwrapped)
}

private protocol _AnyOptional {
    var _content: Any? { get }
}

extension Optional: _AnyOptional {
    fileprivate var _content: Any? { self }
}

/// Converts integers of types that no property has, such as unsigned ones. A number too large to store is compared as a
/// Double.
private func wholeNumber(_ number: any BinaryInteger) -> Value {
    Int64(exactly: number).map(Value.int) ?? .double(Double(number))
}

/// The operands of IN and BETWEEN from any sequence: an array, a set, a collection of a Realm, an NSArray.
private func listValues(_ argument: Any) -> [Value]? {
    guard let sequence = argument as? any Sequence else { return nil }
    return listValues(in: sequence)
}

private func listValues(in sequence: some Sequence) -> [Value]? {
    var values: [Value] = []
    for element in sequence {
        guard let value = singleValue(element) else { return nil }
        values.append(value)
    }
    return values
}
