import CausewayEnvironment
import Crypto
import Synchronization

/// Pages on their way from the disk. They are read into their place and decrypted there: whoever opens a page is the only
/// one who may look at its place, for no state that is read has had another page there.
extension PageSeal: PageOpener {
    func open(_ pointer: PagePointer, _ kind: PageKind, into base: UnsafeMutableRawPointer) -> Bool {
        guard let key = ring.withLock({ $0.pageKey(ofBirth: pointer.birth) }) else { return false }
        return open(pointer, kind, key: key, at: base + Int(pointer.page) << Pages.sizeShift)
    }

    func open(_ pointer: PagePointer, _ kind: PageKind, key: SymmetricKey, at place: UnsafeMutableRawPointer) -> Bool {
        let bytes = UnsafeMutableRawBufferPointer(
            start: place, count: kind == .run ? Int(pointer.extent) : Pages.sizeBytes)
        guard disk.readWhole(into: bytes, at: Int(pointer.page) << Pages.sizeShift) == bytes.count else {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return false
        }
        return Self.context(pointer, kind, fileID) { context in
            AuthenticatedCipher.open(
                bytes, key: key, nonce: Self.nonce(pointer),
                tag: AuthenticatedCipher.Tag(low: pointer.check, high: pointer.checkHigh), authenticating: context)
        }
    }

    // MARK: - The table of sessions

    /// Learns the sessions that a header knows: those of its table, or, where it has none, only its own.
    ///
    /// False when the table is not there as it was written: then nothing below the header can be opened.
    func learnSessions(_ pointer: PagePointer, salt: SessionSalt) -> Bool {
        if pointer.isNone {
            ring.withLock { $0.learn([Session(firstBirth: 0, salt: salt)]) }
            return true
        }
        let (isKnown, key) = ring.withLock { ($0.learnedTable == pointer, $0.keys(salt).pages) }
        if isKnown { return true }
        guard Int(pointer.page) << Pages.sizeShift + Int(pointer.extent) <= disk.size() else { return false }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(pointer.extent), alignment: 8)
        defer { bytes.deallocate() }
        guard let start = bytes.baseAddress, open(pointer, .run, key: key, at: start),
            let table = SessionTable(UnsafeRawBufferPointer(bytes), endingWith: salt)
        else { return false }
        ring.withLock { ring in
            ring.learn(table.sessions)
            ring.learnedTable = pointer
        }
        return true
    }
}
