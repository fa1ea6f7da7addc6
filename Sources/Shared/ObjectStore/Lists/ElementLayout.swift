import CausewayModel

/// How one element lies in the bytes of a list, at rest and while it is changed: little-endian, at any address.
enum ElementLayout {
    /// Strings, data and mixed values have no size of their own.
    static func isVariable(_ type: PropertyType) -> Bool { type == .string || type == .data || type == .mixed }

    /// Bytes of an element, or of the offset of one of variable size.
    static func size(_ type: PropertyType) -> Int {
        switch type {
        case .bool: 1
        case .float, .string, .data: 4
        case .int, .double, .object: 8
        case .date, .objectId: 12
        case .uuid: 16
        case .decimal128: 16
        case .mixed: 4
        }
    }

    /// An element of a fixed size.
    @inline(__always)
    static func read(_ start: UnsafeRawPointer, _ type: PropertyType) -> Value {
        switch type {
        case .int: return .int(load(start, Int64.self))
        case .object: return .object(ObjectKey(load(start, Int64.self)))
        case .double: return .double(load(start, Double.self))
        case .bool: return .bool(load(start, UInt8.self) != 0)
        case .float: return .float(load(start, Float.self))
        case .date:
            return .timestamp(Timestamp(seconds: load(start, Int64.self), nanoseconds: load(start + 8, Int32.self)))
        case .objectId:
            return .objectId(ObjectIdentifier12(high: load(start, UInt64.self), low: load(start + 8, UInt32.self)))
        case .uuid: return .uuid(UUID16(high: load(start, UInt64.self), low: load(start + 8, UInt64.self)))
        case .decimal128:
            return .decimal(DecimalNumber(storedHigh: load(start, UInt64.self), low: load(start + 8, UInt64.self)))
        case .string, .data, .mixed: preconditionFailure("an element of variable size has an offset")
        }
    }

    @inline(__always)
    private static func load<T: BitwiseCopyable>(_ start: UnsafeRawPointer, _ type: T.Type) -> T {
        start.loadUnaligned(as: type)
    }

    /// Writes an element of a fixed size; null as zeros.
    @inline(__always)
    static func write(_ value: Value, _ start: UnsafeMutableRawPointer, _ type: PropertyType) {
        switch value {
        case .int(let value): start.storeBytes(of: value, as: Int64.self)
        case .object(let key): start.storeBytes(of: key.rawValue, as: Int64.self)
        case .double(let value): start.storeBytes(of: value.storedBits, as: UInt64.self)
        case .bool(let value): start.storeBytes(of: value ? 1 : 0, as: UInt8.self)
        case .float(let value): start.storeBytes(of: value.storedBits, as: UInt32.self)
        case .timestamp(let value):
            start.storeBytes(of: value.seconds, as: Int64.self)
            start.storeBytes(of: value.nanoseconds, toByteOffset: 8, as: Int32.self)
        case .objectId(let value):
            start.storeBytes(of: value.high, as: UInt64.self)
            start.storeBytes(of: value.low, toByteOffset: 8, as: UInt32.self)
        case .uuid(let value):
            start.storeBytes(of: value.high, as: UInt64.self)
            start.storeBytes(of: value.low, toByteOffset: 8, as: UInt64.self)
        case .decimal(let value):
            start.storeBytes(of: value.storedHigh, as: UInt64.self)
            start.storeBytes(of: value.low, toByteOffset: 8, as: UInt64.self)
        case .null: start.initializeMemory(as: UInt8.self, repeating: 0, count: size(type))
        case .string, .bytes, .link, .anyObject, .anyLink:
            preconditionFailure("an element of another type than its list's was stored")
        }
    }

    /// What stands for an element that cannot be read: null where the list takes it, else zero.
    static func blank(_ type: PropertyType, isOptional: Bool) -> Value {
        if isOptional { return .null }
        switch type {
        case .string: return .string("")
        case .data: return .bytes([])
        case .object, .mixed: return .null
        default:
            return withUnsafeBytes(of: (UInt64(0), UInt64(0))) { zeros in
                // Never empty, so it has an address.
                zeros.baseAddress.map { read($0, type) } ?? .null
            }
        }
    }
}
