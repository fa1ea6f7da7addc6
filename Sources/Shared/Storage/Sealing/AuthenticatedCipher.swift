import Crypto
import FoundationEssentials

/// Encrypts and decrypts memory with AES-256-GCM.
///
/// The library returns `Data`, and keeps sealed bytes in one `Data` with nonce and tag. So the bytes are copied twice
/// in both directions, which for a page costs little beside the allocations. The library has no call without copies.
enum AuthenticatedCipher {
    static let nonceByteCount = 12

    /// An authentication tag in two halves, as a ``PagePointer`` stores it.
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
            // Nil only for nonces of another length.
            return box.combined!.withUnsafeBytes { combined in
                place.copyMemory(from: combined.baseAddress! + nonceByteCount, byteCount: plain.count)
                return Tag(combined.baseAddress! + nonceByteCount + plain.count)
            }
        } catch {
            // It throws only for keys and nonces of other lengths, and for more than 64 GiB.
            preconditionFailure("AES-GCM seals any page: \(error)")
        }
    }

    /// Decrypts in place. Returns false and zeroes the bytes when they are not what was sealed.
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

    /// A nonce of 96 bits, which must never be used twice under one key.
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
    /// Reads sixteen bytes.
    init(_ bytes: UnsafeRawPointer) {
        low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (low.littleEndian, high.littleEndian), body)
    }
}
