import Crypto

/// The key of an encrypted file, as its user has it, and everything that is derived from it.
///
/// No key encrypts twice under one purpose in two files or two sessions: the file's id and the session's salt go into
/// the derivation, so what one file or session gives away is worth nothing for another.
struct SealingKey: Sendable {
    static let byteCount = 64

    /// Of the file that it is given for.
    let path: String
    private let key: SymmetricKey

    /// - Parameter bytes: 64 of them, from a random source. They are not stretched: a password is no key.
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

    /// The purposes of derived keys. A change to what a key encrypts, or how, needs another number here.
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

    /// Sixteen bytes that stand in the clear in every header, and tell whether a key is the file's.
    ///
    /// They say nothing about the key: who could compute them from a guess could as well try to open a page.
    func keyCheck(fileID: FileID) -> [UInt8] {
        derive(.keyCheck, salt: fileID.bytes, byteCount: 16).withUnsafeBytes { Array($0) }
    }

    /// Whether a header was written with this key.
    func fits(_ header: ClearHeader) -> Bool {
        isSame(keyCheck(fileID: header.fileID), header.keyCheck)
    }

    /// Takes the same time wherever two checks differ, so that nobody can guess one byte after the other.
    private func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }
}

/// What encrypts during one session of one file.
struct SessionKeys: Sendable {
    let pages: SymmetricKey
    /// A key of their own, since the nonces of headers are made another way.
    let headers: SymmetricKey
}

extension FileID {
    /// As they stand in the header.
    var bytes: [UInt8] { littleEndianBytes(low, high) }
}

/// Two numbers as sixteen bytes.
func littleEndianBytes(_ low: UInt64, _ high: UInt64) -> [UInt8] {
    withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { Array($0) }
}
