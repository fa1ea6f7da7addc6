import CausewaySeeds
@testable import CausewayStorage

/// The free space beside a naive account of it: a set of pages for every state, written down page by page.
///
/// Allocates and frees at random, aborts, reopens, loses commits as a power loss does, and says what is wrong.
struct SpaceModel {
    struct State {
        var live: [LiveRun] = []
        var record = FreeSpaceRecord.empty

        var pages: Set<UInt32> {
            var pages = Set(live.flatMap { $0.page..<$0.page + UInt32($0.count) })
            for segment in record.segments {
                pages.formUnion(segment.page..<segment.page + UInt32(segment.pageCount(.run)))
            }
            return pages
        }
    }

    struct LiveRun {
        var page: UInt32
        var count: Int
        var birth: UInt64
    }

    let file: MemoryFile
    private var random: SeededNumbers
    /// The newest state, and those that are protected.
    private var states: [UInt64: State] = [1: State()]
    private var pagesOfStates: [UInt64: Set<UInt32>] = [1: []]
    private var newest: UInt64 = 1
    private var pins: Set<UInt64> = []
    private var durable: UInt64 = 1
    private(set) var problems: [String] = []
    private(set) var segmentsSeen = 0

    init(seed: UInt64) throws {
        random = SeededNumbers(seed: seed)
        file = try MemoryFile()
    }

    private var state: State { states[newest]! }
    private var protected: [UInt64] { (pins + [durable, newest]).sorted() }

    mutating func step() throws {
        switch random.below(20) {
        case 0: pins.insert(newest)
        case 1: if let pin = pins.randomElement(using: &random) { pins.remove(pin) }
        case 2: durable = newest
        case 3: try reopen(newest)
        case 4: if random.below(4) == 0 { try losePower() }
        case 5, 6: try transaction(isKept: false)
        default: try transaction(isKept: true)
        }
        forgetStates()
    }

    private mutating func forgetStates() {
        let kept = Set(protected)
        states = states.filter { kept.contains($0.key) }
        pagesOfStates = pagesOfStates.filter { kept.contains($0.key) }
    }

    // MARK: - Steps

    private mutating func transaction(isKept: Bool) throws {
        file.transaction += 1
        let freeSpace = file.freeSpace
        let before = (freeSpace.endPage, unused(freeSpace))
        freeSpace.begin(transaction: file.transaction, protected: protected)
        freeSpace.takesLowest = random.below(8) == 0
        if random.below(10) == 0 { freeSpace.cutEnd() }
        let output = MemoryOutput(file)
        var next = state
        try change(&next, output)
        if isKept || random.below(2) == 0 {
            next.record = try freeSpace.encode(into: output, inlineLimit: 512)
        }
        check(output.added.map { $0.page..<$0.page + UInt32($0.count) })
        if isKept {
            freeSpace.commit()
            newest = file.transaction
            states[newest] = next
            pagesOfStates[newest] = next.pages
            segmentsSeen = max(segmentsSeen, next.record.segments.count)
            checkAccount()
        } else {
            freeSpace.abort()
            if freeSpace.endPage != before.0 || unused(freeSpace) != before.1 { report("an abort changed something") }
        }
    }

    private mutating func change(_ next: inout State, _ output: MemoryOutput) throws {
        // Now and then a large commit, or one that empties the file.
        let isLarge = random.below(40) == 0
        let removals = isLarge ? random.below(next.live.count + 1) : min(next.live.count, random.below(12))
        let additions = isLarge ? random.below(150) : random.below(next.live.count > 400 ? 8 : 14)
        for _ in 0..<removals {
            let run = next.live.remove(at: random.below(next.live.count))
            file.freeSpace.free(run.page, run.count, birth: run.birth)
        }
        for _ in 0..<additions {
            let bytes = random.below(3) > 0 ? 1 : random.below(12 * Pages.sizeBytes)
            let pointer = try output.add(run: [UInt8](repeating: 1, count: bytes))
            next.live.append(
                LiveRun(page: pointer.page, count: pointer.pageCount(.run), birth: pointer.birth))
            if random.below(16) == 0 {
                next.live.removeLast()
                output.free(pointer, kind: .run)
            }
        }
    }

    private mutating func reopen(_ transaction: UInt64) throws {
        file.freeSpace = try FreeSpace(record: states[transaction]!.record, space: try file.freshSpace())
        newest = transaction
        checkAccount()
    }

    /// The newest durable state comes back, and nobody has anything open.
    private mutating func losePower() throws {
        pins = []
        try reopen(durable)
    }

    /// Lets go of everything and commits a few times, so that nothing has a reason to wait.
    mutating func settle() throws {
        pins = []
        for _ in 0..<4 {
            durable = newest
            forgetStates()
            try transaction(isKept: true)
        }
        durable = newest
        file.transaction += 1
        file.freeSpace.begin(transaction: file.transaction, protected: [newest])
        file.freeSpace.abort()
        if file.freeSpace.waitingPages != 0 { report("\(file.freeSpace.waitingPages) pages still wait") }
        let all = Int(file.freeSpace.endPage - FreeSpace.firstPage)
        if file.freeSpace.freePages + state.pages.count != all { report("pages were lost") }
    }

    // MARK: - Checks

    private mutating func report(_ problem: String) {
        problems.append("transaction \(file.transaction): \(problem)")
    }

    /// Nothing that was handed out may belong to a protected state, or be handed out twice.
    private mutating func check(_ added: [Range<UInt32>]) {
        var seen: Set<UInt32> = []
        for page in added.joined() {
            if !seen.insert(page).inserted { report("page \(page) was handed out twice") }
            for state in protected where pagesOfStates[state]!.contains(page) {
                report("page \(page) belongs to state \(state)")
            }
            if page < FreeSpace.firstPage || page >= file.freeSpace.endPage {
                report("page \(page) is not in the file")
            }
        }
    }

    private func unused(_ freeSpace: FreeSpace) -> Set<UInt32> {
        Set((freeSpace.holes.runs + freeSpace.waiting.runs.map(\.run)).flatMap { $0.page..<$0.end })
    }

    /// Every page is in exactly one place, and the record says the same.
    private mutating func checkAccount() {
        let freeSpace = file.freeSpace
        let live = pagesOfStates[newest]!
        let unused = unused(freeSpace)
        if !live.isDisjoint(with: unused) { report("pages are used and unused: \(live.intersection(unused))") }
        if live.union(unused) != Set(FreeSpace.firstPage..<freeSpace.endPage) { report("pages are nowhere") }
        if unused.count != freeSpace.freePages + freeSpace.waitingPages { report("the numbers are wrong") }
        guard let space = try? file.freshSpace(), let read = try? FreeSpace(record: state.record, space: space) else {
            report("the record cannot be read")
            return
        }
        if self.unused(read) != unused || read.endPage != freeSpace.endPage { report("the record says something else") }
        if read.log != freeSpace.log || read.segments != freeSpace.segments { report("the record goes on differently") }
        let recorded = pageByPage(read.waiting.runs)
        for (page, life) in pageByPage(freeSpace.waiting.runs) where recorded[page] != life {
            report("page \(page) waits for \(life), and the record says \(recorded[page] ?? [])")
        }
    }

    private func pageByPage(_ runs: [WaitingRun]) -> [UInt32: [UInt64]] {
        var pages: [UInt32: [UInt64]] = [:]
        for run in runs { for page in run.run.page..<run.run.end { pages[page] = [run.birth, run.freed] } }
        return pages
    }
}
