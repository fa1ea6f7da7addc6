import Crypto
import FoundationEssentials

/// AES-256-GCM over memory, in the two directions.
///
/// The library gives `Data` and keeps what is sealed in one `Data` with nonce and tag, so either way the bytes are copied
/// twice; for a page that is small beside the allocations. Nothing faster is offered: it takes only memory it may copy.
enum AuthenticatedCipher {
    static let nonceByteCount = 12
    static let tagByteCount = 16

    /// The two halves of an authentication tag, as they stand in a ``PagePointer``.
    struct Tag: Hashable, Sendable {
        var low: UInt64
        var high: UInt64
    }

    /// Encrypts into memory of the same size, which may be the same memory.
    static func seal(
        _ plain: UnsafeRawBufferPointer, into place: UnsafeMutableRawPointer, key: SymmetricKey, nonce: Nonce,
        authenticating context: UnsafeRawBufferPointer
    ) -> Tag {
        do {
            let box = try nonce.withBytes { nonce in
                try AES.GCM.seal(plain, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
            }
            // Nil for other lengths of the nonce only.
            return box.combined!.withUnsafeBytes { combined in
                place.copyMemory(from: combined.baseAddress! + nonceByteCount, byteCount: plain.count)
                return Tag(combined.baseAddress! + nonceByteCount + plain.count)
            }
        } catch {
            // It refuses other lengths of key and nonce, and more than 64 GiB.
            preconditionFailure("AES-GCM seals any page: \(error)")
        }
    }

    /// Decrypts in place. False, and all zero, when the bytes are not what was sealed.
    static func open(
        _ bytes: UnsafeMutableRawBufferPointer, key: SymmetricKey, nonce: Nonce, tag: Tag,
        authenticating context: UnsafeRawBufferPointer
    ) -> Bool {
        let plain = try? nonce.withBytes { nonce in
            try tag.withBytes { tag in
                let box = try AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: nonce), ciphertext: UnsafeRawBufferPointer(bytes), tag: tag)
                return try AES.GCM.open(box, using: key, authenticating: context)
            }
        }
        guard let plain else {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return false
        }
        plain.withUnsafeBytes { bytes.copyMemory(from: $0) }
        return true
    }

    /// Ninety-six bits that must never occur twice under one key.
    struct Nonce: Hashable, Sendable {
        var number: UInt64
        var place: UInt32

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try withUnsafeBytes(of: (number.littleEndian, place.littleEndian)) { bytes in
                try body(UnsafeRawBufferPointer(rebasing: bytes[..<nonceByteCount]))
            }
        }
    }
}

extension AuthenticatedCipher.Tag {
    /// From sixteen bytes.
    init(_ bytes: UnsafeRawPointer) {
        low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (low.littleEndian, high.littleEndian), body)
    }
}
