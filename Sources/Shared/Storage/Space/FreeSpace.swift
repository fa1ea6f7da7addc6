/// The pages of the file that no state needs. Owned by the one writer, and changed only between `begin` and `commit`.
///
/// 1. Every page from `firstPage` up to `endPage` is used by the newest state, or a hole, or waiting. A hole belongs to
///    no protected state and may be written. A waiting page belongs to older states, from its birth until it was
///    freed. It becomes a hole when none of those states is protected.
/// 2. Pages that a transaction frees wait at least until the next one begins, also those that it took itself. So a page
///    is never written twice under one birth: readers, and the nonce, identify it by its birth.
/// 3. A transaction that is aborted changes nothing, except that the holes found by `begin` stay holes.
/// 4. The record may hold a hole as waiting, for states that are no longer protected.
final class FreeSpace {
    static let firstPage: UInt32 = 4
    /// The end is cut off only if it is longer than this many pages and this part of the file, or on request. Pages
    /// that the next commits need again are not worth a change of the file's length.
    static let smallestCutPages: UInt32 = 256
    static let smallestCutPart: UInt32 = 8
    /// Single pages come from stretches of at least this many pages while there are any, because neighbouring pages are
    /// written in one call.
    static let stretchPages = 8
    /// The number of pages that a commit of one property writes if its header cannot carry it.
    static let shortStretchPages = 4
    /// Shorter holes with at most this many pages together are not used while the file is longer than its used part.
    /// Each would cost a commit a separate write, and they grow when their neighbours are freed.
    static let looseHolesMaximum = 64

    /// The end of the used part of the file.
    private(set) var endPage: UInt32
    /// Whether to hand out the lowest free pages, however scattered, so that the end of the file can be cut.
    var takesLowest = false
    /// The end of the file itself. Up to here the used part can grow without a call that can fail.
    var fileEndPage: UInt32 = 0

    // Nothing here calls out while it changes, so accesses never overlap; checking them costs as much as a change.
    @exclusivity(unchecked) var holes = HoleMap()
    @exclusivity(unchecked) var waiting = WaitingRuns()
    let pageLimit: UInt32
    /// Empty between two calls; keeps its capacity.
    @exclusivity(unchecked) private var released: [PageRun] = []

    // The record in the newest state's header.
    var log = SpaceLog()
    var segments: [PagePointer] = []

    /// The current transaction; nil between two.
    @exclusivity(unchecked) var current: Current?

    struct Current {
        var transaction: UInt64
        var protected: ProtectedStates
        var oldEndPage: UInt32
        /// Runs taken out of holes.
        var taken: [PageRun] = []
        var freed: [(run: PageRun, birth: UInt64)] = []
        /// How many of `taken` and `freed` are already in the record and must not change.
        var recordedTaken = 0
        var recordedFreed = 0
        /// The page to try first for the next single page.
        var nextPage: UInt32 = 0
        /// The record after this transaction.
        var record: (log: SpaceLog, segments: [PagePointer])?
        /// The bytes of a new segment; the output reads them until the end of the commit.
        var segmentBytes: UnsafeMutableRawBufferPointer?
    }

    /// Starts with every page used. The record then adds the free ones.
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

    /// Begins a transaction, and turns waiting pages into holes if no protected state contains them.
    /// - Parameters:
    ///   - protected: states whose pages must not be written, ascending; the newest is among them.
    ///   - ranges: ranges of states that are all protected.
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

    /// Makes the changes since `begin` the newest state. They must have been encoded.
    func commit() {
        // Taken rather than copied: there can be hundreds of thousands of commits, and this is most of a commit's
        // memory.
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

    /// Takes consecutive pages, out of a hole or from the end.
    /// - Returns: the first page. When the file cannot have so many, a page beyond any limit.
    func allocate(_ pages: Int) -> UInt32 {
        precondition(current != nil && pages > 0, "pages are taken in a transaction")
        guard let count = UInt32(exactly: pages) else { return .max }
        if let page = pages == 1 ? singlePage() : holes.lowest(pages) {
            take(PageRun(page: page, count: count))
            return page
        }
        // The run begins with the hole at the very end, if there is one.
        let page = max(holes.start(ofRunUpTo: endPage), Self.firstPage)
        guard UInt64(page) + UInt64(count) < UInt64(UInt32.max) else { return .max }
        take(PageRun(page: page, count: endPage - page))
        endPage = page + count
        return page
    }

    /// Frees pages of the newest state, or pages that this transaction took.
    /// - Parameter birth: the birth in the pointer to them.
    func free(_ page: UInt32, _ count: Int, birth: UInt64) {
        guard let transaction = current?.transaction else { preconditionFailure("pages are freed in a transaction") }
        // A pointer in a damaged file may say anything. Pages outside of the used part are ignored.
        guard page >= Self.firstPage, page < endPage, let count = UInt32(exactly: count), count <= endPage - page else {
            return
        }
        current?.freed.append((PageRun(page: page, count: count), birth > transaction ? 0 : birth))
    }

    /// Cuts the holes at the end off the used part. The file itself must keep the length that headers of protected
    /// states need.
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
