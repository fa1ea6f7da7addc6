/// Which pages of the file no state needs. Owned by the one writer, and changed between `begin` and `commit` alone.
///
/// 1. Every page from `firstPage` up to `endPage` is used by the newest state, or a hole, or waiting. A hole belongs to
///    no protected state and may be written. A waiting page belongs to older states, from its birth on until it was
///    freed; it becomes a hole when none of those is protected.
/// 2. Pages that a transaction frees wait at least until the next one begins, also those it took itself: a page is
///    never written twice under one birth, because its birth is what readers, and the nonce, know it by.
/// 3. A transaction that is aborted changes nothing. Only what `begin` found to be holes stays found.
/// 4. What a hole is, the record need not say: it may also hold it as waiting, for states that are protected no more.
final class FreeSpace {
    static let firstPage: UInt32 = 4
    /// The end is only cut off when that gives back so many pages and such a part of the file, or when asked for:
    /// what the next commits need again is not worth a change of the file's length.
    static let smallestCutPages: UInt32 = 256
    static let smallestCutPart: UInt32 = 8
    /// Single pages are handed out from stretches of so many while there are any, because pages that lie together
    /// are written together.
    static let stretchPages = 8
    /// As many as a commit of one property writes.
    static let shortStretchPages = 4
    /// So few pages in shorter holes are left alone where the file is longer than its used part: each hole would cost a
    /// commit a write of its own, and they become longer when their neighbours are given up.
    static let looseHolesMaximum = 64

    /// Where the used part of the file ends.
    private(set) var endPage: UInt32
    /// Hands out the lowest pages there are, however they are strewn: for moving the end of the file forward.
    var takesLowest = false
    /// Where the file itself ends: up to here the used part can grow without anything that could fail.
    var fileEndPage: UInt32 = 0

    // Nothing here calls out while it changes, so accesses never overlap; checking them costs as much as a change.
    @exclusivity(unchecked) var holes = HoleMap()
    @exclusivity(unchecked) var waiting = WaitingRuns()
    let pageLimit: UInt32
    /// Empty between two calls; keeps its room.
    @exclusivity(unchecked) private var released: [PageRun] = []

    // As the newest state's header has it.
    var log = SpaceLog()
    var segments: [PagePointer] = []

    /// The transaction that goes on; nil between two.
    @exclusivity(unchecked) var current: Current?

    struct Current {
        var transaction: UInt64
        var protected: ProtectedStates
        var oldEndPage: UInt32
        /// Runs that were holes.
        var taken: [PageRun] = []
        var freed: [(run: PageRun, birth: UInt64)] = []
        /// How many of both are in the record already and must stay as they are.
        var recordedTaken = 0
        var recordedFreed = 0
        /// Where the next single page is looked for.
        var nextPage: UInt32 = 0
        /// The record as this transaction leaves it.
        var record: (log: SpaceLog, segments: [PagePointer])?
        /// The bytes of a new segment; the output reads them until the end of the commit.
        var segmentBytes: UnsafeMutableRawBufferPointer?
    }

    /// With every page used; the record then tells which are not.
    init(endPage: UInt32, space: PageSpace) {
        self.endPage = endPage
        pageLimit = space.pageLimit
    }

    deinit {
        current?.segmentBytes?.deallocate()
    }

    var freePages: Int { holes.pageCount }
    var waitingPages: Int { waiting.pageCount }

    // MARK: - A transaction

    /// - Parameters:
    ///   - protected: states whose pages must not be written, ascending; the newest is among them.
    ///   - ranges: stand for every state in them.
    func begin(transaction: UInt64, protected: [UInt64], ranges: [ClosedRange<UInt64>] = []) {
        precondition(current == nil, "one transaction at a time")
        let states = ProtectedStates(protected, ranges: ranges)
        waiting.release(states) { released.append($0) }
        holes.insert(released)
        released.removeAll(keepingCapacity: released.count < 1024)
        current = Current(transaction: transaction, protected: states, oldEndPage: endPage)
        let tail = endPage - max(holes.start(ofRunUpTo: endPage), Self.firstPage)
        if tail > max(Self.smallestCutPages, endPage / Self.smallestCutPart) { cutEnd() }
    }

    /// Makes the changes since `begin` the newest state. They have been encoded.
    func commit() {
        // Taken out rather than copied: commits come by the hundred thousand, and this is most of what one keeps.
        guard let current = current.take(), let record = current.record else {
            preconditionFailure("nothing was encoded")
        }
        for (run, birth) in current.freed {
            if birth == current.transaction {
                holes.insert(run)
            } else {
                waiting.add(WaitingRun(run: run, birth: birth, freed: current.transaction))
            }
        }
        (log, segments) = record
        current.segmentBytes?.deallocate()
    }

    /// Forgets the changes since `begin`. Does nothing between two transactions.
    func abort() {
        guard let current else { return }
        for run in current.taken { holes.insert(run) }
        endPage = current.oldEndPage
        end()
    }

    private func end() {
        current?.segmentBytes?.deallocate()
        current = nil
    }

    // MARK: - Pages

    /// Takes pages that lie in a row, out of a hole or from the end.
    /// - Returns: the first. When the file cannot have so many, a page that lies beyond any limit.
    func allocate(_ pages: Int) -> UInt32 {
        precondition(current != nil && pages > 0, "pages are taken in a transaction")
        guard let count = UInt32(exactly: pages) else { return .max }
        if let page = pages == 1 ? singlePage() : holes.lowest(pages) {
            take(PageRun(page: page, count: count))
            return page
        }
        // A hole at the very end is the beginning of the run.
        let page = max(holes.start(ofRunUpTo: endPage), Self.firstPage)
        guard UInt64(page) + UInt64(count) < UInt64(UInt32.max) else { return .max }
        take(PageRun(page: page, count: endPage - page))
        endPage = page + count
        return page
    }

    /// Gives up pages that the newest state contained, or that this transaction took.
    /// - Parameter birth: of the pointer to them.
    func free(_ page: UInt32, _ count: Int, birth: UInt64) {
        guard let transaction = current?.transaction else { preconditionFailure("pages are freed in a transaction") }
        // A pointer out of a damaged file may say anything. What is not a page of ours stays lost.
        guard page >= Self.firstPage, page < endPage, let count = UInt32(exactly: count), count <= endPage - page else {
            return
        }
        current?.freed.append((PageRun(page: page, count: count), birth > transaction ? 0 : birth))
    }

    /// Gives the holes at the end of the used part back. The file itself must keep the length that headers of
    /// protected states ask for.
    func cutEnd() {
        precondition(current != nil, "the end is cut in a transaction")
        let end = max(holes.start(ofRunUpTo: endPage), Self.firstPage)
        take(PageRun(page: end, count: endPage - end))
        endPage = end
    }

    private func singlePage() -> UInt32? {
        if takesLowest { return holes.lowest(1) }
        if let next = current?.nextPage, holes.contains(next) { return next }
        if let stretch = holes.lowest(Self.stretchPages) ?? holes.lowest(Self.shortStretchPages) { return stretch }
        if endPage < fileEndPage, holes.pageCount <= Self.looseHolesMaximum { return nil }
        return holes.lowest(2) ?? holes.lowest(1)
    }

    private func take(_ run: PageRun) {
        guard run.count > 0 else { return }
        holes.remove(run)
        current?.note(taken: run)
    }
}

extension FreeSpace.Current {
    fileprivate mutating func note(taken run: PageRun) {
        nextPage = run.end
        if let last = taken.last, last.end == run.page, taken.count > recordedTaken {
            taken[taken.count - 1].count += run.count
        } else {
            taken.append(run)
        }
    }
}
