import Glibc
import Synchronization

/// Opening and closing.
///
/// A process that opens a file holds the opening byte from before it looks for other users until it knows the newest
/// state. So exactly one process is the first, and all later ones find the shared memory ready. If the first dies or
/// fails, no user is left, and the next process is the first again.
extension SharedState {
    /// Joins the processes that have a file open.
    ///
    /// - Parameters:
    ///   - path: the lock file, which is created when it is missing.
    ///   - file: the data file.
    ///   - readOnly: open without the others where the lock file cannot be written.
    /// - Returns: the state, and whether the caller is the first. The first must find the newest state and call
    ///   ``reset(newest:slot:durable:slots:nextBirth:isSynced:)``. All other openers wait until the caller calls
    ///   ``finishOpening()``.
    package static func open(
        path: String, file: String, readOnly: Bool = false
    ) throws(StorageError) -> (state: SharedState, isFirst: Bool) {
        // Nil only if the file is not the expected one, and here none is expected.
        try open(path: path, file: file, expecting: nil, readOnly: readOnly)!
    }

    /// Joins the processes that have a file open. Returns nil if the path no longer leads to the file that the caller
    /// has opened.
    package static func open(
        path: String, file: String, expecting expected: FileIdentity?, readOnly: Bool
    ) throws(StorageError) -> (state: SharedState, isFirst: Bool)? {
        let fileUse = try FileUse(path: file)
        // Locks on another file would say nothing about the caller's.
        if let expected, fileUse?.identity != expected { return nil }
        while true {
            let descriptor = openLockFile(path, like: file)
            guard descriptor >= 0 else {
                let failure = errno
                guard readOnly, [EACCES, EPERM, EROFS, ENOENT].contains(failure) else {
                    throw StorageError(errno: failure, doing: "open the lock file", path: path)
                }
                return (try alone(fileUse, path: path), true)
            }
            let locks = LockBytes(descriptor, path: path)
            try locks.lock(SharedLayout.openingByte)
            // The lock file may have been deleted or replaced during the wait.
            guard isStillThere(descriptor, path) else { continue }
            if let opened = try join(locks, fileUse) { return opened }
        }
    }

