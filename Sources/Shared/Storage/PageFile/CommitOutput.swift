import CausewayEnvironment
import Glibc

/// Writes the pages of one commit: gives them places, seals them, and writes them to the disk in long stretches.
final class CommitOutput: PageOutput {
    /// Pages are written when this much has gathered, so that a large commit needs little memory.
    private static let batchBytes = 1 << 20

    private struct Piece {
        var pointer: PagePointer
        var kind: PageKind
        var bytes: UnsafeRawBufferPointer
        /// The memory of a page from ``makePage()``, which is reused once the page is written.
        var memory: UnsafeMutableRawPointer?
    }

    let birth: UInt64
    let space: PageSpace
    private let file: PageFile
    private let freeSpace: FreeSpace
    private var pieces: [Piece] = []
    private var gatheredBytes = 0
    private let memory: PageMemory
    /// nonisolated(unsafe): never written.
    nonisolated(unsafe) private static let zeros = zeroedPage()

    private var kept: [UnsafeMutableRawBufferPointer] = []

    private(set) var writtenBytes = 0
    /// Called after each batch of pages with the bytes written so far. A copy paces itself here: nobody waits for the
    /// file that it writes. An error makes the commit fail.
    var afterBatch: ((_ writtenBytes: Int) throws(StorageError) -> Void)?
    /// Pages added minus pages freed.
    private(set) var pageBalance = 0

    /// - Parameter space: a view of the state that the commit changes.
    init(_ file: PageFile, _ space: PageSpace, freeSpace: FreeSpace, birth: UInt64) {
        self.file = file
        self.space = space
        self.freeSpace = freeSpace
        self.birth = birth
        memory = file.writing.pageMemory
        pieces.reserveCapacity(8)
    }

    deinit {
        for bytes in kept { bytes.deallocate() }
    }

    private static func zeroedPage() -> UnsafeRawPointer {
        let page = UnsafeMutableRawPointer.allocate(byteCount: Pages.sizeBytes, alignment: 16)
        memset(page, 0, Pages.sizeBytes)
        return UnsafeRawPointer(page)
    }

    /// Takes ownership of memory that must stay until the commit is over.
    func keep(_ bytes: UnsafeMutableRawBufferPointer) {
        kept.append(bytes)
    }

    // MARK: - Taking pages

    func makePage() -> UnsafeMutableRawPointer { memory.takePage() }

    func finish(
        _ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32
    ) throws(StorageError) -> PagePointer {
        let bytes = UnsafeRawBufferPointer(start: page, count: Pages.sizeBytes)
        return try add(bytes, kind, level: level, extent: extent, memory: page)
    }

    func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer {
        guard let extent = UInt32(exactly: bytes.count) else {
            throw StorageError(.keyTooLong, "A leaf has more than 4 GB. Split it into smaller ones.", path: file.path)
        }
        return try add(bytes, .run, level: 0, extent: extent, memory: nil)
    }

    private func add(
        _ bytes: UnsafeRawBufferPointer, _ kind: PageKind, level: UInt8, extent: UInt32,
        memory: UnsafeMutableRawPointer?
    ) throws(StorageError) -> PagePointer {
        let pageCount = Pages.count(ofBytes: bytes.count)
        let page = freeSpace.allocate(pageCount)
        guard Int(page) + pageCount <= Int(file.space.pageLimit) else { throw mapIsFull() }
        var pointer = PagePointer(
            page: page, extent: extent, birth: birth, level: level, check: 0, checkHigh: 0)
        var stored = bytes
        if let seal = file.seal {
            stored = try seal.seal(bytes, &pointer, kind)
        } else if let base = bytes.baseAddress {
            // The bytes are in this process's memory, so reading them cannot fail.
            pointer.check = PageSpace.checksum(base, pointer, kind) ?? 0
        } else {
            pointer.check = PageSpace.checksum(Self.zeros, pointer, kind) ?? 0
        }
        pieces.append(Piece(pointer: pointer, kind: kind, bytes: stored, memory: memory))
        gatheredBytes += pageCount * Pages.sizeBytes
        pageBalance += pageCount
        if gatheredBytes >= Self.batchBytes { try flush() }
        return pointer
    }

