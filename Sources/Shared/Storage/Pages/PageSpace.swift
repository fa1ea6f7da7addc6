import CausewayEnvironment
import CStorage
import Glibc
import Synchronization

/// Turns pointers into bytes: one range of addresses, reserved once, in which page n lies at n × 4,096.
///
/// In a plain file the range is the file, mapped read-only, and one space serves everybody. In an encrypted one it is
/// private memory that pages are opened into, and each state is read through a ``view()`` of its own: what a view has
/// handed out stays until the view ends. Either way a page is checked on its first touch, and `seen` remembers whom it
/// was checked for; a page that is written anew has another birth, so what was remembered no longer fits and it is
/// checked again.
///
/// Reading finds no words: a page that fails counts as absent, and ``damage`` tells why from then on.
final class PageSpace: Sendable {
    /// Immutable after `init`, except for the bytes of pages that no snapshot can see.
    nonisolated(unsafe) let base: UnsafeRawPointer
    let pageLimit: UInt32
    let path: String
    /// Of an encrypted file.
    private let pages: DecryptedPages?
    /// One word a page: the low bits of the birth it was checked for, then its kind. Zero: not checked.
    /// Atomic, because snapshots of all threads share it. Those of `words`.
    nonisolated(unsafe) private let seen: UnsafeMutablePointer<Atomic<UInt32>>
    /// nonisolated(unsafe): taken by whoever ends the view, or by `deinit`.
    nonisolated(unsafe) private var words: PageWords?
    /// The first pages of what a view uses. nonisolated(unsafe): for the holder of the table of `pages` alone.
    nonisolated(unsafe) private var usedPages: [UInt32] = []
    /// How much that is.
    let usedBytes = Atomic(0)
    private let finding: DamageFinding
    private let owner: any AnyObject & Sendable
    /// Of a plain file: tells how long it is.
    private let disk: (any DiskFile)?
    private let checkedCount = Atomic(0)
    private let onManyChecked: (@Sendable () -> Void)?
    /// So many pages are touched when a file is opened and a few of its objects are read, at most.
    private static let fewPages = 256

    /// Of a plain file, or of pages in memory.
    ///
    /// - Parameters:
    ///   - disk: the mapped file; nil for pages in memory.
    ///   - owner: keeps `base` valid.
    ///   - words: zeroed, one for each page; reserved here where none are given.
    ///   - onDamage: called where a damaged page is met and cannot be thrown.
    ///   - onManyChecked: called once, when more than a few pages were touched.
    init(
        base: UnsafeRawPointer, pageLimit: UInt32, path: String, disk: (any DiskFile)? = nil,
        owner: any AnyObject & Sendable, words reserved: PageWords? = nil,
        onDamage: (@Sendable (StorageError) -> Void)? = nil,
        onManyChecked: (@Sendable () -> Void)? = nil
    ) throws(StorageError) {
        self.base = base
        self.pageLimit = pageLimit
        self.path = path
        self.disk = disk
        self.owner = owner
        self.onManyChecked = onManyChecked
        pages = nil
        finding = DamageFinding(onDamage)
        let words = if let reserved { reserved } else { try PageWords(count: Int(pageLimit), path: path) }
        self.words = words
        seen = words.words
    }

    /// Of an encrypted file.
    convenience init(
        _ pages: DecryptedPages, onDamage: (@Sendable (StorageError) -> Void)? = nil
    ) throws(StorageError) {
        try self.init(pages, DamageFinding(onDamage))
    }

    private init(_ pages: DecryptedPages, _ finding: DamageFinding) throws(StorageError) {
        base = UnsafeRawPointer(pages.memory.base)
        pageLimit = pages.pageLimit
        path = pages.path
        owner = pages
        disk = nil
        onManyChecked = nil
        self.pages = pages
        self.finding = finding
        let words = try pages.takeWords()
        self.words = words
        seen = words.words
    }

    deinit {
        end()
    }

    /// A space over the same file that has checked nothing yet, and whose findings are its own. Of an encrypted file it
    /// reserves a range of its own.
    func probe() throws(StorageError) -> PageSpace {
        guard let pages else {
            return try PageSpace(base: base, pageLimit: pageLimit, path: path, disk: disk, owner: owner)
        }
        return try PageSpace(try pages.another())
    }

    /// Reads a state that may lack pages, through a space whose findings are its own.
    ///
    /// Of an encrypted file it is a view: where addresses are short there is no room for a second range. What it read
    /// is forgotten, so that nobody takes it for a page of another state.
    func withTrial<Result>(_ body: (PageSpace) throws(StorageError) -> Result) throws(StorageError) -> Result {
        guard let pages else { return try body(try probe()) }
        let trial = try PageSpace(pages, DamageFinding(nil))
        defer {
            trial.end()
            pages.forgetUnused()
        }
        return try body(trial)
    }

    // MARK: - Views

    /// A space for whoever reads one state. What it hands out stays where it is until ``end()``, which must come before
    /// the state may lose pages. Of a plain file it is this space.
    func view() throws(StorageError) -> PageSpace {
        guard let pages else { return self }
        return try PageSpace(pages, finding)
    }

