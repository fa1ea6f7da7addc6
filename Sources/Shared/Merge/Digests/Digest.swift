package import CausewayModel

/// A digest of 128 bits: of one object, or the sum of the digests of a range of objects.
///
/// A sum does not depend on order, and a digest can be subtracted from it, so a range needs no tree of its own.
package struct Digest: Hashable, Sendable {
    package var low: UInt64
    package var high: UInt64

    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    package static let zero = Digest(low: 0, high: 0)

    /// Modulo 2^128.
    package static func + (left: Digest, right: Digest) -> Digest {
        let (low, carries) = left.low.addingReportingOverflow(right.low)
        return Digest(low: low, high: left.high &+ right.high &+ (carries ? 1 : 0))
    }

    /// Modulo 2^128.
    package static func - (left: Digest, right: Digest) -> Digest {
        let (low, borrows) = left.low.subtractingReportingOverflow(right.low)
        return Digest(low: low, high: left.high &- right.high &- (borrows ? 1 : 0))
    }
}

/// How many objects a range holds, and the sum of their digests.
package struct RangeDigest: Hashable, Sendable {
    package var count: UInt64
    package var sum: Digest

    package init(count: UInt64, sum: Digest) {
        self.count = count
        self.sum = sum
    }

    package static let empty = RangeDigest(count: 0, sum: .zero)
}

package struct ObjectDigest: Hashable, Sendable {
    package var key: PrimaryKey
    package var digest: Digest

    package init(_ key: PrimaryKey, _ digest: Digest) {
        self.key = key
        self.digest = digest
    }
}