    func free(_ pointer: PagePointer, kind: PageKind) {
        let pageCount = pointer.pageCount(kind)
        pageBalance -= pageCount
        freeSpace.free(pointer.page, pageCount, birth: pointer.birth)
    }

    // MARK: - Writing them

    /// Writes all gathered pages to the disk, neighbours in one call.
    func flush() throws(StorageError) {
        guard !pieces.isEmpty else { return }
        pieces.sort { $0.pointer.page < $1.pointer.page }
        try growFile()
        var first = 0
        while first < pieces.count {
            var stretch: [UnsafeRawBufferPointer] = []
            stretch.reserveCapacity(min(pieces.count - first, maximumPieces))
            var next = first
            var page = Int(pieces[first].pointer.page)
            while next < pieces.count, Int(pieces[next].pointer.page) == page, stretch.count + 2 <= maximumPieces {
                let bytes = pieces[next].bytes
                let pageCount = Pages.count(ofBytes: bytes.count)
                if !bytes.isEmpty { stretch.append(bytes) }
                let rest = pageCount * Pages.sizeBytes - bytes.count
                if rest > 0 { stretch.append(UnsafeRawBufferPointer(start: Self.zeros, count: rest)) }
                page += pageCount
                next += 1
            }
            let result = file.disk.writeWhole(stretch, at: Int(pieces[first].pointer.page) * Pages.sizeBytes)
            guard result == 0 else { throw StorageError(errno: Int32(-result), doing: "commit", path: file.path) }
            file.writing.sizeBytes = max(file.writing.sizeBytes, page * Pages.sizeBytes)
            first = next
        }
        // The page cache now holds the bytes whose checksums were computed above.
        for piece in pieces {
            file.space.noteSeen(piece.pointer, piece.kind)
            if let page = piece.memory { memory.giveBack(page) }
        }
        writtenBytes += gatheredBytes
        gatheredBytes = 0
        pieces.removeAll(keepingCapacity: true)
        file.seal?.forgetSealed()
        try afterBatch?(writtenBytes)
    }

    var needsRuns: Bool { !pieces.isEmpty }

    /// Writes the rest. Afterwards the file is at least as long as its used part.
    func finishWriting() throws(StorageError) {
        try flush()
        let needed = Int(freeSpace.endPage) * Pages.sizeBytes
        if needed > file.writing.sizeBytes { try reserve(needed) }
    }

    /// Reserves room for the pages before writing them, in steps that grow with the file, so that its length changes
    /// less often. A large commit gains nothing by that, because it fills the room itself.
    private func growFile() throws(StorageError) {
        let needed = Int(freeSpace.endPage) * Pages.sizeBytes
        guard needed > file.writing.sizeBytes, writtenBytes + gatheredBytes < Self.batchBytes else { return }
        try reserve(needed)
    }

    private func reserve(_ needed: Int) throws(StorageError) {
        let size = min(FileGrowth.size(for: needed), Int(file.space.pageLimit) * Pages.sizeBytes)
        var result = file.disk.reserveWhole(max(size, needed))
        // The disk may still have room for the pages of this commit.
        if result == -Int(ENOSPC) || result == -Int(EDQUOT) || result == -Int(EFBIG) {
            result = file.disk.reserveWhole(needed)
        }
        guard result == 0 else { throw StorageError(errno: Int32(-result), doing: "commit", path: file.path) }
        file.writing.sizeBytes = file.disk.size()
    }

    private func mapIsFull() -> StorageError {
        StorageError(
            .mapFull,
            "Cannot commit: the file has grown to the \(Int(file.space.pageLimit) * Pages.sizeBytes) bytes reserved "
                + "for it. The transaction was undone. Delete objects that are no longer needed, or keep "
                + "the data in several files.",
            path: file.path)
    }
}

/// How a file grows ahead of small commits: by an eighth of itself. The largest step is one that is still filled with
/// zeros, which makes each later fsync faster; see ``SystemFile/reserve(_:)``.
enum FileGrowth {
    static let smallestStepBytes = 256 << 10
    static let largestStepBytes = 4 << 20

    static func size(for needed: Int) -> Int {
        let step = min(max(needed / 8, smallestStepBytes), largestStepBytes)
        return (needed + step - 1) / step * step
    }
}
