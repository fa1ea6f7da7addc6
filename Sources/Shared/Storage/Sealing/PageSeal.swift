import CausewayEnvironment
import Crypto
import Synchronization

/// Encrypts and decrypts the pages and headers of a file.
///
/// 1. A nonce never occurs twice under one key. A page's nonce is its birth and its number, births ascend within a
///    session, and each session has its own keys. ``seal(_:_:_:)`` throws instead of breaking this.
/// 2. A decrypted page is the one that was sealed for this place and birth: both are in the nonce. Kind, level, extent
///    and file are authenticated, with the values in the parent's pointer.
/// 3. Bytes that fail authentication are never handed out: they are replaced by zeros.
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

    /// Encrypts a page or run for the place and birth of its pointer, and puts the tag into the pointer.
    ///
    /// Returns the encrypted bytes, valid until ``forgetSealed()`` or until a page of a later transaction is sealed.
    /// - Throws: `damaged` when the nonce would repeat.
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

    /// Ends the commit with a birth, before its header is sealed: no page with this birth may follow.
    func finishCommit(_ birth: UInt64) {
        sealing.withLock { $0.finish(birth) }
    }

    /// Frees the encrypted bytes after the disk has taken them all.
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

    /// The authenticated bytes: 4 kind, 4 extent, 4 level, 4 zero, 16 file id.
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

    /// Starts a session for pages born from now on. Called by the first process that opens the file, after it has read
    /// every header. Processes that open the file later, while it is open, ``join(_:)`` this session.
    ///
    /// - Parameter firstBirth: larger than the transaction of every header that can be read; 0 for a new file.
    @discardableResult
    func beginSession(firstBirth: UInt64) -> Session {
        let session = Session(firstBirth: firstBirth, salt: SessionSalt(random: random))
        // With an older session's keys a birth could repeat, so this is worth a trap.
        precondition(isCurrent(session), "A session begins after all that the file has seen, with a new salt.")
        return session
    }

    /// Joins the session in the lock file. Throws when it does not come after all sessions known so far.
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
            // A salt that was used before would bring back its keys.
            return ring.table.current == session
                && ring.table.sessions.dropLast().allSatisfy { $0.salt != session.salt }
        }
    }

    /// The bytes of a new table for the next header, or nil when the table behind `pointer` is still complete.
    func tableToWrite(insteadOf pointer: PagePointer) -> [UInt8]? {
        ring.withLock { ring in
            guard let current = ring.table.current else { return nil }
            let isStored = pointer.isNone ? ring.table.sessions.count == 1 : pointer.birth >= current.firstBirth
            return isStored ? nil : ring.table.encoded()
        }
    }
}

/// The state of sealing, which only the one writer touches.
private struct SealingState {
    /// The birth of the pages sealed last.
    private var birth: UInt64 = 0
    /// The numbers of those pages, so that none is sealed twice.
    private var pages: Set<UInt32> = []
    /// Whether a header was sealed for that birth, which ends its commit.
    private var isOver = false
    /// The sealed bytes that the disk has not taken yet.
    var memory = ByteArena()

    /// Returns false when a page was sealed there with this birth before, its commit is over, or a later one has begun.
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
        // Memory that one large commit needed is not kept for later small ones.
        pages.removeAll(keepingCapacity: pages.count < 4096)
        // Left by a commit that failed.
        if memory.usedBytes > 0 { memory = ByteArena() }
    }
}
