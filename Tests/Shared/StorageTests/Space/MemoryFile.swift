import Glibc

@testable import CausewayStorage

/// A file in memory: pages by number, a free-space owner, and which pages are in use, kept by hand.
final class MemoryFile {
    let pages: MappedPages
    let space: PageSpace
    var freeSpace: FreeSpace
    var transaction: UInt64 = 1
    var roots: [UInt64: PagePointer] = [:]

    init(pageLimit: UInt32 = 1 << 16) throws {
        pages = MappedPages(pageLimit: pageLimit)
        space = try PageSpace(base: pages.base, pageLimit: pageLimit, path: "memory", owner: pages)
        freeSpace = try FreeSpace(record: .empty, space: space)
    }

    /// A second look at the same bytes, which has checked nothing yet.
    func freshSpace() throws -> PageSpace {
        try PageSpace(base: pages.base, pageLimit: space.pageLimit, path: "memory", owner: pages)
    }

    /// Runs a body as one commit over the state before it, which stays as the only protected one.
    @discardableResult
    func commit(
        protected: [UInt64]? = nil, inlineLimit: Int = 3000, _ body: (MemoryOutput) throws -> Void = { _ in }
    ) throws -> FreeSpaceRecord {
        let before = transaction
        transaction += 1
        freeSpace.begin(transaction: transaction, protected: protected ?? [before])
        let output = MemoryOutput(self)
        try body(output)
        let record = try freeSpace.encode(into: output, inlineLimit: inlineLimit)
        freeSpace.commit()
        return record
    }
}

extension FreeSpaceRecord {
    static let empty = FreeSpaceRecord(endPage: FreeSpace.firstPage, inline: [], segments: [])
}

final class MappedPages: Sendable {
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    private let byteCount: Int

    init(pageLimit: UInt32) {
        byteCount = Int(pageLimit) * Pages.sizeBytes
        base = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)!
    }

    deinit { munmap(base, byteCount) }

    func page(_ number: UInt32) -> UnsafeMutableRawPointer { base + Int(number) * Pages.sizeBytes }
}

/// Writes pages at once, and keeps a list of what was added and freed.
final class MemoryOutput: PageOutput {
    struct PageRange: Hashable {
        var page: UInt32
        var count: Int
    }

    let birth: UInt64
    var space: PageSpace { file.space }
    private let file: MemoryFile
    private(set) var added: [PageRange] = []
    private(set) var freed: [PageRange] = []
    private(set) var nodesWritten = 0
    private var memory: [UnsafeMutableRawPointer] = []

    init(_ file: MemoryFile) {
        self.file = file
        birth = file.transaction
    }

    deinit {
        for page in memory { page.deallocate() }
    }

    func makePage() -> UnsafeMutableRawPointer {
        let page = UnsafeMutableRawPointer.allocate(byteCount: Pages.sizeBytes, alignment: Pages.sizeBytes)
        memset(page, 0, Pages.sizeBytes)
        memory.append(page)
        return page
    }

    func finish(
        _ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32
    ) throws(StorageError) -> PagePointer {
        nodesWritten += 1
        let pointer = add(UnsafeRawBufferPointer(start: page, count: Pages.sizeBytes), kind, level, extent)
        if memory.last == page { memory.removeLast().deallocate() }
        return pointer
    }

    func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer {
        add(bytes, .run, 0, UInt32(bytes.count))
    }

    func add(run bytes: [UInt8]) throws(StorageError) -> PagePointer {
        bytes.withUnsafeBytes { add($0, .run, 0, UInt32($0.count)) }
    }

    private func add(
        _ bytes: UnsafeRawBufferPointer, _ kind: PageKind, _ level: UInt8, _ extent: UInt32
    ) -> PagePointer {
        let count = Pages.count(ofBytes: bytes.count)
        let page = file.freeSpace.allocate(count)
        precondition(Int(page) + count <= Int(file.space.pageLimit), "the test's file is full")
        let place = UnsafeMutableRawBufferPointer(start: file.pages.page(page), count: bytes.count)
        place.copyMemory(from: bytes)
        var pointer = PagePointer(page: page, extent: extent, birth: birth, level: level, check: 0, checkHigh: 0)
        pointer.check = PageSpace.checksum(UnsafeRawPointer(file.pages.page(page)), pointer, kind)!
        added.append(PageRange(page: page, count: count))
        return pointer
    }

    func free(_ pointer: PagePointer, kind: PageKind) {
        freed.append(PageRange(page: pointer.page, count: pointer.pageCount(kind)))
        file.freeSpace.free(pointer.page, pointer.pageCount(kind), birth: pointer.birth)
    }
}
