import CausewayEnvironment
import Glibc
import Synchronization

/// An open page file: its bytes on the disk, the same bytes in memory, and the state that it shares with other
/// processes.
///
/// Snapshots retain it, so it closes with the last of them.
///
/// 1. A page that any protected state contains is never written. Protected are the states of all pinned snapshots,
///    the newest state, and the fallbacks: states that a power loss may bring back.
/// 2. The header slots of the fallbacks are never written, and that of the newest state only if no other is left.
/// 3. A header is written after all pages of its state. It is accepted only if the pages that the disk may lack exist.
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
    /// See ``StorageOptions/carriesChanges``.
    let carriesChanges: Bool
    /// nonisolated(unsafe): rule 4.
    nonisolated(unsafe) let writing: WritingState
    private let failure = Mutex<StorageError?>(nil)

    init(_ parts: Parts, path: String, _ options: StorageOptions) {
        self.path = path
        disk = parts.disk
        space = parts.space
        shared = parts.shared
        fileID = parts.fileID
        seal = parts.seal
        mutation = parts.mutation
        isReadOnly = options.readOnly
        isInMemory = options.inMemory
        carriesChanges = options.carriesChanges
        writing = WritingState()
        writing.sizeBytes = parts.disk.size()
    }

    deinit {
        closeCleanly()
        shared.close()
    }

    /// The parts that opening a file has made.
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

    /// Whether the newest state is the one that the file was created with.
    var isWithoutCommits: Bool { shared.newest == FileHeader.firstTransaction }

    /// The states that a power loss may bring back; 0 where there is none.
    var fallbacks: [UInt64] { mutation == .reuseFallbacks ? [] : shared.fallbacks }

    // MARK: - Failure

    /// Throws the damage found so far, or the failure that made the file unusable.
    func throwFailure() throws(StorageError) {
        if let damage = space.damage { throw damage }
        guard shared.isPoisoned else { return }
        throw failure.withLock { $0 } ?? .isPoisoned(path: path)
    }

    /// Makes the file unusable: after a failed sync the disk's content is unknown, and the kernel may have dropped
    /// pages.
    func poison(_ error: StorageError, afterSync: Bool = false) {
        failure.withLock { $0 = $0 ?? error }
        shared.poison(afterSync: afterSync)
    }

    // MARK: - Headers

    /// The header of the newest state; nil when its slot no longer holds it. Two further commits may overwrite the slot
    /// at any time, so the caller pins the state and tries again on nil. Throws when the disk cannot read the slot.
    func header(of transaction: UInt64) throws(StorageError) -> FileHeader? {
        for slot in 0..<FileHeader.slotCount where shared.transaction(inSlot: slot) == transaction {
            let header = try HeaderSlots.read(slot, of: disk, seal: seal, path: path, mutation: mutation)
            return header?.transaction == transaction ? header : nil
        }
        return nil
    }
}

/// The state that the one writer keeps from one commit to the next.
final class WritingState {
    /// The free space as of `transaction`; nil when it must be read from the header.
    var freeSpace: FreeSpace?
    var transaction: UInt64 = 0
    var sizeBytes = 0
    let pageMemory = PageMemory()
    /// The bytes written by commits of this process since all of them were last known to be durable.
    private var unsyncedBytes = 0
    private var lastWritten: UInt64 = 0

    func noteWritten(_ bytes: Int, by transaction: UInt64) {
        unsyncedBytes += bytes
        lastWritten = transaction
    }

    /// The most bytes written by this process that may not be on the disk yet.
    func unsyncedBytes(durable: UInt64) -> Int {
        if durable >= lastWritten { unsyncedBytes = 0 }
        return unsyncedBytes
    }
}

extension StorageError {
    /// The error of the call whose write or sync failed, and of later calls in this process.
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
