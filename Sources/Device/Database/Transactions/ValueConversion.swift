package import CausewayModel
import Foundation

// Converts Swift values of any type to the values of properties.

/// The stored value that a Swift value stands for by itself; nil if no property could hold it.
package func storedValue(of any: Any) -> Value? {
    // The usual types of keys. Asking for a conformance costs a hundred times as much.
    if type(of: any) == Int.self, let number = any as? Int { return .int(Int64(number)) }
    if type(of: any) == String.self, let text = any as? String { return .string(text) }
    return switch any {
    case let scalar as any _PersistableScalar: scalar._stored.value
    case let custom as any _CustomPersistable: custom.scalarValue
    case let object as ObjectBase: object._header.map { _ in .object(object._key) }
    case let integer as any FixedWidthInteger: Int64(exactly: integer).map(Value.int)
    default: foundationValue(of: any) ?? (flattened(any) == nil ? .null : nil)
    }
}

/// The stored value of a Foundation object. JSON is read into such objects.
func foundationValue(of any: Any) -> Value? {
    switch any {
    case let number as NSDecimalNumber: DecimalNumber(number.stringValue).map(Value.decimal)
    case let number as NSNumber: numberValue(number)
    case let number as Decimal: DecimalNumber(number.description).map(Value.decimal)
    case is NSNull: .null
    case let text as NSString: .string(String._unconditionallyBridgeFromObjectiveC(text))
    case let date as NSDate: Date._unconditionallyBridgeFromObjectiveC(date)._stored.value
    case let uuid as NSUUID: UUID._unconditionallyBridgeFromObjectiveC(uuid)._stored.value
    case let data as NSData: Data._unconditionallyBridgeFromObjectiveC(data)._stored.value
    default: nil
    }
}

private func numberValue(_ number: NSNumber) -> Value? {
    // Foundation names the type that the number was made from by one letter. "c" is Bool or Int8; a Bool has a class of
    // its own.
    switch String(cString: number.objCType) {
    case "c", "B": type(of: number) == NSNumber.self ? .int(number.int64Value) : .bool(number.boolValue)
    case "f", "d": .double(number.doubleValue)
    case "Q", "L": Int64(exactly: number.uint64Value).map(Value.int)
    default: .int(number.int64Value)
    }
}

extension Value {
    /// The value as a Swift value; nil for null and for links.
    var any: Any? {
        switch self {
        case .null, .object, .link, .anyObject, .anyLink: nil
        case .bool(let value): value
        case .int(let value): Int(value)
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .bytes(let value): Data(value)
        case .timestamp(let value): Date(value)
        case .objectId(let value): ObjectId(value)
        case .uuid(let value): UUID(value)
        case .decimal(let value): Decimal128(value)
        }
    }

    /// The value as one of a property's type. Nil where types do not fit: of all numbers and ids only a decimal is read
    /// from text.
    func converted(to type: StoredType, isOptional: Bool) -> Value? {
        switch (self, type) {
        case (.null, _): isOptional ? .null : nil
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.bytes, .data),
            (.timestamp, .date), (.objectId, .objectId), (.uuid, .uuid), (.object, .object):
            self
        case (.decimal, .decimal128): self
        case (.string(let text), .decimal128): DecimalNumber(text).map(Value.decimal)
        case (.object, .mixed), (.link, .mixed): nil
        case (_, .mixed): self
        case (.int(let value), .double): .double(Double(value))
        case (.int(let value), .float): .float(Float(value))
        case (.float(let value), .double): .double(Double(value))
        case (.double(let value), .float): .float(Float(value))
        case (.double(let value), .int): Int64(exactly: value).map(Value.int)
        case (.float(let value), .int): Int64(exactly: value).map(Value.int)
        case (.int(let value), .decimal128): .decimal(DecimalNumber(value))
        case (.float(let value), .decimal128): .decimal(DecimalNumber(reading: value))
        case (.double(let value), .decimal128): .decimal(DecimalNumber(reading: value))
        case (.decimal(let value), .double): .double(value.double)
        case (.decimal(let value), .float): .float(Float(value.double))
        case (.decimal(let value), .int): Int64(exactly: value).map(Value.int)
        case (.bool(let value), .int): .int(value ? 1 : 0)
        case (.int(let value), .bool): value == 0 || value == 1 ? .bool(value == 1) : nil
        default: nil
        }
    }
}
