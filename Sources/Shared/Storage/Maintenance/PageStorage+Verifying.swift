extension PageStorage {
    package func verify(_ progress: (_ done: Int, _ total: Int) -> Void) throws(StorageError) -> StorageReport {
        let snapshot = try pageSnapshot()
        // A space of its own checks every page again, also those that were sound when they were first read.
        var verification = Verification(try file.space.probe(), snapshot.header)
        return verification.run(progress)
    }
}

/// Reads everything below a header, and accounts for every page of the file.
struct Verification {
    /// How many problems are reported at most.
    private static let problemsMaximum = 100
    private static let pagesBetweenReports = 4096

    private let space: PageSpace
    private let header: FileHeader
    private let end: Int
    /// One bit for each page: set when its use is known.
    private var used: [UInt64]
    private var report = StorageReport()
    private var reported = 0

    init(_ space: PageSpace, _ header: FileHeader) {
        self.space = space
        self.header = header
        end = Int(header.freeSpace.endPage)
        used = [UInt64](repeating: 0, count: end / 64 + 1)
    }

    mutating func run(_ progress: (_ done: Int, _ total: Int) -> Void) -> StorageReport {
        mark(PageRun(page: 0, count: UInt32(FileHeader.slotCount)), "a header")
        verifyTrees(progress)
        verifyDirectory(progress)
        verifyBookkeeping()
        verifyFreeSpace()
        // The checksum of the header was right when it was read, so what it carries is sound.
        let carried = ChangeEffect(
            CommitChanges().over(header.carried), trees: TreeReader(space: space, root: header.state.trees),
            directory: LeafDirectory(space: space, root: header.state.directory))
        report.treeEntries += carried.entries
        report.leaves += carried.leaves
        progress(end, end)
        return report
    }

    // MARK: - Accounting

    private mutating func note(_ problem: String) {
        if report.problems.count < Self.problemsMaximum { report.problems.append(problem) }
    }

    private mutating func note(lost what: String, with pointer: PagePointer) {
        let page = "Page \(pointer.page)"
        note(
            space.isUnread(pointer)
                ? "\(page) could not be read, for the disk failed: without it \(what). Check the disk and the system's log."
                : "\(page) is damaged: \(what).")
    }

    /// Marks pages as used. `what` says by what, for the report.
    private mutating func mark(_ run: PageRun, _ what: @autoclosure () -> String) {
        guard Int(run.page) + Int(run.count) <= end else {
            note("Page \(run.page), \(what()), lies beyond the end of the file's used part at page \(end).")
            return
        }
        for page in Int(run.page)..<Int(run.page) + Int(run.count) {
            if used[page / 64] & 1 << UInt64(page % 64) != 0 {
                note("Page \(page), \(what()), is used twice.")
                return
            }
            used[page / 64] |= 1 << UInt64(page % 64)
        }
        report.pages += Int(run.count)
    }

    private mutating func mark(_ pointer: PagePointer, _ kind: PageKind, _ what: @autoclosure () -> String) {
        mark(PageRun(page: pointer.page, count: UInt32(clamping: pointer.pageCount(kind))), what())
    }

    private mutating func tell(_ progress: (_ done: Int, _ total: Int) -> Void) {
        guard report.pages >= reported + Self.pagesBetweenReports else { return }
        reported = report.pages
        progress(report.pages, end)
    }

    // MARK: - Structures

    private mutating func verifyTrees(_ progress: (_ done: Int, _ total: Int) -> Void) {
        TreeReader(space: space, root: header.state.trees).walk(lettingGo: true) { visit in
            tell(progress)
            switch visit {
            case .node(let pointer, let bound):
                mark(pointer, .tree, "a node of the trees that begins \(Self.sentence(bound))")
                if pointer.level == 0 { report.treeEntries += Int(pointer.extent) }
            case .keyRun(let pointer, let tree):
                mark(pointer, .run, tree.map { "a long key of tree \($0)" } ?? "a long bound between keys")
            case .valueRun(let pointer, let tree, let key):
                mark(pointer, .run, "a long value of tree \(tree)")
                if !space.isRunSound(pointer) {
                    note(lost: "the value \(Self.sentence(tree, key)) is lost", with: pointer)
                }
            case .unreadable(let pointer, .run, let bound):
                note(lost: "a long key is lost \(Self.sentence(bound))", with: pointer)
            case .unreadable(let pointer, _, let bound):
                note(
                    lost: "\(pointer.extent) entries of the trees are lost \(Self.sentence(bound))", with: pointer)
            case .contradiction(let pointer, let contradiction):
                note("Page \(pointer.page), a node of the trees, contradicts itself: \(contradiction.rawValue).")
            }
            return true
        }
    }

    /// Says where in the trees a stored key lies.
    private static func sentence(_ fullKey: UnsafeRawBufferPointer) -> String {
        guard fullKey.count >= 4 else { return "from the first tree on" }
        return sentence(
            UInt32(bigEndian: fullKey.loadUnaligned(as: UInt32.self)), UnsafeRawBufferPointer(rebasing: fullKey[4...]))
    }

    private static func sentence(_ tree: UInt32, _ key: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef")
        let shown = key.prefix(32).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
        return "from key \(shown.isEmpty ? "(empty)" : shown) of tree \(tree) on"
    }

    private mutating func verifyDirectory(_ progress: (_ done: Int, _ total: Int) -> Void) {
        LeafDirectory(space: space, root: header.state.directory).walk { visit in
            tell(progress)
            switch visit {
            case .node(let pointer, let first):
                mark(pointer, .directory, "a node of the leaf directory that begins at \(first.sentence)")
            case .leaf(let place, let pointer):
                mark(pointer, .run, place.sentence)
                report.leaves += 1
                if !space.isRunSound(pointer) {
                    note(lost: "\(place.sentence) is lost", with: pointer)
                }
            case .unsound(let pointer, let first):
                note(lost: "\(pointer.leafCount) leaves from \(first.sentence) on are lost", with: pointer)
            }
            return true
        }
    }

    private mutating func verifyBookkeeping() {
        for segment in header.freeSpace.segments {
            mark(segment, .run, "a list of free pages")
            if space.run(segment) == nil { note(lost: "a list of free pages is lost", with: segment) }
        }
        guard !header.sessions.isNone else { return }
        mark(header.sessions, .run, "the table of encryption sessions")
        if space.run(header.sessions) == nil {
            note(lost: "the table of encryption sessions is lost", with: header.sessions)
        }
    }

    /// Every page is used, free, or waiting for older snapshots to end.
    private mutating func verifyFreeSpace() {
        guard let free = try? FreeSpace(record: header.freeSpace, space: space) else {
            note("The list of free pages contradicts itself.")
            return
        }
        let found = report.pages
        for run in free.holes.runs { mark(run, "a free page") }
        for run in free.waiting.runs { mark(run.run, "a page of older states") }
        // Other pages can never be reused. After damage that is expected, so it is not reported then.
        if report.isSound, report.pages != end {
            note("\(end - report.pages) pages of the file belong to nothing.")
        }
        report.pages = found
    }
}

extension LeafPlace {
    var sentence: String { "leaf \(number) of column \(column)" }
}
