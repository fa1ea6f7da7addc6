import CausewayModel

/// The elements of one short list, or of one chunk of a long one, at rest: any of them is read without reading the
/// others.
///
/// Count (u32), flags (u8: has nulls), three bytes zero; a null bitmap when flagged; then the elements, of one size each,
/// or for strings and data offsets (u32, one more than elements) and an arena.
struct ListBytes {
    static let headerBytes = 8
    static let flagNulls: UInt8 = 1

    let bytes: UnsafeRawBufferPointer
    let type: PropertyType
    let count: Int
    private let payload: Int
    let hasNulls: Bool

    /// Nil when the bytes contradict themselves, or are the head of a list in chunks.
    init?(_ bytes: UnsafeRawBufferPointer, _ type: PropertyType) {
        guard bytes.count >= Self.headerBytes, bytes[4] & ~Self.flagNulls == 0 else { return nil }
        self.bytes = bytes
        self.type = type
        count = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        hasNulls = bytes[4] & Self.flagNulls != 0
        payload = Self.headerBytes + (hasNulls ? (count + 7) / 8 : 0)
        let slots = ElementLayout.isVariable(type) ? count + 1 : count
        guard payload + slots * ElementLayout.size(type) <= bytes.count else { return nil }
    }

    // MARK: - Reading

    /// Where the elements lie, when each has its own bytes.
    var elements: UnsafeRawPointer? {
        ElementLayout.isVariable(type) ? nil : bytes.baseAddress.map { $0 + payload }
    }

    func isNull(_ index: Int) -> Bool {
        hasNulls && bytes[Self.headerBytes + index / 8] >> UInt8(index % 8) & 1 != 0
    }

    func value(_ index: Int) -> Value {
        guard index < count, !isNull(index) else { return .null }
        if let elements { return ElementLayout.read(elements + index * ElementLayout.size(type), type) }
        return LeafValue.bytes(variable(index), type)
    }

    private func variable(_ index: Int) -> UnsafeRawBufferPointer {
        let offset = payload + index * 4
        let arena = payload + (count + 1) * 4
        let start = arena + Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        let end = arena + Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)))
        guard start <= end, end <= bytes.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    var values: [Value] { (0..<count).map(value) }

    /// Whether every element of variable size lies inside of the bytes, behind the one before.
    var hasSoundOffsets: Bool {
        guard ElementLayout.isVariable(type) else { return true }
        let room = bytes.count - payload - (count + 1) * 4
        var before: UInt32 = 0
        for index in 0...count {
            let offset = bytes.loadUnaligned(fromByteOffset: payload + index * 4, as: UInt32.self).littleEndian
            guard offset >= before, Int(offset) <= room else { return false }
            before = offset
        }
        return true
    }

    // MARK: - Writing

    static func encode(_ values: [Value], _ type: PropertyType) -> [UInt8] {
        var result = header(values.count, nulls: values.contains(.null) ? values.map { $0.isNull ? 1 : 0 } : [])
        if ElementLayout.isVariable(type) {
            appendVariable(type == .mixed ? values.map(MixedBytes.stored) : values, to: &result)
            return result
        }
        let size = ElementLayout.size(type)
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { element in
            guard let start = element.baseAddress else { return }
            for value in values {
                ElementLayout.write(value, start, type)
                result.append(contentsOf: element)
            }
        }
        return result
    }

    /// Encodes elements that already have the layout of the file. `nulls` has a byte for each, or is empty when none is
    /// null.
    static func encode(_ count: Int, elements: UnsafeRawBufferPointer, nulls: [UInt8]) -> [UInt8] {
        var result = header(count, nulls: nulls)
        result.append(contentsOf: elements)
        return result
    }

    private static func header(_ count: Int, nulls: [UInt8]) -> [UInt8] {
        let hasNulls = nulls.contains(1)
        var result: [UInt8] = []
        withUnsafeBytes(of: UInt32(count).littleEndian) { result.append(contentsOf: $0) }
        result += [hasNulls ? flagNulls : 0, 0, 0, 0]
        if hasNulls {
            var bitmap = [UInt8](repeating: 0, count: (count + 7) / 8)
            for index in 0..<count { bitmap[index / 8] |= nulls[index] << UInt8(index % 8) }
            result += bitmap
        }
        return result
    }

    private static func appendVariable(_ values: [Value], to result: inout [UInt8]) {
        var arena: [UInt8] = []
        func appendEnd() {
            withUnsafeBytes(of: UInt32(arena.count).littleEndian) { result.append(contentsOf: $0) }
        }
        appendEnd()
        for value in values {
            switch value {
            case .string(let text): arena.append(contentsOf: text.utf8)
            case .bytes(let bytes): arena.append(contentsOf: bytes)
            default: break
            }
            appendEnd()
        }
        result += arena
    }
}
