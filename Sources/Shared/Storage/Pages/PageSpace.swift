import CausewayEnvironment
import CStorage
import Glibc
import Synchronization

/// Turns pointers into bytes: one range of addresses, reserved once, in which page n lies at n × 4,096.
///
/// For a plain file the range is the file, mapped read-only, and all readers share one space. For an encrypted file it
/// is private memory into which pages are decrypted, and each state is read through a ``view()`` of its own: bytes that
/// a view has handed out stay until the view ends. Either way a page is checked on its first touch, and `seen` keeps
/// the birth that it was checked for. A rewritten page has another birth, so it is checked again.
///
/// Reading does not throw: a page that fails counts as absent, and ``damage`` has the reason from then on.
final class PageSpace: Sendable {
    /// Immutable after `init`, except for the bytes of pages that no snapshot can see.
    nonisolated(unsafe) let base: UnsafeRawPointer
    let pageLimit: UInt32
    let path: String
    /// Of an encrypted file.
    private let pages: DecryptedPages?
    /// One word for each page: the low bits of the birth it was checked for, then its kind. Zero: not checked.
    /// Atomic, because snapshots of all threads share it. Points into `words`.
    nonisolated(unsafe) private let seen: UnsafeMutablePointer<Atomic<UInt32>>
    /// nonisolated(unsafe): taken once, by the caller of ``end()`` or by `deinit`.
    nonisolated(unsafe) private var words: PageWords?
    /// The first pages of the pieces that a view uses. nonisolated(unsafe): only the holder of the table of `pages`
    /// uses it.
    nonisolated(unsafe) private var usedPages: [UInt32] = []
    /// The bytes of the pieces that a view uses.
    let usedBytes = Atomic(0)
    private let finding: DamageFinding
    private let owner: any AnyObject & Sendable
    /// The disk file of a plain file, for its length.
    private let disk: (any DiskFile)?
    private let checkedCount = Atomic(0)
    private let onManyChecked: (@Sendable () -> Void)?
    /// More pages than are touched when a file is opened and a few of its objects are read.
    private static let fewPages = 256

    /// A space over a plain file, or over pages in memory.
    ///
    /// - Parameters:
    ///   - disk: the mapped file; nil for pages in memory.
    ///   - owner: keeps `base` valid.
    ///   - words: zeroed, one for each page; nil reserves them here.
    ///   - onDamage: called when a damaged page is found by a call that cannot throw.
    ///   - onManyChecked: called once, when more than a few pages have been checked.
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

    /// A space over the same file that has checked no page yet, and records damage on its own. For an encrypted file it
    /// reserves its own range of addresses.
    func probe() throws(StorageError) -> PageSpace {
        guard let pages else {
            return try PageSpace(base: base, pageLimit: pageLimit, path: path, disk: disk, owner: owner)
        }
        return try PageSpace(try pages.another())
    }

    /// Reads a state that may lack pages, through a space that records damage on its own.
    ///
    /// For an encrypted file the space is a view, because address space may be too short for a second range. Afterwards
    /// its decrypted pages are evicted, so that none is taken for a page of another state.
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

    /// A space for reading one state. The bytes that it hands out stay where they are until ``end()``, which must be
    /// called before the state may lose pages. For a plain file it is this space itself.
    func view() throws(StorageError) -> PageSpace {
        guard let pages else { return self }
        return try PageSpace(pages, finding)
    }

    /// Runs `body` with a view, and ends the view after it.
    func withView<Result>(_ body: (PageSpace) throws(StorageError) -> Result) throws(StorageError) -> Result {
        let view = try view()
        defer { view.end() }
        return try body(view)
    }

    /// Ends this view: neither the view nor the bytes it handed out may be read any more. Does nothing for a plain
    /// file.
    func end() {
        guard let pages, let words = words.take() else { return }
        pages.end(self, words)
    }

    /// Releases the page or run behind a pointer before the view ends. Only for the one reader of a view, and only soon
    /// after reading it: what was read long before stays until the view ends.
    func letGo(_ pointer: PagePointer) {
        pages?.letGo(pointer, self)
    }

    /// Whether a run is sound. Releases it again, so it is only for the one reader of a view.
    func isRunSound(_ pointer: PagePointer) -> Bool {
        defer { letGo(pointer) }
        return run(pointer) != nil
    }

    /// Whether a reader should go on in a new view; see ``DecryptedPages/isCrowded(by:)``.
    var isCrowded: Bool { pages?.isCrowded(by: self) ?? false }

