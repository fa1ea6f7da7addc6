import CausewayEnvironment
import Glibc
import Synchronization

/// The open page file: its bytes on the disk, the same bytes in memory, and what it shares with other processes.
///
/// Snapshots hold it, so it closes with the last of them.
///
/// 1. A page that any protected state contains is never written. Protected are the states of all pinned snapshots,
///    the newest state, and the fallbacks: states that a power loss may bring back.
/// 2. The header slots of the newest state and of the fallbacks are never written.
/// 3. A header is written after all pages of its state, and believed only when those the disk may lack are there.
/// 4. Only the holder of the writer's right touches `writing`, the slots and the file's length.
final class PageFile: Sendable {
    let path: String
    let disk: any DiskFile
    let space: PageSpace
    let shared: SharedState
    let fileID: FileID
    let seal: PageSeal?
    let isReadOnly: Bool
    let isInMemory: Bool
    let mutation: StorageMutation?
    /// nonisolated(unsafe): rule 4.
    nonisolated(unsafe) let writing: WritingState
    private let failure = Mutex<StorageError?>(nil)

    init(_ parts: Parts, path: String, isReadOnly: Bool, isInMemory: Bool) {
        self.path = path
        disk = parts.disk
        space = parts.space
        shared = parts.shared
        fileID = parts.fileID
        seal = parts.seal
        mutation = parts.mutation
        self.isReadOnly = isReadOnly
        self.isInMemory = isInMemory
        writing = WritingState()
        writing.sizeBytes = parts.disk.size()
    }

    deinit {
        closeCleanly()
        shared.close()
    }

    /// What opening a file brings together.
    struct Parts {
        var disk: any DiskFile
        var space: PageSpace
        var shared: SharedState
        var fileID: FileID
        var seal: PageSeal?
        var mutation: StorageMutation?
    }

    var parts: Parts {
        Parts(disk: disk, space: space, shared: shared, fileID: fileID, seal: seal, mutation: mutation)
    }

    /// Whether the newest state is the one that the file was made with.
    var isWithoutCommits: Bool { shared.newest == FileHeader.firstTransaction }

    /// States that a power loss may bring back.
    var fallbacks: [UInt64] { mutation == .reuseFallbacks ? [] : shared.fallbacks }

    // MARK: - Failure

    /// Throws what made the file unusable, or unsound where it was read.
    func throwFailure() throws(StorageError) {
        if let damage = space.damage { throw damage }
        guard shared.isPoisoned else { return }
        throw failure.withLock { $0 } ?? .isPoisoned(path: path)
    }

    /// After a failed sync nobody knows what the disk holds; the kernel may have dropped the pages.
    func poison(_ error: StorageError, afterSync: Bool = false) {
        failure.withLock { $0 = $0 ?? error }
        shared.poison(afterSync: afterSync)
    }

    // MARK: - Headers

    /// The header of the newest state. Its slot may be written anew by two further commits at any time, so the
    /// caller pins the state and looks again when it finds another. Throws when the disk does not tell.
    func header(of transaction: UInt64) throws(StorageError) -> FileHeader? {
        for slot in 0..<FileHeader.slotCount where shared.transaction(inSlot: slot) == transaction {
            let header = try HeaderSlots.read(slot, of: disk, seal: seal, path: path, mutation: mutation)
            return header?.transaction == transaction ? header : nil
        }
        return nil
    }
}

/// What the one writer keeps from one commit to the next.
final class WritingState {
    /// The free space as of `transaction`; nil when it has to be read from the header.
    var freeSpace: FreeSpace?
    var transaction: UInt64 = 0
    var sizeBytes = 0
    let pageMemory = PageMemory()
    /// Bytes written by commits of this process since it last knew all of them to be durable.
    private var unsyncedBytes = 0
    private var lastWritten: UInt64 = 0

    func noteWritten(_ bytes: Int, by transaction: UInt64) {
        unsyncedBytes += bytes
        lastWritten = transaction
    }

    /// How much of what this process wrote may not be on the disk yet, at most.
    func unsyncedBytes(durable: UInt64) -> Int {
        if durable >= lastWritten { unsyncedBytes = 0 }
        return unsyncedBytes
    }
}

extension StorageError {
    /// Of the call that writing to the disk failed for, and of those after it in this process.
    static func isUnusable(errno number: Int32, path: String) -> StorageError {
        let remedy =
            [ENOSPC, EDQUOT].contains(number)
            ? "Free some disk space or raise the quota" : "Check the disk and the system's log"
        return StorageError(
            .io,
            "Writing to the disk failed: \(String(cString: strerror(number))). What it holds now is not known, and "
                + "commits since the last one that was made durable may be lost. \(remedy), then close the file in every "
                + "process and open it again: it comes back with the last commit that the disk has.",
            path: path)
    }

    static func isPoisoned(path: String) -> StorageError {
        StorageError(
            .io,
            "Writing to the disk failed earlier, and what it holds now is not known. Close the file in every process "
                + "and open it again: it comes back with the last commit that the disk has. Then check the disk.",
            path: path)
    }
}
