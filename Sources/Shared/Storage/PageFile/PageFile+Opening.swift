import CausewayEnvironment
import CStorage
import Glibc

extension PageFile {
    /// The address space reserved for a file when the caller gives no size. It is halved until the system can reserve
    /// it.
    static let defaultMapBytes = 256 << 30
    static let smallestMapBytes = 1 << 30

    /// Opens a page file on a disk file: creates it if it is empty, refuses one that is not ours, finds the newest
    /// state.
    ///
    /// The shared state's opening lock is held by the caller.
    static func open(
        _ disk: any DiskFile, shared: SharedState, isFirst: Bool, path: String, options: StorageOptions
    ) throws(StorageError) -> PageFile {
        let key: SealingKey? = if let bytes = options.encryptionKey { try SealingKey(bytes, path: path) } else { nil }
        // After a failed sync the page cache may have what the disk has not: headers, pages, even the file's length.
        if isFirst, shared.isPoisoned { disk.dropCache() }
        let isNew = isFirst ? try FileCheck.mustCreate(disk, path: path, options, key) : false
        if isNew { try create(disk, shared, path: path, key) }
        let first = try FileCheck.identify(disk, path: path, key, options.mutation)
        let seal = key.map { PageSeal($0, fileID: first.fileID, disk: disk) }
        let space = try makeSpace(disk, path: path, options, seal)
        let parts = Parts(
            disk: disk, space: space, shared: shared, fileID: first.fileID, seal: seal,
            mutation: options.mutation)
        if isFirst {
            try Recovery.recover(parts, path: path, isNew: isNew)
            // A new file keeps its first session.
            if !isNew { shared.session = seal?.beginSession(firstBirth: shared.nextBirth) }
        } else if let session = shared.session {
            try seal?.join(session)
        }
        return PageFile(parts, path: path, options)
    }

    /// Creates a file: writes zeros to all four slots, then the first header to slot 0, and syncs. In this order an
    /// interrupted creation can be distinguished from a foreign file.
    private static func create(
        _ disk: any DiskFile, _ shared: SharedState, path: String, _ key: SealingKey?
    ) throws(StorageError) {
        var random = SystemRandomNumberGenerator()
        let fileID = FileID(low: random.next(), high: random.next())
        let header = FileHeader(
            fileID: fileID, transaction: FileHeader.firstTransaction, version: 0,
            durableTransaction: FileHeader.firstTransaction, syncedTransaction: FileHeader.firstTransaction,
            state: .empty,
            freeSpace: FreeSpaceRecord(endPage: UInt32(FileHeader.slotCount), inline: [], segments: []))
        let seal = key.map { PageSeal($0, fileID: fileID, disk: disk) }
        seal?.beginSession(firstBirth: 0)
        let empty = [UInt8](repeating: 0, count: HeaderSlots.byteCount)
        var result = empty.withUnsafeBytes { disk.writeWhole([$0], at: 0) }
        if result == 0 { result = HeaderSlots.write(header, to: 0, of: disk, seal: seal) }
        if result == 0 {
            result = disk.synchronizeWhole()
            if result != 0 { shared.poison() }
        }
        guard result == 0 else { throw StorageError(errno: Int32(-result), doing: "create the file", path: path) }
    }

    private static func makeSpace(
        _ disk: any DiskFile, path: String, _ options: StorageOptions, _ seal: PageSeal?
    ) throws(StorageError) -> PageSpace {
        if let bytes = options.mapSizeBytes { return try makeSpace(disk, path: path, bytes, options, seal) }
        var bytes = defaultMapBytes
        // Where address space is short, for example under a limit, less must do. The check for an eighth more leaves
        // room for other needs of the file, above all snapshots, and for the rest of the process.
        while bytes > smallestMapBytes {
            if AddressSpace.isAvailable(bytes + bytes / 8),
                let space = try? makeSpace(disk, path: path, bytes, options, seal)
            {
                return space
            }
            bytes /= 2
        }
        return try makeSpace(disk, path: path, bytes, options, seal)
    }

    private static func makeSpace(
        _ disk: any DiskFile, path: String, _ bytes: Int, _ options: StorageOptions, _ seal: PageSeal?
    ) throws(StorageError) -> PageSpace {
        if let seal {
            let pages = try DecryptedPages(
                opener: seal, byteCount: bytes, limitBytes: options.decryptedBytesMaximum, path: path)
            return try PageSpace(pages, onDamage: options.onDamage)
        }
        let pageLimit = UInt32(clamping: bytes >> Pages.sizeShift)
        // In this order: a file is mapped once, so nothing may fail after the mapping.
        let words = try PageWords(count: Int(pageLimit), path: path)
        words.prepare(disk.size() / Pages.sizeBytes)
        guard let base = disk.map(bytes) else {
            throw StorageError(errno: ENOMEM, doing: "open the file", path: path)
        }
        let guarded = GuardedRange(base, byteCount: bytes, path: path)
        return try PageSpace(
            base: base, pageLimit: pageLimit, path: path, disk: disk, owner: guarded, words: words,
            onDamage: options.onDamage
        ) { [weak disk] in disk?.readAhead() }
    }

    /// Lets the last user that closes write a header that vouches for all pages of the newest state. So the next opener
    /// has no pages to check, and a page that is damaged meanwhile is known to be damaged. Without this header the page
    /// could also have been torn in a commit that never returned, and recovery would take the state before.
    ///
    /// It is the second header of that state, so one of the two may be lost. It has no other new content, so a failure
    /// loses nothing.
    func closeCleanly() {
        let mayChange = !isReadOnly && (writing.transaction != 0 || shared.isPoisoned) || mutation == .changeReadOnly
        guard mayChange, !isInMemory else { return }
        shared.ifAlone {
            // The process that found the failure may not have had the right to write.
            if shared.hasFailedSync { return clearUnconfirmed() }
            guard !shared.isPoisoned, shared.committing == 0, let header = try? header(of: shared.newest),
                !isVouchedFor(header)
            else {
                return
            }
            _ = try? DamageReporting.throwing { () throws(StorageError) in
                try commit(
                    over: header, .durable, carrying: header.carried, versionStep: 0, isVouching: true
                ) { _ in
                    (header.state.trees, header.state.directory)
                }
            }
        }
    }

    private func isVouchedFor(_ header: FileHeader) -> Bool {
        guard header.syncedTransaction == header.transaction else { return false }
        return (0..<FileHeader.slotCount).contains { slot in
            guard let other = try? HeaderSlots.read(slot, of: disk, seal: seal, path: path),
                other.transaction != header.transaction
            else { return false }
            return other.version == header.version && other.state.trees == header.state.trees
                && other.state.directory == header.state.directory
                && other.carried?.byteCount == header.carried?.byteCount
        }
    }
}

/// Guards a mapped file against SIGBUS: its bytes may vanish when another program cuts the file shorter.
private final class GuardedRange: Sendable {
    private nonisolated(unsafe) let base: UnsafeRawPointer
    private let byteCount: Int

    init(_ base: UnsafeRawPointer, byteCount: Int, path: String) {
        self.base = base
        self.byteCount = byteCount
        causeway_guard_range(base, byteCount, path)
        AddressSpace.took(byteCount)
    }

    deinit {
        causeway_unguard_range(base)
        AddressSpace.gaveBack(byteCount)
    }
}