    /// The decrypted pages, which all views share.
    var decrypted: DecryptedPages? { pages }
    var isEncrypted: Bool { pages != nil }

    /// Notes that the view uses a piece. Only for the holder of the table.
    func note(_ pointer: PagePointer, _ mark: UInt32, bytes: Int) {
        usedPages.append(pointer.page)
        usedBytes.add(bytes, ordering: .relaxed)
        seen[Int(pointer.page)].store(mark, ordering: .releasing)
    }

    /// Whether the view already uses a piece. Only for the holder of the table.
    func hasSeen(_ pointer: PagePointer, _ mark: UInt32) -> Bool {
        seen[Int(pointer.page)].load(ordering: .relaxed) == mark
    }

    /// How many of the pieces used last may be given up.
    private static let givenUpMaximum = 64

    /// Gives up one of the pieces used last. Returns false when it is none of them. Only for the holder of the table.
    func giveUp(_ pointer: PagePointer) -> Bool {
        guard let place = usedPages.suffix(Self.givenUpMaximum).lastIndex(of: pointer.page) else { return false }
        usedPages.remove(at: place)
        seen[Int(pointer.page)].store(0, ordering: .relaxed)
        return true
    }

    /// Gives up any piece and returns its first page; nil when none is left. Only for the holder of the table.
    func takeUsedPage() -> UInt32? {
        guard let page = usedPages.popLast() else { return nil }
        seen[Int(page)].store(0, ordering: .relaxed)
        return page
    }

    // MARK: - Reading

    /// The page of a tree or directory node; nil when it is damaged or cannot be read.
    @inline(__always)
    func node(_ pointer: PagePointer, _ kind: PageKind) -> UnsafeRawPointer? {
        guard pointer.page < pageLimit else { return refuse(pointer, kind) }
        if seen[Int(pointer.page)].load(ordering: .acquiring) == Self.mark(pointer, kind) {
            return base + Int(pointer.page) << Pages.sizeShift
        }
        return check(pointer, kind) ? base + Int(pointer.page) << Pages.sizeShift : nil
    }

    /// The bytes of a run; nil when they are damaged or cannot be read.
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

    /// Marks a page as checked that was just written, whose bytes are known to be right.
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
        // Readers trust a node's offsets, so they are checked once, here.
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

    /// Why mapped bytes cannot be touched: damaged when the file has become too short to hold them, and otherwise a
    /// read error of the disk.
    private func untouchable(_ pointer: PagePointer, _ kind: PageKind) -> PageReading {
        let count = kind == .run ? Int(pointer.extent) : Pages.sizeBytes
        guard let disk, Int(pointer.page) << Pages.sizeShift + count <= disk.size() else { return .damaged }
        return .failed(EIO)
    }

    /// The checksum of a page or run, for the place in its pointer. Nil when the file has lost those pages, or the disk
    /// cannot read them.
    static func checksum(_ bytes: UnsafeRawPointer, _ pointer: PagePointer, _ kind: PageKind) -> UInt64? {
        let count = kind == .run ? Int(pointer.extent) : Pages.sizeBytes
        // Place, birth and kind are part of the checksum, so that a page in the wrong place is not taken for the right
        // one.
        let seed = pointer.birth &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(pointer.page) << 8 ^ UInt64(kind.rawValue)
        var hash: UInt64 = 0
        return causeway_hash(bytes, count, seed, &hash) ? hash : nil
    }

    // MARK: - Its end

    /// The error when fewer addresses are reserved than a state needs.
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

    /// The first damage, if it is a read error of the disk; nil otherwise.
    var readFailure: StorageError? { damage.flatMap { $0.code == .io ? $0 : nil } }

    /// Whether the disk failed to read a page or run, so that its content is unknown.
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

/// The result of reading a page or run.
enum PageReading: Hashable {
    case sound
    /// The bytes are not those that were written there.
    case damaged
    /// The disk could not read it, with this errno. Its content is unknown.
    case failed(Int32)
}

/// The first damage found in a file, by any of its views.
private final class DamageFinding: Sendable {
    private let first = Mutex<StorageError?>(nil)
    /// The first pages of the pages and runs that the disk could not read.
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
    /// Reads a page or run and decrypts it at its place behind `base`.
    func open(_ pointer: PagePointer, _ kind: PageKind, into base: UnsafeMutableRawPointer) -> PageReading
}