    private static func openLockFile(_ path: String, like file: String) -> Int32 {
        // A user with access to the data file must have access to the lock file.
        var status = stat()
        let mode = stat(file, &status) == 0 ? status.st_mode & 0o666 | 0o600 : 0o600
        while true {
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
            if descriptor >= 0 { giveAway(descriptor, to: status.st_uid, status.st_gid) }
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }

    /// What root makes beside another user's file belongs to that user, who could not open the file otherwise.
    private static func giveAway(_ descriptor: Int32, to user: uid_t, _ group: gid_t) {
        var made = stat()
        guard geteuid() == 0, user != 0, fstat(descriptor, &made) == 0, made.st_uid == 0 else { return }
        // If that fails, the user is told when the file is opened.
        _ = fchown(descriptor, user, group)
    }

    private static func isStillThere(_ descriptor: Int32, _ path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// The state of a reader that cannot publish its pins. That is safe only as long as nobody writes.
    private static func alone(_ fileUse: FileUse?, path: String) throws(StorageError) -> SharedState {
        guard try fileUse?.isMarkedByOthers() == true else {
            let state = SharedState()
            // As with a new lock file, nobody knows whether a sync has failed.
            state.poison()
            return state
        }
        throw StorageError(
            .permissionDenied,
            "Cannot open the file: another process has it open, and this one may not write to the lock file, where "
                + "it would have to say what it reads. Give it the right to write that file and its folder.",
            path: path)
    }

    /// Takes an entry in this lock file, whose opening byte is held. Returns nil when the lock file belonged to another
    /// data file and was unlinked.
    private static func join(
        _ locks: LockBytes, _ fileUse: FileUse?
    ) throws(StorageError) -> (state: SharedState, isFirst: Bool)? {
        let isFirst = try !locks.isLockedElsewhere(
            SharedLayout.firstProcessByte, count: SharedLayout.processBytes)
        if isFirst {
            try makeRoom(locks)
        } else {
            try refuseOtherLayout(locks)
        }
        let memory = try SharedMemory(descriptor: locks.descriptor, path: locks.path)
        if isFirst {
            if let fileUse { try refuseLostUsers(fileUse) }
            clear(memory, fileUse)
        } else if let fileUse, fileUse.fileNumber != memory.plain(SharedLayout.fileNumberOffset) {
            // Its users have a file open that is not at this path any more. They keep their lock file, without a name.
            unlink(locks.path)
            return nil
        }
        let number = try takeFreeEntry(memory, locks)
        // Marked while the opening byte is held, so that no other opener misses this user.
        try fileUse?.mark()
        let state = SharedState(memory, locks, fileUse, entryNumber: number)
        state.clearDeadProcesses()
        return (state, isFirst)
    }

    // MARK: - The first

    /// The unit of `st_blocks`.
    private static let blockBytes = 512

    /// Gives the lock file its length and allocates its disk space, so that writing to mapped memory cannot fail.
    private static func makeRoom(_ locks: LockBytes) throws(StorageError) {
        var status = stat()
        var failure = fstat(locks.descriptor, &status) == 0 ? 0 : errno
        let hasLength = status.st_size == SharedLayout.fileBytes
        // Nearly always another user has left it so.
        if failure == 0, hasLength, Int(status.st_blocks) * blockBytes >= SharedLayout.fileBytes { return }
        if failure == 0, !hasLength {
            failure = ftruncate(locks.descriptor, SharedLayout.fileBytes) == 0 ? 0 : errno
        }
        if failure == 0 {
            repeat {
                failure = posix_fallocate(locks.descriptor, 0, SharedLayout.fileBytes)
            } while failure == EINTR
        }
        if failure != 0 { throw StorageError(errno: failure, doing: "make the lock file", path: locks.path) }
    }

    /// Clears the header that past users left. Only their poison is kept: it means that the page cache of the data file
    /// cannot be trusted. A lock file that is new, or of another data file, does not prove that there was no poison, so
    /// it counts as poisoned. Entries are cleared when they are taken.
    private static func clear(_ memory: SharedMemory, _ fileUse: FileUse?) {
        let isKnown =
            memory.plain(SharedLayout.magicOffset) == SharedLayout.magic
            && memory.base.load(fromByteOffset: SharedLayout.versionOffset, as: UInt32.self) == SharedLayout.version
            && memory.plain(SharedLayout.fileNumberOffset) == fileUse?.fileNumber
        let wasPoisoned = memory.plain(SharedLayout.poisonOffset) != 0
        memset(memory.base, 0, SharedLayout.headerBytes)
        memory.base.storeBytes(
            of: isKnown && !wasPoisoned ? 0 : 1, toByteOffset: SharedLayout.poisonOffset, as: UInt64.self)
        memory.base.storeBytes(of: SharedLayout.magic, toByteOffset: SharedLayout.magicOffset, as: UInt64.self)
        memory.base.storeBytes(of: SharedLayout.version, toByteOffset: SharedLayout.versionOffset, as: UInt32.self)
        memory.base.storeBytes(
            of: fileUse?.fileNumber ?? 0, toByteOffset: SharedLayout.fileNumberOffset, as: UInt64.self)
    }

    private static func refuseLostUsers(_ fileUse: FileUse) throws(StorageError) {
        guard try fileUse.isMarkedByOthers() else { return }
        throw StorageError(
            .locked,
            "Cannot open the file: another process has it open, but its lock file was deleted or replaced. Close the "
                + "file in that process, and do not delete lock files of files that are open.",
            path: fileUse.path)
    }

    // MARK: - Later openers

    private static func refuseOtherLayout(_ locks: LockBytes) throws(StorageError) {
        var status = stat()
        guard fstat(locks.descriptor, &status) == 0 else {
            throw StorageError(errno: errno, doing: "open the lock file", path: locks.path)
        }
        var header = [UInt64](repeating: 0, count: 2)
        let count = header.withUnsafeMutableBytes { pread(locks.descriptor, $0.baseAddress, $0.count, 0) }
        guard count == 16, header[0] == SharedLayout.magic else {
            throw StorageError(
                .locked,
                "Cannot open the file: other processes have it open, but the lock file they share was overwritten or "
                    + "cut. Close the file in all of them, and open it again.",
                path: locks.path)
        }
        // The second word holds the version and the ready flag.
        guard header[1] == UInt64(SharedLayout.version) | 1 << 32, status.st_size == SharedLayout.fileBytes else {
            throw StorageError(
                .unsupportedVersion,
                "Cannot open the file: a process with another version of this library has it open. Close the file "
                    + "there, or use the same version in both.",
                path: locks.path)
        }
    }

    private static func takeFreeEntry(_ memory: SharedMemory, _ locks: LockBytes) throws(StorageError) -> Int {
        // First an entry that is not marked as taken, then one that a dead process left behind.
        for mayBeDead in [false, true] {
            for number in 0..<memory.processCount
            where memory.contains(number, in: SharedLayout.takenOffset) == mayBeDead {
                if try locks.tryLock(SharedLayout.firstProcessByte + Int64(number)) { return number }
            }
        }
        throw StorageError(
            .tooManyReaders,
            "Cannot open the file: \(memory.processCount) processes have it open. Close it in one of them.",
            path: locks.path)
    }

    // MARK: - The end

    /// Lets others open the file. Closes it if the first opener has failed to find the newest state.
    package func finishOpening() {
        let wasOpening = phase.withLock { phase in
            defer { if phase == .opening { phase = .open } }
            return phase == .opening
        }
        guard wasOpening, let locks else { return }
        // In this order: the next opener must not find a user here without a state to share.
        if memory.halfWord(SharedLayout.readyOffset).pointee.load(ordering: .acquiring) == 0 { close() }
        locks.unlock(SharedLayout.openingByte)
    }

    /// Runs `body` if nobody else has the file open, and keeps others from opening it meanwhile. Does nothing if there
    /// are other users, or one is just opening it: then the last user that leaves runs it.
    func ifAlone(_ body: () -> Void) {
        guard let locks else { return body() }
        guard (try? locks.tryLock(SharedLayout.openingByte)) == true else { return }
        defer { locks.unlock(SharedLayout.openingByte) }
        if isAlone { body() }
    }

    /// Leaves the file and releases all pins of this process. The lock file always stays.
    package func close() {
        let wasClosed = phase.withLock { phase in
            defer { phase = .closed }
            return phase == .closed
        }
        guard !wasClosed else { return }
        watcher.stop()
        // In this order: a process that finds no taken entry must find no mark either.
        fileUse?.unmark()
        releaseEntry()
    }
}
