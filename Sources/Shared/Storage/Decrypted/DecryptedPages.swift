import Glibc
import Synchronization

/// A cache of the decrypted pages of an encrypted file. Each page has its own place in one range of addresses.
///
/// A *piece* is a page or run that lies decrypted at its place. A *view* is a ``PageSpace`` that reads one state; it
/// uses every piece that it handed out, until it ends.
///
/// 1. A piece that a view uses stays where it is, so a pointer is valid as long as the view that it came from.
/// 2. When all pieces together would exceed ``limitBytes``, unused pieces are evicted, least recently used first. So
///    the memory is bounded by that limit, or by what open views use, if that is more.
/// 3. Only the holder of `opening` changes the memory: it decrypts a piece, or gives one back. `table` is held only
///    briefly, never while the disk is read.
/// 4. A piece is opened only where no other piece is in use: no state that is read has another page there. A view
///    ends before its state loses its pin.
final class DecryptedPages: Sendable {
    let memory: ReservedMemory
    let pageLimit: UInt32
    let path: String
    let limitBytes: Int
    private let opener: any PageOpener
    private let opening = Mutex(())
    private let table: Mutex<PieceTable>
    private let isFull = Atomic(false)

    init(opener: any PageOpener, byteCount: Int, limitBytes: Int, path: String) throws(StorageError) {
        memory = try ReservedMemory(byteCount: byteCount, path: path)
        pageLimit = UInt32(clamping: byteCount >> Pages.sizeShift)
        self.path = path
        self.limitBytes = limitBytes
        self.opener = opener
        table = Mutex(PieceTable(owners: try PageWords(count: Int(pageLimit), path: path)))
    }

    /// A second, independent cache for the same file.
    func another() throws(StorageError) -> DecryptedPages {
        try DecryptedPages(
            opener: opener, byteCount: Int(pageLimit) << Pages.sizeShift, limitBytes: limitBytes, path: path)
    }

    // MARK: - Views

    /// Zeroed words for a new view.
    func takeWords() throws(StorageError) -> PageWords {
        if let idle = table.withLock({ $0.idleWords.popLast() }) { return idle }
        return try PageWords(count: Int(pageLimit), path: path)
    }

    /// Makes a piece available to a view, which uses it from now on if it is sound.
    func use(_ pointer: PagePointer, _ kind: PageKind, by view: PageSpace) -> PageReading {
        if table.withLock({ $0.use(pointer, kind, by: view) }) { return .sound }
        return opening.withLock { _ in
            let room = table.withLock { $0.room(for: pointer, kind, by: view, limitBytes: limitBytes) }
            switch room {
            case .isThere: return .sound
            case .isTaken: return .damaged
            case .free(let runs):
                giveBack(runs)
                return open(pointer, kind, for: view)
            }
        }
    }

    /// `opening` is held.
    private func open(_ pointer: PagePointer, _ kind: PageKind, for view: PageSpace) -> PageReading {
        let place = memory.base + Int(pointer.page) << Pages.sizeShift
        let reading = opener.open(pointer, kind, into: memory.base)
        // Readers trust a node's offsets, so they are checked once, here.
        guard reading == .sound, kind != .tree || TreeNode.isSound(place, level: pointer.level) else {
            giveBack([PageRun(page: pointer.page, count: UInt32(clamping: pointer.pageCount(kind)))])
            return reading == .sound ? .damaged : reading
        }
        let bytes = table.withLock { table in
            table.add(pointer, kind)
            _ = table.use(pointer, kind, by: view)
            return table.bytes
        }
        isFull.store(bytes > limitBytes, ordering: .relaxed)
        return .sound
    }

    /// Ends a view's use of one piece.
    func letGo(_ pointer: PagePointer, _ view: PageSpace) {
        if table.withLock({ $0.letGo(pointer, view) }) > limitBytes { shrink(to: limitBytes) }
    }

    /// Ends a view and all its uses, and takes its words back.
    func end(_ view: PageSpace, _ words: PageWords) {
        var hasEnded = false
        while !hasEnded { hasEnded = table.withLock { $0.end(view, words) } }
        if bytes > limitBytes { shrink(to: limitBytes) }
    }

    /// Evicts every piece that no view uses.
    func forgetUnused() {
        shrink(to: 0)
    }

    private func shrink(to target: Int) {
        opening.withLock { _ in
            while true {
                let runs = table.withLock { $0.shrink(to: target) }
                if runs.isEmpty { break }
                giveBack(runs)
            }
            isFull.store(bytes > limitBytes, ordering: .relaxed)
        }
    }

    /// Gives memory back to the system. `opening` is held, and no piece lies in the runs.
    private func giveBack(_ runs: [PageRun]) {
        for run in runs {
            madvise(
                memory.base + Int(run.page) << Pages.sizeShift, Int(run.count) << Pages.sizeShift, MADV_DONTNEED)
        }
    }

    // MARK: - How much there is

    /// The bytes of all decrypted pieces.
    var bytes: Int { table.withLock { $0.bytes } }

    /// Whether the reader of a view should go on in a new one: all pieces exceed the limit, and the view uses much of
    /// it.
    func isCrowded(by view: PageSpace) -> Bool {
        isFull.load(ordering: .relaxed) && view.usedBytes.load(ordering: .relaxed) > limitBytes / 8
    }
}

/// Address space without a file behind it, zero until it is written.
final class ReservedMemory: Sendable {
    /// nonisolated(unsafe): set once.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    let byteCount: Int

    init(byteCount: Int, path: String) throws(StorageError) {
        let memory = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw StorageError(errno: ENOMEM, doing: "open the file", path: path)
        }
        // A huge page would take 2 MiB for each touched page of 4 KiB, and keep it until all its pages are given back.
        // Systems without huge pages refuse this call, and do not need it.
        madvise(memory, byteCount, MADV_NOHUGEPAGE)
        base = memory
        self.byteCount = byteCount
        AddressSpace.took(byteCount)
    }

    deinit {
        munmap(base, byteCount)
        AddressSpace.gaveBack(byteCount)
    }
}

/// A word for each page of a file, zero at first. Only written parts cost memory.
final class PageWords: Sendable {
    /// nonisolated(unsafe): set once; the words are atomic.
    nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt32>>
    /// About how many were ever written. nonisolated(unsafe): only the holder of the table of pieces uses it.
    nonisolated(unsafe) var written = 0
    private let count: Int

    init(count: Int, path: String) throws(StorageError) {
        let memory = mmap(nil, count * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw StorageError(errno: ENOMEM, doing: "open the file", path: path)
        }
        // Zeroed memory is a valid array of zero atomics.
        words = memory.bindMemory(to: Atomic<UInt32>.self, capacity: count)
        self.count = count
    }

    deinit {
        munmap(words, count * 4)
    }

    /// Gives memory to the words of the first pages, at most to those of 64 MB. Otherwise each page of words would cost a
    /// fault when it is first read and another one when it is first written, which interrupts the other processors.
    func prepare(_ pageCount: Int) {
        let byteCount = min(pageCount, count) * 4
        // An older kernel does not know the call, and nothing depends on it.
        if byteCount > 0 { madvise(words, min(byteCount, Self.preparedBytesMaximum), MADV_POPULATE_WRITE) }
    }

    private static let preparedBytesMaximum = 64 << 10
}
