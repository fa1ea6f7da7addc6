import Crypto
import _CryptoExtras
import Foundation

/// Decrypts a Realm file: blocks of 4,096 bytes, each with AES-256 in CBC mode and a code that proves it.
///
/// Before each 64 blocks stands a block of 64 entries. An entry has a counter and a code for the block as it is, and the same for
/// the block as it was before, because a crash can fall between the two writes.
struct EncryptedBlocks {
    static let keyBytes = 64
    private static let blockBytes = 4_096
    private static let entryBytes = 64
    private static let entriesOfTable = 64
    private static let counterBytes = 4
    /// A counter and a code.
    private static let versionBytes = 32

    private let encryption: SymmetricKey
    private let proof: [UInt8]

    /// - Precondition: the key has 64 bytes.
    init(key: [UInt8]) {
        precondition(key.count == Self.keyBytes)
        encryption = SymmetricKey(data: key.prefix(32))
        proof = Array(key.suffix(32))
    }

    func decrypted(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count % Self.blockBytes == 0, bytes.count >= 2 * Self.blockBytes else {
            throw RealmFileFailure(
                "The file is no encrypted Realm file, or it is cut off: it has \(bytes.count) bytes, which is no number of whole "
                    + "blocks.")
        }
        var content: [UInt8] = []
        content.reserveCapacity(bytes.count)
        for block in 0..<bytes.count / Self.blockBytes where block % (Self.entriesOfTable + 1) != 0 {
            let table = block / (Self.entriesOfTable + 1) * (Self.entriesOfTable + 1)
            let entry = table * Self.blockBytes + (block - table - 1) * Self.entryBytes
            let start = block * Self.blockBytes
            content += try decrypted(
                Array(bytes[start..<start + Self.blockBytes]), entry: Array(bytes[entry..<entry + Self.entryBytes]),
                at: content.count)
        }
        return content
    }

    private func decrypted(_ block: [UInt8], entry: [UInt8], at place: Int) throws -> [UInt8] {
        if entry.prefix(Self.counterBytes).allSatisfy({ $0 == 0 }) {
            // Nothing was written there.
            return [UInt8](repeating: 0, count: Self.blockBytes)
        }
        let code = SHA224.authenticationCode(of: block, key: proof)
        for version in [0, Self.versionBytes] {
            let counter = entry[version..<version + Self.counterBytes]
            guard entry[version + Self.counterBytes..<version + Self.versionBytes].elementsEqual(code) else { continue }
            return try decrypted(block, counter: Array(counter), at: place)
        }
        throw RealmFileFailure(
            place == 0
                ? "The key does not open the Realm file, or its first block is damaged. Give the key with which the app opened it."
                : "The encrypted Realm file is damaged: the block at byte \(place) of its content is not what was written."
        )
    }

    private func decrypted(_ block: [UInt8], counter: [UInt8], at place: Int) throws -> [UInt8] {
        let position = (0..<8).map { UInt8(truncatingIfNeeded: place >> (8 * $0)) }
        do {
            let vector = try AES._CBC.IV(ivBytes: counter + position + [0, 0, 0, 0])
            return [UInt8](try AES._CBC.decrypt(block, using: encryption, iv: vector, noPadding: true))
        } catch {
            throw RealmFileFailure("The block at byte \(place) of the content of the Realm file cannot be decrypted.")
        }
    }
}