    /// Reads something through a view that ends with it.
    func withView<Result>(_ body: (PageSpace) throws(StorageError) -> Result) throws(StorageError) -> Result {
        let view = try view()
        defer { view.end() }
        return try body(view)
    }

    /// Nobody reads through this view, nor what it handed out, any more. Means nothing to a space of a plain file.
    func end() {
        guard let pages, let words = words.take() else { return }
        pages.end(self, words)
    }

    /// What lies behind a pointer is looked at no more. Only for whoever is the one reader of a view, and only soon after
    /// it was read: what was read long before stays until the view ends.
    func letGo(_ pointer: PagePointer) {
        pages?.letGo(pointer, self)
    }

    /// Whether a run is what a pointer says. Keeps nothing; for the one reader of a view.
    func isRunSound(_ pointer: PagePointer) -> Bool {
        defer { letGo(pointer) }
        return run(pointer) != nil
    }

    /// Whether a reader should go on in a new view; see ``DecryptedPages/isCrowded(by:)``.
    var isCrowded: Bool { pages?.isCrowded(by: self) ?? false }

    /// The decrypted pages, which all views share.
    var decrypted: DecryptedPages? { pages }
    var isEncrypted: Bool { pages != nil }

    /// For the holder of the table: notes that the view uses a piece.
    func note(_ pointer: PagePointer, _ mark: UInt32, bytes: Int) {
        usedPages.append(pointer.page)
        usedBytes.add(bytes, ordering: .relaxed)
        seen[Int(pointer.page)].store(mark, ordering: .releasing)
    }

    /// For the holder of the table.
    func hasSeen(_ pointer: PagePointer, _ mark: UInt32) -> Bool {
        seen[Int(pointer.page)].load(ordering: .relaxed) == mark
    }

    /// So many of the pieces that were used last may be given up.
    private static let givenUpMaximum = 64

    /// For the holder of the table: one of the pieces used last is used no more. False when it is none of them.
    func giveUp(_ pointer: PagePointer) -> Bool {
        guard let place = usedPages.suffix(Self.givenUpMaximum).lastIndex(of: pointer.page) else { return false }
        usedPages.remove(at: place)
        seen[Int(pointer.page)].store(0, ordering: .relaxed)
        return true
    }

    /// For the holder of the table: a piece that the view used and that it uses no more.
    func takeUsedPage() -> UInt32? {
        guard let page = usedPages.popLast() else { return nil }
        seen[Int(page)].store(0, ordering: .relaxed)
        return page
    }

    // MARK: - Reading

    /// The page of a tree or directory node; nil when it is damaged.
    @inline(__always)
    func node(_ pointer: PagePointer, _ kind: PageKind) -> UnsafeRawPointer? {
        guard pointer.page < pageLimit else { return refuse(pointer, kind) }
        if seen[Int(pointer.page)].load(ordering: .acquiring) == Self.mark(pointer, kind) {
            return base + Int(pointer.page) << Pages.sizeShift
        }
        return check(pointer, kind) ? base + Int(pointer.page) << Pages.sizeShift : nil
    }

    /// The bytes of a run; nil when they are damaged.
    @inline(__always)
    func run(_ pointer: PagePointer) -> UnsafeRawBufferPointer? {
        guard pointer.page < pageLimit else {
            _ = refuse(pointer, .run)
            return nil
        }
        let start = base + Int(pointer.page) << Pages.sizeShift
        if seen[Int(pointer.page)].load(ordering: .acquiring) == Self.mark(pointer, .run) || check(pointer, .run) {
            return UnsafeRawBufferPointer(start: start, count: Int(pointer.extent))
        }
        return nil
    }

    // MARK: - Checking

    @inline(__always)
    static func mark(_ pointer: PagePointer, _ kind: PageKind) -> UInt32 {
        UInt32(truncatingIfNeeded: pointer.birth) << 2 | kind.rawValue
    }

    /// Of a page just written, whose bytes are known to be right.
    func noteSeen(_ pointer: PagePointer, _ kind: PageKind) {
        guard pages == nil, pointer.page < pageLimit else { return }
        noteChecked(pointer, kind)
    }

    @inline(never)
    private func check(_ pointer: PagePointer, _ kind: PageKind) -> Bool {
        guard Int(pointer.page) + pointer.pageCount(kind) <= Int(pageLimit) else { return refuse(pointer, kind) != nil }
        if let pages {
            let reading = pages.use(pointer, kind, by: self)
            return reading == .sound || refuse(pointer, kind, reading) != nil
        }
        let start = base + Int(pointer.page) << Pages.sizeShift
        guard let checksum = Self.checksum(start, pointer, kind) else {
            return refuse(pointer, kind, untouchable(pointer, kind)) != nil
        }
        // A node's offsets are trusted by its readers, so they are looked at once, here.
        guard checksum == pointer.check, kind != .tree || TreeNode.isSound(start, level: pointer.level) else {
            return refuse(pointer, kind) != nil
        }
        noteChecked(pointer, kind)
        if checkedCount.add(1, ordering: .relaxed).newValue == Self.fewPages { onManyChecked?() }
        return true
    }

