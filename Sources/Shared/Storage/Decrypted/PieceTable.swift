import Synchronization

/// Records which pieces of a file lie decrypted in memory, and how many views use each; see ``DecryptedPages``.
struct PieceTable: ~Copyable {
    /// How many word arrays of ended views are kept for new views, and at how many places such an array may have been
    /// written.
    private static let idleWordsMaximum = 4
    private static let wordsWrittenMaximum = 4096
    /// How many pieces one call releases or evicts at most, so that nobody waits long for the table.
    private static let piecesAtOnce = 1024

    private struct Piece {
        /// Birth and kind, in the form of ``PageSpace/mark(_:_:)``.
        var mark: UInt32
        var pageCount: UInt32
        var users: UInt32 = 0
        /// When the last user ended; identifies the piece's newest note in `idle`.
        var idleSince: UInt64 = 0
    }

    /// Pieces by first page.
    private var pieces: [UInt32: Piece] = [:]
    /// For each page, the first page of the piece that covers it; zero where none does. No piece begins at page 0.
    private let owners: PageWords
    /// Pieces that lost their last user, in that order. Some notes are of pieces that are in use again, or evicted.
    private var idle: [(page: UInt32, since: UInt64)] = []
    private var firstIdle = 0
    private var clock: UInt64 = 0
    private var pages = 0
    /// Zeroed word arrays for new views.
    var idleWords: [PageWords] = []

    init(owners: PageWords) {
        self.owners = owners
    }

    /// Bytes of all pieces.
    var bytes: Int { pages << Pages.sizeShift }

    // MARK: - Use

    /// Notes that a view uses a piece. Returns false when the piece is not in memory.
    mutating func use(_ pointer: PagePointer, _ kind: PageKind, by view: PageSpace) -> Bool {
        let mark = PageSpace.mark(pointer, kind)
        // Another thread may have opened it for the same view.
        if view.hasSeen(pointer, mark) { return true }
        guard let place = pieces.index(forKey: pointer.page), pieces.values[place].mark == mark,
            pieces.values[place].pageCount == UInt32(clamping: pointer.pageCount(kind))
        else { return false }
        pieces.values[place].users += 1
        view.note(pointer, mark, bytes: Int(pieces.values[place].pageCount) << Pages.sizeShift)
        return true
    }

    /// Releases pieces of a view that ends, and zeroes its words. Returns false when there is more to do.
    mutating func end(_ view: PageSpace, _ words: PageWords) -> Bool {
        for _ in 0..<Self.piecesAtOnce {
            guard let page = view.takeUsedPage() else {
                dropOldNotes()
                keep(words)
                return true
            }
            words.written += 1
            endUse(of: page)
        }
        return false
    }

    /// Ends a view's use of a piece. Returns the bytes of all pieces.
    mutating func letGo(_ pointer: PagePointer, _ view: PageSpace) -> Int {
        if view.giveUp(pointer) {
            endUse(of: pointer.page)
            dropOldNotes()
        }
        return bytes
    }

    private mutating func endUse(of page: UInt32) {
        guard let place = pieces.index(forKey: page) else { preconditionFailure("a piece in use is there") }
        pieces.values[place].users -= 1
        guard pieces.values[place].users == 0 else { return }
        clock += 1
        pieces.values[place].idleSince = clock
        idle.append((page, clock))
    }

    /// Keeps words for the next view, if they do not hold much memory.
    private mutating func keep(_ words: PageWords) {
        guard idleWords.count < Self.idleWordsMaximum, words.written <= Self.wordsWrittenMaximum else { return }
        idleWords.append(words)
    }

    // MARK: - Room

    enum Room {
        /// Another thread has opened the piece meanwhile, and the view uses it.
        case isThere
        /// Another piece is in use there: the pointer cannot be right.
        case isTaken
        /// The piece can be opened once these runs have been given back.
        case free([PageRun])
    }

    /// Makes room for a piece that is about to be opened.
    mutating func room(
        for pointer: PagePointer, _ kind: PageKind, by view: PageSpace, limitBytes: Int
    ) -> Room {
        if use(pointer, kind, by: view) { return .isThere }
        let count = pointer.pageCount(kind)
        var runs: [PageRun] = []
        for page in Int(pointer.page)..<Int(pointer.page) + count {
            let owner = owners.words[page].load(ordering: .relaxed)
            guard owner != 0, let piece = pieces[owner] else { continue }
            guard piece.users == 0 else { return .isTaken }
            runs.append(remove(owner, piece))
        }
        let needed = count << Pages.sizeShift
        if bytes + needed > limitBytes { runs += shrink(to: max(0, limitBytes - limitBytes / 8 - needed)) }
        return .free(runs)
    }

    /// Evicts unused pieces, least recently used first, until the rest has at most `target` bytes, or one call's number
    /// of pieces is evicted. Returns no runs when no piece can be evicted.
    mutating func shrink(to target: Int) -> [PageRun] {
        var runs: [PageRun] = []
        while bytes > target, firstIdle < idle.count, runs.count < Self.piecesAtOnce {
            let note = idle[firstIdle]
            firstIdle += 1
            guard let piece = pieces[note.page], piece.users == 0, piece.idleSince == note.since else { continue }
            runs.append(remove(note.page, piece))
        }
        dropOldNotes()
        return runs.joinedNeighbours()
    }

    mutating func add(_ pointer: PagePointer, _ kind: PageKind) {
        let count = UInt32(clamping: pointer.pageCount(kind))
        pieces[pointer.page] = Piece(mark: PageSpace.mark(pointer, kind), pageCount: count)
        for page in pointer.page..<pointer.page + count {
            owners.words[Int(page)].store(pointer.page, ordering: .relaxed)
        }
        pages += Int(count)
    }

    private mutating func remove(_ page: UInt32, _ piece: Piece) -> PageRun {
        pieces[page] = nil
        for covered in page..<page + piece.pageCount { owners.words[Int(covered)].store(0, ordering: .relaxed) }
        pages -= Int(piece.pageCount)
        return PageRun(page: page, count: piece.pageCount)
    }

    /// Removes outdated notes when they make up most of the list of idle pieces.
    private mutating func dropOldNotes() {
        guard idle.count - firstIdle > 2 * pieces.count + 1024 || firstIdle > idle.count / 2 + 1024 else { return }
        idle = idle[firstIdle...].filter { note in
            guard let piece = pieces[note.page] else { return false }
            return piece.users == 0 && piece.idleSince == note.since
        }
        firstIdle = 0
    }
}

extension [PageRun] {
    /// The runs sorted, with neighbours joined, because each run costs a system call.
    fileprivate func joinedNeighbours() -> [PageRun] {
        var joined: [PageRun] = []
        for run in sorted(by: { $0.page < $1.page }) {
            if let last = joined.last, last.end == run.page {
                joined[joined.count - 1].count += run.count
            } else {
                joined.append(run)
            }
        }
        return joined
    }
}
