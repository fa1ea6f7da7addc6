import CausewayEnvironment
import Crypto
import Synchronization

/// Seals headers in place. The clear part is authenticated; the body is also encrypted.
///
/// A header's nonce is eight random bytes, drawn for each write and stored in the clear part, with the low bits of its
/// transaction and its slot. So even a header that is written twice for one transaction gets two nonces.
extension PageSeal {
    /// The place of the eight random bytes: in the clear part, after the key check. Zero in a plain file.
    static let drawOffset = 72
    /// The pointer to the table of sessions lies behind three numbers and the two roots.
    private static let sessionsOffset = HeaderLayout.bodyOffset + 3 * 8 + 2 * PagePointer.byteCount
    private static let bodyByteCount = HeaderLayout.trailerOffset - HeaderLayout.bodyOffset

    /// Fills in the fields of an encrypted file, encrypts the body and puts the tag behind it.
    func sealHeader(_ page: UnsafeMutableRawPointer, slot: Int, birth: UInt64) {
        finishCommit(birth)
        let (salt, key) = ring.withLock { ring in
            guard let session = ring.table.current else { preconditionFailure("a session begins before it writes") }
            return (session.salt, ring.keys(session.salt).headers)
        }
        salt.bytes.withUnsafeBytes { Self.put($0, page + HeaderLayout.saltOffset) }
        keyCheck.withUnsafeBytes { Self.put($0, page + HeaderLayout.keyCheckOffset) }
        page.storeBytes(of: random.next().littleEndian, toByteOffset: Self.drawOffset, as: UInt64.self)
        let body = page + HeaderLayout.bodyOffset
        let tag = AuthenticatedCipher.seal(
            UnsafeRawBufferPointer(start: body, count: Self.bodyByteCount), into: body, key: key,
            nonce: Self.headerNonce(page, slot: slot), authenticating: Self.clearPart(page))
        tag.withBytes { Self.put($0, page + HeaderLayout.trailerOffset) }
    }

    /// Decrypts a header in place, and learns the sessions that it knows. A header of another file or key counts as
    /// damaged. Unless the result is sound, the page must not be read.
    func openHeader(_ page: UnsafeMutableRawPointer, slot: Int) -> PageReading {
        let header = ClearHeader(Array(Self.clearPart(page)))
        guard header.isEncrypted, header.fileID == fileID, header.keyCheck == keyCheck else { return .damaged }
        let salt = SessionSalt(page + HeaderLayout.saltOffset)
        let key = ring.withLock { $0.keys(salt).headers }
        let body = UnsafeMutableRawBufferPointer(start: page + HeaderLayout.bodyOffset, count: Self.bodyByteCount)
        guard
            AuthenticatedCipher.open(
                body, key: key, nonce: Self.headerNonce(page, slot: slot),
                tag: AuthenticatedCipher.Tag(page + HeaderLayout.trailerOffset), authenticating: Self.clearPart(page))
        else { return .damaged }
        return learnSessions(PagePointer.load(from: page + Self.sessionsOffset), salt: salt)
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, _ place: UnsafeMutableRawPointer) {
        UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyMemory(from: bytes)
    }

    private static func clearPart(_ page: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: page, count: HeaderLayout.bodyOffset)
    }

    private static func headerNonce(_ page: UnsafeRawPointer, slot: Int) -> AuthenticatedCipher.Nonce {
        let draw = UInt64(littleEndian: page.loadUnaligned(fromByteOffset: drawOffset, as: UInt64.self))
        let transaction = UInt32(
            littleEndian: page.loadUnaligned(fromByteOffset: HeaderLayout.transactionOffset, as: UInt32.self))
        return AuthenticatedCipher.Nonce(number: draw, place: transaction << 2 | UInt32(slot))
    }
}
