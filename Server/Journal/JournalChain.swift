import Crypto
import CausewayOperations

/// A digest of everything in the journal up to a position: SHA-256 over the digest before it, the position and the
/// entry's bytes. Two journals that agree on it at a position agree on every entry up to there.
package struct JournalHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let sizeBytes = 32

    /// - Returns: nil for bytes of another length.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.sizeBytes else { return nil }
        self.bytes = bytes
    }

    private init(digesting bytes: [UInt8]) {
        self.bytes = Array(SHA256.hash(data: bytes))
    }

    /// Of a journal without entries.
    ///
    /// - Parameter database: its epoch, so that journals of two databases never agree.
    package static func empty(of database: UInt64) -> JournalHash {
        var writer = ByteWriter()
        writer.write(string: "causeway.journal")
        writer.write(fixed64: database)
        return JournalHash(digesting: writer.bytes)
    }

    /// Of the entry that follows.
    package func followed(by entry: [UInt8], at position: UInt64) -> JournalHash {
        var writer = ByteWriter()
        writer.reserve(Self.sizeBytes + 8 + entry.count)
        writer.write(raw: bytes)
        writer.write(fixed64: position)
        writer.write(raw: entry)
        return JournalHash(digesting: writer.bytes)
    }
}

extension JournalHash: CustomStringConvertible {
    /// The first bytes, as logs show them.
    package var description: String { bytes.prefix(4).map { Self.text($0) }.joined() + "…" }

    private static func text(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

/// Digests the state of a replica, piece by piece: equal on replicas at one position.
package struct StateDigest: Sendable {
    private var hasher = SHA256()

    package init() {}

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        hasher.update(bufferPointer: bytes)
    }

    /// The digest of what was added.
    package var value: JournalHash { JournalHash(hasher.finalize()) }
}

extension JournalHash {
    fileprivate init(_ digest: SHA256.Digest) {
        bytes = Array(digest)
    }
}
