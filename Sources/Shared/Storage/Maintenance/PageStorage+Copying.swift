import CausewayEnvironment
import Glibc

extension PageStorage {
    /// Writes the copy under another name beside the target first, so that an unfinished copy is never taken for a
    /// whole one. The writer holds a lock on that file. The copy gets the target's name only if no file has it, and
    /// loses the other name before the change is synced: the next copy would overwrite a file of that name.
    package func copy(to path: String, key: [UInt8]?, pace: CopyPace?) throws(StorageError) {
        guard access(path, F_OK) != 0 else {
            throw StorageError(errno: EEXIST, doing: "write the copy", path: path)
        }
        let snapshot = try pageSnapshot()
        let unfinished = path + ".part"
        let (disk, lock) = try Self.begin(unfinished, path: path)
        // The lock is held until the end: without it the name may be another copy's.
        defer { withExtendedLifetime(lock) {} }
        do throws(StorageError) {
            try Self.copy(snapshot, to: disk, path: path, key: key, pace: pace)
            try Self.name(unfinished, path)
        } catch {
            unlink(unfinished)
            throw error
        }
        if let failure = FolderSync.failure(of: path, folderSync) { throw Self.nameIsUnsafe(failure, path) }
    }

    private static func nameIsUnsafe(_ failure: Int32, _ path: String) -> StorageError {
        StorageError(
            .io,
            "The copy is whole, but its name could not be written to the disk: \(String(cString: strerror(failure))). "
                + "Check the disk and the system's log, then delete the copy and write it again.",
            path: path)
    }

    /// Opens an empty file for a copy, and takes the lock that keeps other copies away from it.
    private static func begin(
        _ unfinished: String, path: String
    ) throws(StorageError) -> (disk: SystemFile, lock: LockBytes) {
        while true {
            let disk: SystemFile
            do throws(SystemFile.OpeningError) {
                disk = try SystemFile.create(path: unfinished)
            } catch {
                throw StorageError(errno: error.errorNumber, doing: "write the copy", path: path)
            }
            let descriptor = Glibc.open(unfinished, O_RDWR | O_CLOEXEC)
            // Another copy may have finished and removed the name.
            if descriptor < 0, errno == ENOENT { continue }
            guard descriptor >= 0 else { throw StorageError(errno: errno, doing: "write the copy", path: path) }
            let lock = LockBytes(descriptor, path: path)
            guard try lock.tryLock(0) else {
                throw StorageError(
                    .locked,
                    "Cannot write the copy: another copy is just being written to the same path. Wait until that one "
                        + "is done, or choose another path.",
                    path: path)
            }
            let written = FileIdentity(descriptor: disk.descriptor)
            guard written == FileIdentity(descriptor: descriptor), written == FileIdentity(path: unfinished) else {
                continue
            }
            // A finished copy that still has this name, because the process or the power ended before it was removed.
            if hasOtherNames(descriptor) {
                unlink(unfinished)
                continue
            }
            // Remove what an unfinished copy left.
            let result = disk.truncateWhole(0)
            guard result == 0 else { throw StorageError(errno: Int32(-result), doing: "write the copy", path: path) }
            return (disk, lock)
        }
    }

    private static func hasOtherNames(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 1
    }

    /// Renames a finished copy to its target, unless a file has that name by now.
    static func name(_ unfinished: String, _ path: String) throws(StorageError) {
        if link(unfinished, path) == 0 {
            unlink(unfinished)
            return
        }
        let refusal = errno
        // A file system without hard links. There a file that is created at this very moment is replaced.
        if [EPERM, ENOSYS, EOPNOTSUPP, EMLINK].contains(refusal), access(path, F_OK) != 0,
            rename(unfinished, path) == 0
        {
            return
        }
        throw StorageError(errno: access(path, F_OK) == 0 ? EEXIST : refusal, doing: "write the copy", path: path)
    }

    /// Writes a snapshot to an empty disk, in order and without gaps.
    static func copy(
        _ snapshot: PageSnapshot, to disk: any DiskFile, path: String, key: [UInt8]?, pace: CopyPace? = nil
    ) throws(StorageError) {
        let target = try PageFile.open(
            disk, shared: SharedState(), isFirst: true, path: path,
            options: StorageOptions(
                mapSizeBytes: Int(snapshot.file.space.pageLimit) << Pages.sizeShift, encryptionKey: key))
        guard let base = try target.header(of: target.shared.newest) else { throw Recovery.noHeader(path: path) }
        let step = snapshot.version - base.version
        // A view of its own, which can release pages once they are copied. The snapshot keeps the state pinned.
        try snapshot.file.space.withView { view throws(StorageError) in
            let state = snapshot.header.state
            _ = try target.commit(
                over: base, .durable, carrying: nil, versionStep: step
            ) { output throws(StorageError) in
                output.afterBatch = pace?.batches(
                    on: disk, totalBytes: Int(state.livePages) << Pages.sizeShift, path: path)
                defer { output.afterBatch = nil }
                let builder = TreeBuilder(output: output)
                let carried = snapshot.header.carried
                try builder.append(
                    contentsOf: TreeReader(space: view, root: state.trees), under: carried?.entries ?? [])
                let directory = LeafDirectory(space: view, root: state.directory)
                return (
                    trees: try builder.finish(), directory: try directory.copy(to: output, under: carried?.leaves ?? [])
                )
            }
        }
        if let damage = snapshot.damage { throw damage }
    }
}

extension CopyPace {
    /// What a copy does after each batch of pages.
    fileprivate func batches(
        on disk: any DiskFile, totalBytes: Int, path: String
    ) -> (_ writtenBytes: Int) throws(StorageError) -> Void {
        var syncedBytes = 0
        return { writtenBytes throws(StorageError) in
            guard writtenBytes - syncedBytes >= Self.unsyncedBytesMax else { return }
            let result = disk.synchronizeWhole()
            guard result == 0 else { throw StorageError(errno: Int32(-result), doing: "write the copy", path: path) }
            disk.dropCache()
            syncedBytes = writtenBytes
            try afterPart(writtenBytes, max(writtenBytes, totalBytes))
        }
    }
}

extension LeafDirectory {
    /// Writes all leaves, with changes over them, and a directory to another file. It must be the one reader of its space.
    ///
    /// - Parameter changes: ascending. What they replace is not read.
    func copy(
        to output: any PageOutput, under changes: [CarriedChanges.Leaf] = []
    ) throws(StorageError) -> PagePointer {
        var builder = LeafDirectoryBuilder(output: output)
        var copied: [PagePointer] = []
        var changes = changes[...]
        func append(_ change: CarriedChanges.Leaf) throws(StorageError) {
            if let bytes = change.bytes { try builder.append(change.place, try output.add(run: bytes)) }
        }
        try walk { visit throws(StorageError) in
            guard case .leaf(let place, let pointer) = visit else { return true }
            while let change = changes.first, change.place <= place {
                try append(change)
                changes.removeFirst()
                if change.place == place { return true }
            }
            guard let bytes = space.run(pointer) else { return true }
            let copy = try output.add(run: bytes)
            copied.append(pointer)
            if !output.needsRuns {
                for pointer in copied.reversed() { space.letGo(pointer) }
                copied.removeAll(keepingCapacity: true)
            }
            try builder.append(place, copy)
            return true
        }
        for change in changes { try append(change) }
        return try builder.finish()
    }
}
