/// The objects of one class whose places begin with the same bits. A place is the first half of the digest of a key.
///
///     bits 0: the class    bits 6: a 64th of it    bits 12: a 4,096th    …    bits 60: what cannot be parted further
package struct DigestRange: Hashable, Sendable {
    package var className: String
    /// How many bits all places have in common; a multiple of `step`.
    package let bits: UInt8
    /// Those bits.
    package let prefix: UInt64

    /// Nil if `bits` and `prefix` name no range.
    package init?(_ className: String, bits: UInt8, prefix: UInt64) {
        guard bits % Self.step == 0, bits <= Self.bitsMax, prefix < 1 << UInt64(bits) else { return nil }
        self.className = className
        self.bits = bits
        self.prefix = prefix
    }

    /// All objects of a class.
    package init(_ className: String) {
        self.className = className
        bits = 0
        prefix = 0
    }

    private init(_ className: String, unchecked bits: UInt8, _ prefix: UInt64) {
        self.className = className
        self.bits = bits
        self.prefix = prefix
    }

    package static let step: UInt8 = 6
    package static let bitsMax: UInt8 = 60
    /// The number of parts of a range.
    package static let partsCount = 1 << Int(step)

    /// Empty for a range that cannot be parted further.
    package var parts: [DigestRange] {
        guard bits < Self.bitsMax else { return [] }
        return (0..<UInt64(Self.partsCount)).map { part in
            DigestRange(className, unchecked: bits + Self.step, prefix << UInt64(Self.step) | part)
        }
    }

    var places: ClosedRange<UInt64> {
        guard bits > 0 else { return 0 ... .max }
        let free = 64 - UInt64(bits)
        let first = prefix << free
        return first...(first | ((1 << free) - 1))
    }
}

/// What one end wants to know of a range of the other.
package struct DigestAsk: Hashable, Sendable {
    package enum Detail: UInt8, Hashable, Sendable {
        case whole = 0
        case parts = 1
        case objects = 2
    }

    package var range: DigestRange
    package var detail: Detail

    package init(_ range: DigestRange, _ detail: Detail) {
        self.range = range
        self.detail = detail
    }
}

/// The answer to one `DigestAsk`.
package enum DigestReport: Hashable, Sendable {
    case whole(RangeDigest)
    /// One for each part, in their order.
    case parts([RangeDigest])
    case objects([ObjectDigest])
}
