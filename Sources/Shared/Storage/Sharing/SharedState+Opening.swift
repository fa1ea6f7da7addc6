import Glibc
import Synchronization

/// Coming and going.
///
/// Whoever opens a file holds the opening byte from before he looks who is there until he knows the newest state. So
/// there is exactly one first, and everybody after him finds everything in its place. A first who dies or fails leaves
/// nobody behind, and the next is first again.
extension SharedState {
    /// Joins those who have a file open.
    ///
    /// - Parameters:
    ///   - path: the lock file, which is made when it is missing.
    ///   - file: the data file.
    ///   - readOnly: make do without the others where the lock file cannot be written.
    /// - Returns: the state and whether the caller is the first, who then has to find the newest state and to
    ///   ``reset(newest:slot:durable:slots:nextBirth:)``. Either way everybody else waits for ``finishOpening()``.
    package static func open(
        path: String, file: String, readOnly: Bool = false
    ) throws(StorageError) -> (state: SharedState, isFirst: Bool) {
        // Nil only for another file than was expected.
        try open(path: path, file: file, expecting: nil, readOnly: readOnly)!
    }

    /// Joins those who have a file open, if the path still leads to the file that the caller has opened, and answers
    /// nil if not.
    package static func open(
        path: String, file: String, expecting expected: FileIdentity?, readOnly: Bool
    ) throws(StorageError) -> (state: SharedState, isFirst: Bool)? {
        let fileUse = try FileUse(path: file)
        // Locks on one file say nothing of another.
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
            // It may have been deleted or replaced while we waited.
            guard isStillThere(descriptor, path) else { continue }
            if let opened = try join(locks, fileUse) { return opened }
        }
    }

    private static func openLockFile(_ path: String, like file: String) -> Int32 {
        // Whoever may use the data must be able to use this.
        var status = stat()
        let mode = stat(file, &status) == 0 ? status.st_mode & 0o666 | 0o600 : 0o600
        while true {
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }

    private static func isStillThere(_ descriptor: Int32, _ path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// For a reader who cannot tell anybody what he reads. That is sound as long as nobody writes.
    private static func alone(_ fileUse: FileUse?, path: String) throws(StorageError) -> SharedState {
        guard try fileUse?.isMarkedByOthers() == true else {
            let state = SharedState()
            // Whether a sync has failed he cannot know any more than with a new lock file.
            state.poison()
            return state
        }
        throw StorageError(
            .permissionDenied,
            "Cannot open the file: another process has it open, and this one may not write to the lock file, where "
                + "it would have to say what it reads. Give it the right to write that file and its folder.",
            path: path)
    }

    /// Takes a place among those who use this lock file, whose opening byte is held. Nil when it was in the way and
    /// is gone now.
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
            // These are users of a file that is not at this path any more. They keep their lock file, without a name.
            unlink(locks.path)
            return nil
        }
        let number = try takeFreeEntry(memory, locks)
        // Before anybody else can find out that nobody is here.
        try fileUse?.mark()
        let state = SharedState(memory, locks, fileUse, entryNumber: number)
        state.clearDeadProcesses()
        return (state, isFirst)
    }

    // MARK: - The first

    /// Gives the lock file its length, on the disk as well, so that writing to mapped memory cannot fail.
    private static func makeRoom(_ locks: LockBytes) throws(StorageError) {
        var status = stat()
        var failure = fstat(locks.descriptor, &status) == 0 ? 0 : errno
        if failure == 0, status.st_size != SharedLayout.fileBytes {
            failure = ftruncate(locks.descriptor, SharedLayout.fileBytes) == 0 ? 0 : errno
        }
        if failure == 0 {
            repeat {
                failure = posix_fallocate(locks.descriptor, 0, SharedLayout.fileBytes)
            } while failure == EINTR
        }
        if failure != 0 { throw StorageError(errno: failure, doing: "make the lock file", path: locks.path) }
    }

    /// What stands in the file is of people long gone, and only their poison still matters: it says that the system's
    /// memory of the data file is not to be trusted. A lock file that is new, or another's, cannot say that there was
    /// none, so it counts as poisoned. Entries are emptied when they are taken.
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

    // MARK: - Everybody after him

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
        // The second word is the version and whether everything is ready.
        guard header[1] == UInt64(SharedLayout.version) | 1 << 32, status.st_size == SharedLayout.fileBytes else {
            throw StorageError(
                .unsupportedVersion,
                "Cannot open the file: a process with another version of this library has it open. Close the file "
                    + "there, or use the same version in both.",
                path: locks.path)
        }
    }

    private static func takeFreeEntry(_ memory: SharedMemory, _ locks: LockBytes) throws(StorageError) -> Int {
        // First where nobody seems to be; what the dead left behind is good enough, too.
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

    /// Lets others open the file. A first who has not found the newest state by now has failed, and leaves.
    package func finishOpening() {
        let wasOpening = phase.withLock { phase in
            defer { if phase == .opening { phase = .open } }
            return phase == .opening
        }
        guard wasOpening, let locks else { return }
        // In this order: the next one must not find somebody here who has nothing to share.
        if memory.halfWord(SharedLayout.readyOffset).pointee.load(ordering: .acquiring) == 0 { close() }
        locks.unlock(SharedLayout.openingByte)
    }

    /// Runs something that is sound only without other users, and keeps them from coming meanwhile. Does nothing where
    /// there are some, or one is on the way: the last of them leaves later.
    func ifAlone(_ body: () -> Void) {
        guard let locks else { return body() }
        guard (try? locks.tryLock(SharedLayout.openingByte)) == true else { return }
        defer { locks.unlock(SharedLayout.openingByte) }
        if isAlone { body() }
    }

    /// Leaves. Everything this process had pinned is free; the lock file stays, with others or without.
    package func close() {
        let wasClosed = phase.withLock { phase in
            defer { phase = .closed }
            return phase == .closed
        }
        guard !wasClosed else { return }
        watcher.stop()
        // In this order: who finds nobody in the entries must find nobody here.
        fileUse?.unmark()
        releaseEntry()
    }
}
