import CausewayModel

/// The elements of one list at rest: any of them is read without reading the others.
///
/// Count (u32), flags (u8: has nulls), three bytes zero; a null bitmap when flagged; then the elements, of one size each,
/// or for strings and data offsets (u32, one more than elements) and an arena.
struct ListBytes {
    private static let headerBytes = 8

    let bytes: UnsafeRawBufferPointer
    let type: PropertyType
    let count: Int
    private let payload: Int
    private let hasNulls: Bool

    /// Nil when the bytes contradict themselves.
    init?(_ bytes: UnsafeRawBufferPointer, _ type: PropertyType) {
        guard bytes.count >= Self.headerBytes else { return nil }
        self.bytes = bytes
        self.type = type
        count = Int(bytes.loadUnaligned(as: UInt32.self))
        hasNulls = bytes[4] & 1 != 0
        payload = Self.headerBytes + (hasNulls ? (count + 7) / 8 : 0)
        let slots = Self.isVariable(type) ? count + 1 : count
        guard payload + slots * Self.size(type) <= bytes.count else { return nil }
    }

    private static func isVariable(_ type: PropertyType) -> Bool { type == .string || type == .data }

    private static func size(_ type: PropertyType) -> Int {
        switch type {
        case .bool: 1
        case .float, .string, .data: 4
        case .int, .double, .object: 8
        case .date, .objectId: 12
        case .uuid: 16
        }
    }

    func value(_ index: Int) -> Value {
        guard index < count else { return .null }
        if hasNulls, bytes[Self.headerBytes + index / 8] >> UInt8(index % 8) & 1 != 0 { return .null }
        let offset = payload + index * Self.size(type)
        func load<T: BitwiseCopyable>(_ extra: Int, _ type: T.Type) -> T {
            bytes.loadUnaligned(fromByteOffset: offset + extra, as: type)
        }
        switch type {
        case .bool: return .bool(bytes[offset] != 0)
        case .int: return .int(load(0, Int64.self))
        case .object: return .object(ObjectKey(load(0, Int64.self)))
        case .float: return .float(load(0, Float.self))
        case .double: return .double(load(0, Double.self))
        case .date:
            return .timestamp(Timestamp(seconds: load(0, Int64.self), nanoseconds: load(8, Int32.self)))
        case .objectId: return .objectId(ObjectIdentifier12(high: load(0, UInt64.self), low: load(8, UInt32.self)))
        case .uuid: return .uuid(UUID16(high: load(0, UInt64.self), low: load(8, UInt64.self)))
        case .string: return .string(String(decoding: variable(offset), as: UTF8.self))
        case .data: return .bytes(Array(variable(offset)))
        }
    }

    private func variable(_ offset: Int) -> UnsafeRawBufferPointer {
        let arena = payload + (count + 1) * 4
        let start = arena + Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let end = arena + Int(bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        guard start <= end, end <= bytes.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    var values: [Value] { (0..<count).map(value) }

    // MARK: - Writing

    static func encode(_ values: [Value], _ type: PropertyType) -> [UInt8] {
        let hasNulls = values.contains(.null)
        var result: [UInt8] = []
        append(UInt32(values.count), to: &result)
        result += [hasNulls ? 1 : 0, 0, 0, 0]
        if hasNulls {
            var bitmap = [UInt8](repeating: 0, count: (values.count + 7) / 8)
            for (index, value) in values.enumerated() where value.isNull { bitmap[index / 8] |= 1 << UInt8(index % 8) }
            result += bitmap
        }
        guard isVariable(type) else {
            for value in values { append(value, type, to: &result) }
            return result
        }
        var arena: [UInt8] = []
        append(UInt32(0), to: &result)
        for value in values {
            switch value {
            case .string(let text): arena.append(contentsOf: text.utf8)
            case .bytes(let bytes): arena.append(contentsOf: bytes)
            default: break
            }
            append(UInt32(arena.count), to: &result)
        }
        return result + arena
    }

    private static func append(_ value: Value, _ type: PropertyType, to result: inout [UInt8]) {
        switch value {
        case .bool(let value): result.append(value ? 1 : 0)
        case .int(let value): append(value, to: &result)
        case .object(let key): append(key.rawValue, to: &result)
        case .float(let value): append(value.bitPattern, to: &result)
        case .double(let value): append(value.bitPattern, to: &result)
        case .timestamp(let value):
            append(value.seconds, to: &result)
            append(value.nanoseconds, to: &result)
        case .objectId(let value):
            append(value.high, to: &result)
            append(value.low, to: &result)
        case .uuid(let value):
            append(value.high, to: &result)
            append(value.low, to: &result)
        case .null: result.append(contentsOf: repeatElement(0, count: size(type)))
        case .string, .bytes, .link: preconditionFailure("an element of another type than its list's was stored")
        }
    }

    private static func append(_ value: some FixedWidthInteger & BitwiseCopyable, to result: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { result.append(contentsOf: $0) }
    }
}
