package import CausewayModel

/// A value bit by bit: what oracles compare values by, and what they are keys by.
///
/// `==` of the product's values is what oracles look for mistakes in, so nothing here calls it. A NaN counts with its
/// payload: one that was read must be the one that is stored for all, as `init(stored:)` makes it.
package struct ExactValue: Hashable, Sendable {
    package let value: Value
    private let bytes: [UInt8]

    /// A value as it was read.
    package init(_ value: Value) {
        self.value = value
        bytes = value.exactBytes
    }

    /// A value as it has to be read, once it was stored or sent.
    package init(stored value: Value) {
        self.init(value.withOneNaN)
    }

    package static func == (left: ExactValue, right: ExactValue) -> Bool { left.bytes == right.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Ascending by kind and bytes: the same order for the same values, whatever else it is.
    package static func precedes(_ left: ExactValue, _ right: ExactValue) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ExactValue: CustomStringConvertible {
    /// Of numbers that may look like others, the bits too.
    package var description: String {
        switch value {
        case .double(let number) where number.isNaN: "double(NaN, \(String(number.bitPattern, radix: 16)))"
        case .float(let number) where number.isNaN: "float(NaN, \(String(number.bitPattern, radix: 16)))"
        case .decimal(let number) where number.isNaN:
            "decimal(NaN, \(String(number.high, radix: 16)) \(String(number.low, radix: 16)))"
        default: "\(value)"
        }
    }
}

// MARK: - Bits

extension Value {
    /// With the NaN that stands for all: its sign is plus, it is quiet, and its payload is zero.
    fileprivate var withOneNaN: Value {
        switch self {
        case .float(let number) where number.isNaN: .float(Float(bitPattern: 0x7FC0_0000))
        case .double(let number) where number.isNaN: .double(Double(bitPattern: 0x7FF8_0000_0000_0000))
        default: self
        }
    }

    /// A number for the kind, and what it holds.
    fileprivate var exactBytes: [UInt8] {
        switch self {
        case .null: [0]
        case .bool(let value): [1, value ? 1 : 0]
        case .int(let value): [2] + bigEndian(value)
        case .float(let value): [3] + bigEndian(value.bitPattern)
        case .double(let value): [4] + bigEndian(value.bitPattern)
        case .string(let value): [5] + Array(value.utf8)
        case .bytes(let value): [6] + value
        case .timestamp(let value): [7] + bigEndian(value.seconds) + bigEndian(value.nanoseconds)
        case .objectId(let value): [8] + bigEndian(value.high) + bigEndian(value.low)
        case .uuid(let value): [9] + bigEndian(value.high) + bigEndian(value.low)
        case .decimal(let value): [10] + bigEndian(value.high) + bigEndian(value.low)
        case .object(let key): [11] + bigEndian(key.rawValue)
        case .link(let key): [12] + key.exactBytes
        case .anyObject(let row): [13] + bigEndian(row.classNumber) + bigEndian(row.key.rawValue)
        // No name has a zero in it.
        case .anyLink(let link): [14] + Array(link.className.utf8) + [0] + link.key.exactBytes
        }
    }
}

extension PrimaryKey {
    fileprivate var exactBytes: [UInt8] {
        switch self {
        case .null: [0]
        case .int(let value): [1] + bigEndian(value)
        case .string(let value): [2] + Array(value.utf8)
        case .objectId(let value): [3] + bigEndian(value.high) + bigEndian(value.low)
        case .uuid(let value): [4] + bigEndian(value.high) + bigEndian(value.low)
        case .container(let value): [5] + bigEndian(value.client.rawValue) + bigEndian(value.counter)
        }
    }
}

private func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
