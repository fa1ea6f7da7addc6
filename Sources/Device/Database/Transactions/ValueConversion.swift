package import CausewayModel
import Foundation

// Values of any Swift type as the value of a property, where that loses nothing.

/// What a Swift value is by itself; nil for what no property could hold.
package func storedValue(of any: Any) -> Value? {
    // What keys mostly are; asking for a conformance costs a hundred times as much.
    if type(of: any) == Int.self, let number = any as? Int { return .int(Int64(number)) }
    if type(of: any) == String.self, let text = any as? String { return .string(text) }
    return switch any {
    case let scalar as any _PersistableScalar: scalar._stored.value
    case let custom as any _CustomPersistable: custom.scalarValue
    case let object as ObjectBase: object._header.map { _ in .object(object._key) }
    case let integer as any FixedWidthInteger: Int64(exactly: integer).map(Value.int)
    case let number as NSDecimalNumber: DecimalNumber(number.stringValue).map(Value.decimal)
    case let number as NSNumber: .double(number.doubleValue)
    case let number as Decimal: DecimalNumber(number.description).map(Value.decimal)
    case is NSNull: .null
    default: flattened(any) == nil ? .null : nil
    }
}

extension Value {
    /// The value as one of a property's type. Nil where types do not fit: text is never read as a number or an id.
    func converted(to type: PropertyType, isOptional: Bool) -> Value? {
        switch (self, type) {
        case (.null, _): isOptional ? .null : nil
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.bytes, .data),
            (.timestamp, .date), (.objectId, .objectId), (.uuid, .uuid), (.object, .object):
            self
        case (.decimal, .decimal128): self
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
        case (.int(let value), .bool): value == 0 || value == 1 ? .bool(value == 1) : nil
        default: nil
        }
    }
}