    private func noteChecked(_ pointer: PagePointer, _ kind: PageKind) {
        seen[Int(pointer.page)].store(Self.mark(pointer, kind), ordering: .releasing)
    }

    /// What mapped bytes are that cannot be touched: lost with the end of the file; or they are there, and the system
    /// could not bring them from the disk.
    private func untouchable(_ pointer: PagePointer, _ kind: PageKind) -> PageReading {
        let count = kind == .run ? Int(pointer.extent) : Pages.sizeBytes
        guard let disk, Int(pointer.page) << Pages.sizeShift + count <= disk.size() else { return .damaged }
        return .failed(EIO)
    }

    /// The checksum of a page or run that is to lie where a pointer says. Nil when the file has lost those pages, or the
    /// disk cannot read them.
    static func checksum(_ bytes: UnsafeRawPointer, _ pointer: PagePointer, _ kind: PageKind) -> UInt64? {
        let count = kind == .run ? Int(pointer.extent) : Pages.sizeBytes
        // Place, age and kind go in, so that a page in the wrong place is not taken for the right one.
        let seed = pointer.birth &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(pointer.page) << 8 ^ UInt64(kind.rawValue)
        var hash: UInt64 = 0
        return causeway_hash(bytes, count, seed, &hash) ? hash : nil
    }

    // MARK: - Its end

    /// Whoever made this space reserved fewer addresses than a state needs.
    func isTooSmall(for header: FileHeader) -> StorageError {
        StorageError(
            .mapFull,
            "Cannot open the file: \(Int(header.freeSpace.endPage) * Pages.sizeBytes) bytes of it are in use, and "
                + "\(Int(pageLimit) * Pages.sizeBytes) bytes of addresses are reserved for it. Open it with a larger "
                + "map size, or raise the limit on virtual memory (ulimit -v).",
            path: path)
    }

    // MARK: - Damage

    var damage: StorageError? { finding.error }

    /// That the disk could not read what was asked for first and not found; nil where something else was the matter.
    var readFailure: StorageError? { damage.flatMap { $0.code == .io ? $0 : nil } }

    /// Whether the disk could not read a page or run, so that nothing is known of it.
    func isUnread(_ pointer: PagePointer) -> Bool { finding.unreadPages.withLock { $0.contains(pointer.page) } }

    private func refuse(
        _ pointer: PagePointer, _ kind: PageKind, _ reading: PageReading = .damaged
    ) -> UnsafeRawPointer? {
        let what =
            switch kind {
            case .run: "a leaf, or a long value or key, of \(pointer.extent) bytes"
            case .tree: "a node of the ordered trees with \(pointer.extent) entries below it"
            case .directory: "a node of the leaf directory with \(pointer.extent) leaves below it"
            }
        if case .failed(let number) = reading {
            finding.unreadPages.withLock { _ = $0.insert(pointer.page) }
            finding.note(
                StorageError(
                    .io,
                    "The disk failed to read page \(pointer.page) of the file: \(String(cString: strerror(number))). "
                        + "It holds \(what), written by transaction \(pointer.birth). Check the disk and the system's "
                        + "log, then close the file in every process and open it again; if the page still cannot be "
                        + "read, restore the file from a copy.",
                    path: path))
        } else {
            finding.note(
                StorageError(
                    .damaged,
                    "Page \(pointer.page) of the file is damaged; it held \(what), written by transaction "
                        + "\(pointer.birth). Restore the file from a copy.",
                    path: path))
        }
        return nil
    }
}

/// What became of reading a page or run.
enum PageReading: Hashable {
    case sound
    /// It is not what was written there.
    case damaged
    /// What is there is not known: the disk could not read it, with this errno.
    case failed(Int32)
}

/// What was found damaged first in a file, by any of its views.
private final class DamageFinding: Sendable {
    private let first = Mutex<StorageError?>(nil)
    /// Of the pages and runs that the disk could not read, the first pages.
    let unreadPages = Mutex<Set<UInt32>>([])
    private let isThere = Atomic(false)
    private let onDamage: (@Sendable (StorageError) -> Void)?

    init(_ onDamage: (@Sendable (StorageError) -> Void)?) {
        self.onDamage = onDamage
    }

    var error: StorageError? {
        isThere.load(ordering: .acquiring) ? first.withLock { $0 } : nil
    }

    func note(_ error: StorageError) {
        first.withLock { $0 = $0 ?? error }
        isThere.store(true, ordering: .releasing)
        if let onDamage, !DamageReporting.isThrowing { onDamage(error) }
    }
}

/// Decrypts pages of a file into memory.
protocol PageOpener: Sendable {
    /// Reads and opens the page or run to its place behind `base`.
    func open(_ pointer: PagePointer, _ kind: PageKind, into base: UnsafeMutableRawPointer) -> PageReading
}
