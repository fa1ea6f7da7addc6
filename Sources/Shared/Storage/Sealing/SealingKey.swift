import Crypto

/// The user's key of an encrypted file, and the keys derived from it.
///
/// The file's id and the session's salt go into the derivation. So no two files or sessions share a derived key, and a
/// key that leaks from one is useless for another.
struct SealingKey: Sendable {
    static let byteCount = 64

    /// The path of the file that the key is for.
    let path: String
    private let key: SymmetricKey

    /// - Parameter bytes: 64 bytes from a random source. They are not stretched, so a password must not be used.
    /// - Throws: `wrongKey` when there are not exactly 64 bytes.
    init(_ bytes: [UInt8], path: String) throws(StorageError) {
        guard bytes.count == Self.byteCount else {
            throw StorageError(
                .wrongKey,
                "The encryption key must be exactly \(Self.byteCount) bytes long, and \(bytes.count) were given. "
                    + "Make one from a random source and keep it where the system keeps secrets.",
                path: path)
        }
        self.path = path
        key = SymmetricKey(data: bytes)
    }

    // MARK: - Derivation

    /// The purposes of derived keys. A change to what a key encrypts, or how, needs a new number here.
    private enum Purpose: String {
        case pages = "Causeway pages 1"
        case headers = "Causeway headers 1"
        case keyCheck = "Causeway key check 1"
    }

    func sessionKeys(fileID: FileID, salt: SessionSalt) -> SessionKeys {
        let salt = salt.bytes + fileID.bytes
        return SessionKeys(pages: derive(.pages, salt: salt), headers: derive(.headers, salt: salt))
    }

    private func derive(_ purpose: Purpose, salt: [UInt8], byteCount: Int = 32) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: salt, info: Array(purpose.rawValue.utf8), outputByteCount: byteCount)
    }

    // MARK: - Is it the right one?

    /// Sixteen bytes, stored in the clear in every header, that show whether a key is the file's.
    ///
    /// They do not help to find the key: an attacker with a guess could just as well try to decrypt a page.
    func keyCheck(fileID: FileID) -> [UInt8] {
        derive(.keyCheck, salt: fileID.bytes, byteCount: 16).withUnsafeBytes { Array($0) }
    }

    /// Whether a header was written with this key.
    func fits(_ header: ClearHeader) -> Bool {
        isSame(keyCheck(fileID: header.fileID), header.keyCheck)
    }

    /// Compares in constant time, so that nobody can guess one byte after the other.
    private func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }
}

/// The keys of one session of one file.
struct SessionKeys: Sendable {
    let pages: SymmetricKey
    /// Separate from `pages`, because the nonces of headers are made in another way.
    let headers: SymmetricKey
}

extension FileID {
    /// The bytes in the header.
    var bytes: [UInt8] { littleEndianBytes(low, high) }
}

/// Two numbers as sixteen bytes.
func littleEndianBytes(_ low: UInt64, _ high: UInt64) -> [UInt8] {
    withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { Array($0) }
}
