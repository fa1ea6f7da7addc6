/// What a property holds, or a constant of a text means.
package enum PlainValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(PlainNumber, PlainType)
    /// A number as written, and whether as a decimal. How many of its digits count depends on what it is compared with.
    case written(exact: PlainNumber, nearest: PlainNumber, isDecimal: Bool)
    case text(String)
    case bytes([UInt8])
    case date(seconds: Int, nanoseconds: Int)
    case objectId([UInt8])
    case uuid([UInt8])
    /// By its primary key.
    case object(Int)
}

/// The types of properties that differ for a query.
package enum PlainType: Hashable, Sendable {
    case int, double, float, decimal
    case text, bytes, date, objectId, uuid, bool, mixed, object
}

extension PlainValue {
    /// As `@type` names it.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number(_, .int): "int"
        case .number(_, .float): "float"
        case .number(_, .decimal): "decimal"
        case .number, .written: "double"
        case .text: "string"
        case .bytes: "binary"
        case .date: "date"
        case .objectId: "objectid"
        case .uuid: "uuid"
        case .object: "object"
        }
    }

    /// The amount of a number or, of a Bool, 0 or 1; nil for other values.
    ///
    /// - Parameter digits: which written numbers count with all their digits.
    func amount(_ digits: TreeDigits) -> PlainNumber? {
        switch self {
        case .bool(let value): PlainNumber(value ? 1 : 0)
        case .number(let number, _): number
        case .written(let exact, let nearest, let isDecimal):
            digits == .all || digits == .ofDecimals && isDecimal ? exact : nearest
        default: nil
        }
    }

    var utf8: [UInt8]? {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        default: nil
        }
    }
}
