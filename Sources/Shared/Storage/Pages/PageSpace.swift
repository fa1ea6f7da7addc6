import CStorage
import Glibc
import Synchronization

/// Turns pointers into bytes: one range of addresses, reserved once, in which page n lies at n × 4,096.
///
/// In a plain file the range is the file, mapped read-only. In an encrypted one it is private memory that pages are
/// opened into. Either way a page is checked on its first touch, and `seen` remembers whom it was checked for; a page
/// that is written anew has another birth, so what was remembered no longer fits and it is checked again.
///
/// Reading finds no words: a page that fails counts as absent, and ``damage`` tells why from then on.
final class PageSpace: Sendable {
    /// Immutable after `init`, except for the bytes of pages that no snapshot can see.
    nonisolated(unsafe) let base: UnsafeRawPointer
    let pageLimit: UInt32
    let path: String
    private let opener: (any PageOpener)?
    /// One word a page: the low bits of the birth it was checked for, then its kind. Zero: not checked.
    /// Atomic, because snapshots of all threads share it.
    nonisolated(unsafe) private let seen: UnsafeMutablePointer<Atomic<UInt32>>
    private let failure = Mutex<StorageError?>(nil)
    private let isDamaged = Atomic(false)
    private let opening = Mutex(())
    private let owner: any AnyObject & Sendable
    private let checkedCount = Atomic(0)
    private let onManyChecked: (@Sendable () -> Void)?
    private let onDamage: (@Sendable (StorageError) -> Void)?
    /// So many pages are touched when a file is opened and a few of its objects are read, at most.
    private static let fewPages = 256

    /// - Parameters:
    ///   - owner: keeps `base` valid.
    ///   - opener: decrypts into `base`, for an encrypted file.
    ///   - onDamage: called where a damaged page is met and cannot be thrown.
    ///   - onManyChecked: called once, when more than a few pages were touched.
    init(
        base: UnsafeRawPointer, pageLimit: UInt32, path: String, owner: any AnyObject & Sendable,
        opener: (any PageOpener)? = nil, onDamage: (@Sendable (StorageError) -> Void)? = nil,
        onManyChecked: (@Sendable () -> Void)? = nil
    ) throws(StorageError) {
        self.base = base
        self.pageLimit = pageLimit
        self.path = path
        self.owner = owner
        self.opener = opener
        self.onManyChecked = onManyChecked
        self.onDamage = onDamage
        let length = Int(pageLimit) * 4
        let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw StorageError(errno: ENOMEM, doing: "open the file", path: path)
        }
        // Zeroed memory is a valid array of zero atomics.
        seen = memory.bindMemory(to: Atomic<UInt32>.self, capacity: Int(pageLimit))
    }

    deinit {
        munmap(seen, Int(pageLimit) * 4)
    }

    /// A space over the same file that has checked nothing yet, and whose findings are its own.
    func probe() throws(StorageError) -> PageSpace {
        guard let opener else { return try PageSpace(base: base, pageLimit: pageLimit, path: path, owner: owner) }
        let memory = try ReservedMemory(byteCount: Int(pageLimit) << Pages.sizeShift, path: path)
        return try PageSpace(base: memory.base, pageLimit: pageLimit, path: path, owner: memory, opener: opener)
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
    private static func mark(_ pointer: PagePointer, _ kind: PageKind) -> UInt32 {
        UInt32(truncatingIfNeeded: pointer.birth) << 2 | kind.rawValue
    }

    /// Of a page just written, whose bytes are known to be right.
    func noteSeen(_ pointer: PagePointer, _ kind: PageKind) {
        guard opener == nil, pointer.page < pageLimit else { return }
        noteChecked(pointer, kind)
    }

    @inline(never)
    private func check(_ pointer: PagePointer, _ kind: PageKind) -> Bool {
        let pages = pointer.pageCount(kind)
        guard Int(pointer.page) + pages <= Int(pageLimit) else { return refuse(pointer, kind) != nil }
        guard let opener else {
            let start = base + Int(pointer.page) << Pages.sizeShift
            guard Self.checksum(start, pointer, kind) == pointer.check, isSound(pointer, kind) else {
                return refuse(pointer, kind) != nil
            }
            noteChecked(pointer, kind)
            if checkedCount.add(1, ordering: .relaxed).newValue == Self.fewPages { onManyChecked?() }
            return true
        }
        // Noted before the lock is given back: whoever waited for it must not open the page over the heads of readers.
        let isOpen = opening.withLock { _ in
            if seen[Int(pointer.page)].load(ordering: .acquiring) == Self.mark(pointer, kind) { return true }
            guard opener.open(pointer, kind, into: UnsafeMutableRawPointer(mutating: base)), isSound(pointer, kind)
            else {
                return false
            }
            noteChecked(pointer, kind)
            return true
        }
        return isOpen || refuse(pointer, kind) != nil
    }

    /// A node's offsets are trusted by its readers, so they are looked at once, here.
    private func isSound(_ pointer: PagePointer, _ kind: PageKind) -> Bool {
        kind != .tree || TreeNode.isSound(base + Int(pointer.page) << Pages.sizeShift, level: pointer.level)
    }

    private func noteChecked(_ pointer: PagePointer, _ kind: PageKind) {
        seen[Int(pointer.page)].store(Self.mark(pointer, kind), ordering: .releasing)
    }

    /// The checksum of a page or run that is to lie where a pointer says. Nil when the file has lost those pages.
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

    var damage: StorageError? {
        isDamaged.load(ordering: .acquiring) ? failure.withLock { $0 } : nil
    }

    private func refuse(_ pointer: PagePointer, _ kind: PageKind) -> UnsafeRawPointer? {
        let error = failure.withLock { failure in
            let what =
                switch kind {
                case .run: "a leaf, or a long value or key, of \(pointer.extent) bytes"
                case .tree: "a node of the ordered trees with \(pointer.extent) entries below it"
                case .directory: "a node of the leaf directory with \(pointer.extent) leaves below it"
                }
            let error = StorageError(
                .damaged,
                "Page \(pointer.page) of the file is damaged; it held \(what), written by transaction "
                    + "\(pointer.birth). Restore the file from a copy.",
                path: path)
            failure = failure ?? error
            return error
        }
        isDamaged.store(true, ordering: .releasing)
        if let onDamage, !DamageReporting.isThrowing { onDamage(error) }
        return nil
    }
}

/// Decrypts pages of a file into memory.
protocol PageOpener: Sendable {
    /// Reads and opens the page or run to its place behind `base`. False when it is not what was written there.
    func open(_ pointer: PagePointer, _ kind: PageKind, into base: UnsafeMutableRawPointer) -> Bool
}
