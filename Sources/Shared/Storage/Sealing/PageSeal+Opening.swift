import CausewayEnvironment
import Crypto
import Synchronization

/// Reads pages from the disk into their places and decrypts them there. Only the thread that opens a page may read its
/// place meanwhile, because no state that is read has another page there.
extension PageSeal: PageOpener {
    func open(_ pointer: PagePointer, _ kind: PageKind, into base: UnsafeMutableRawPointer) -> PageReading {
        guard let key = ring.withLock({ $0.pageKey(ofBirth: pointer.birth) }) else { return .damaged }
        return open(pointer, kind, key: key, at: base + Int(pointer.page) << Pages.sizeShift)
    }

    func open(
        _ pointer: PagePointer, _ kind: PageKind, key: SymmetricKey, at place: UnsafeMutableRawPointer
    ) -> PageReading {
        let bytes = UnsafeMutableRawBufferPointer(
            start: place, count: kind == .run ? Int(pointer.extent) : Pages.sizeBytes)
        let result = disk.readWhole(into: bytes, at: Int(pointer.page) << Pages.sizeShift)
        guard result == bytes.count else {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return result < 0 ? .failed(Int32(-result)) : .damaged
        }
        let isSound = Self.context(pointer, kind, fileID) { context in
            AuthenticatedCipher.open(
                bytes, key: key, nonce: Self.nonce(pointer),
                tag: AuthenticatedCipher.Tag(low: pointer.check, high: pointer.checkHigh), authenticating: context)
        }
        return isSound ? .sound : .damaged
    }

    // MARK: - The table of sessions

    /// Learns the sessions that a header knows: those of its table or, if it has no table, only its own.
    ///
    /// If the table is damaged, nothing below the header can be opened.
    func learnSessions(_ pointer: PagePointer, salt: SessionSalt) -> PageReading {
        if pointer.isNone {
            ring.withLock { $0.learn([Session(firstBirth: 0, salt: salt)]) }
            return .sound
        }
        let (isKnown, key) = ring.withLock { ($0.learnedTable == pointer, $0.keys(salt).pages) }
        if isKnown { return .sound }
        let size = disk.size()
        guard size >= 0 else { return .failed(Int32(-size)) }
        guard Int(pointer.page) << Pages.sizeShift + Int(pointer.extent) <= size else { return .damaged }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(pointer.extent), alignment: 8)
        defer { bytes.deallocate() }
        guard let start = bytes.baseAddress else { return .damaged }
        let reading = open(pointer, .run, key: key, at: start)
        guard reading == .sound else { return reading }
        guard let table = SealingSessions(UnsafeRawBufferPointer(bytes), endingWith: salt) else { return .damaged }
        ring.withLock { ring in
            ring.learn(table.sessions)
            ring.learnedTable = pointer
        }
        return .sound
    }
}
