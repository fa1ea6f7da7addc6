import CausewayEnvironment
import Crypto
import Synchronization

/// Encrypts the pages and headers of a file, and opens them.
///
/// 1. A nonce never occurs twice under one key: a page's is its birth and its number, births ascend within a session,
///    and each session has its own keys. ``seal(_:_:_:)`` refuses what would break this.
/// 2. What is decrypted is what was sealed there and then: number and birth are in the nonce; kind, level, extent and
///    file are authenticated, as the parent's pointer has them.
/// 3. Bytes that fail are never handed out: zeros are where they were.
final class PageSeal: Sendable {
    let fileID: FileID
    let disk: any DiskFile
    let keyCheck: [UInt8]
    private let path: String
    let random: any RandomSource
    let ring: Mutex<SessionKeyRing>
    private let sealing = Mutex(SealingState())

    init(_ key: SealingKey, fileID: FileID, disk: any DiskFile, random: any RandomSource = SystemRandom()) {
        self.fileID = fileID
        self.disk = disk
        path = key.path
        self.random = random
        keyCheck = key.keyCheck(fileID: fileID)
        ring = Mutex(SessionKeyRing(key, fileID: fileID))
    }

    // MARK: - Sealing pages

    /// Encrypts a page or run for the place and birth its pointer has, and puts the tag into the pointer.
    ///
    /// The bytes stay where they are until ``forgetSealed()``, or until a page of a later transaction is sealed.
    func seal(
        _ bytes: UnsafeRawBufferPointer, _ pointer: inout PagePointer, _ kind: PageKind
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        let (key, session) = currentPageKey()
        let (sealed, count) = (pointer, bytes.count)
        let address: UInt? = sealing.withLock { state in
            guard sealed.birth >= session.firstBirth, state.claim(sealed) else { return nil }
            return UInt(bitPattern: state.memory.allocate(count))
        }
        guard let place = address.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) else {
            throw wouldRepeat(pointer)
        }
        let tag = Self.context(pointer, kind, fileID) { context in
            AuthenticatedCipher.seal(
                bytes, into: place, key: key, nonce: Self.nonce(sealed), authenticating: context)
        }
        pointer.check = tag.low
        pointer.checkHigh = tag.high
        return UnsafeRawBufferPointer(start: place, count: count)
    }

    /// The header of the commit is being sealed: no page follows with its birth.
    func finishCommit(_ birth: UInt64) {
        sealing.withLock { $0.finish(birth) }
    }

    /// The disk has taken everything that was sealed.
    func forgetSealed() {
        sealing.withLock { $0.memory = ByteArena() }
    }

    private func wouldRepeat(_ pointer: PagePointer) -> StorageError {
        StorageError(
            .damaged,
            "Cannot commit: page \(pointer.page) of transaction \(pointer.birth) would be encrypted as another was "
                + "before, which would give both away. The lock file beside the file counts backwards. Close the file "
                + "in every process, delete the lock file, and open the file again; it was not changed.",
            path: path)
    }

    private func currentPageKey() -> (key: SymmetricKey, session: Session) {
        ring.withLock { ring in
            guard let session = ring.table.current else { preconditionFailure("a session begins before it writes") }
            return (ring.keys(session.salt).pages, session)
        }
    }

    // MARK: - What a page is bound to

    static func nonce(_ pointer: PagePointer) -> AuthenticatedCipher.Nonce {
        AuthenticatedCipher.Nonce(number: pointer.birth, place: pointer.page)
    }

    /// 4 kind, 4 extent, 4 level, 4 zero, 16 file id.
    static func context<Result>(
        _ pointer: PagePointer, _ kind: PageKind, _ fileID: FileID, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let first = UInt64(kind.rawValue) | UInt64(pointer.extent) << 32
        return withUnsafeBytes(
            of: (
                first.littleEndian, UInt64(pointer.level).littleEndian, fileID.low.littleEndian,
                fileID.high.littleEndian
            ), body)
    }

    // MARK: - Sessions

    /// Draws a session for pages born from now on, for the first who opens the file, after every header was read.
    /// Everybody who opens the file while it is open somewhere ``join(_:)``s that session.
    ///
    /// - Parameter firstBirth: larger than the transaction of every header that can be read; 0 for a new file.
    @discardableResult
    func beginSession(firstBirth: UInt64) -> Session {
        let session = Session(firstBirth: firstBirth, salt: SessionSalt(random: random))
        // With an older session's keys births could come again, so this is worth a stop.
        precondition(isCurrent(session), "A session begins after all that the file has seen, with a new salt.")
        return session
    }

    /// Takes part in the session that the lock file tells of.
    func join(_ session: Session) throws(StorageError) {
        guard isCurrent(session) else {
            throw StorageError(
                .damaged,
                "Cannot open the file: the lock file beside it was made for another state of it. Close the file in "
                    + "every process, delete the lock file, and open the file again; it was not changed.",
                path: path)
        }
    }

    private func isCurrent(_ session: Session) -> Bool {
        ring.withLock { ring in
            ring.learn([session])
            // A salt that was there before would bring back its keys.
            return ring.table.current == session
                && ring.table.sessions.dropLast().allSatisfy { $0.salt != session.salt }
        }
    }

    /// The bytes of a run to which the next header has to point instead, or nil when the table it points to will do.
    func tableToWrite(insteadOf pointer: PagePointer) -> [UInt8]? {
        ring.withLock { ring in
            guard let current = ring.table.current else { return nil }
            let isStored = pointer.isNone ? ring.table.sessions.count == 1 : pointer.birth >= current.firstBirth
            return isStored ? nil : ring.table.encoded()
        }
    }
}

/// What only the one writer touches.
private struct SealingState {
    /// Of the pages sealed last.
    private var birth: UInt64 = 0
    /// Their numbers, so that none is sealed twice.
    private var pages: Set<UInt32> = []
    /// A header was sealed for that birth: its commit is over.
    private var isOver = false
    /// The sealed bytes that the disk has not taken yet.
    var memory = ByteArena()

    /// False when a page was sealed there before with this birth, or in a later transaction.
    mutating func claim(_ pointer: PagePointer) -> Bool {
        begin(pointer.birth)
        return pointer.birth == birth && !isOver && pages.insert(pointer.page).inserted
    }

    mutating func finish(_ birth: UInt64) {
        begin(birth)
        if birth == self.birth { isOver = true }
    }

    private mutating func begin(_ birth: UInt64) {
        guard birth > self.birth else { return }
        self.birth = birth
        isOver = false
        // What one large commit needed is not kept for all the small ones.
        pages.removeAll(keepingCapacity: pages.count < 4096)
        // Of a commit that was given up.
        if memory.usedBytes > 0 { memory = ByteArena() }
    }
}
