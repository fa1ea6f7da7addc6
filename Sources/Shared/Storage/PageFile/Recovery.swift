import CausewayEnvironment
import Glibc

/// Finds the newest state that the disk holds whole.
///
/// The pages of a commit and its header reach the disk in any order, or in part. So a header is believed when its own
/// checksum fits, and when every page below it is there that was not synced before it was written. That takes time
/// only for what the last commits changed: pointers carry births, and nothing older is looked at.
enum Recovery {
    /// For the first to open a file: nobody else has it open.
    static func recover(_ parts: PageFile.Parts, path: String, isNew: Bool) throws(StorageError) {
        let headers = try HeaderSlots.readAll(
            of: parts.disk, seal: parts.seal, path: path, mutation: parts.mutation)
        guard let (slot, header) = try newest(headers, parts, path: path) else { throw noHeader(path: path) }
        parts.shared.reset(
            newest: header.transaction, slot: slot,
            durable: header.durableTransaction,
            slots: headers.map { $0?.transaction ?? 0 },
            // Also above a commit whose pages are missing: both may be on the disk at once.
            nextBirth: (headers.compactMap { $0?.transaction }.max() ?? 0) + 1,
            isSynced: isNew)
    }

    /// For a writer whose predecessor died in the middle of a commit: it may have finished its header, or not.
    static func takeOver(_ file: PageFile) throws(StorageError) {
        let headers = try HeaderSlots.readAll(
            of: file.disk, seal: file.seal, path: file.path, mutation: file.mutation)
        guard let (slot, header) = try newest(headers, file.parts, path: file.path),
            header.transaction >= file.shared.newest
        else { throw noHeader(path: file.path) }
        for slot in 0..<FileHeader.slotCount {
            file.shared.setTransaction(headers[slot]?.transaction ?? 0, inSlot: slot)
        }
        if header.transaction != file.shared.newest { file.shared.publish(header.transaction, slot: slot) }
        file.shared.endCommitting()
    }

    private static func newest(
        _ headers: [FileHeader?], _ parts: PageFile.Parts, path: String
    ) throws(StorageError) -> (slot: Int, header: FileHeader)? {
        var candidates: [(slot: Int, header: FileHeader)] = []
        for (slot, header) in headers.enumerated() {
            if let header { candidates.append((slot, header)) }
        }
        candidates.sort { $0.header.transaction > $1.header.transaction }
        // A state that was on the disk as a whole cannot have been torn since: what it lacks now was lost, and an older
        // state in its place would be wrong.
        let safe = candidates.map { $0.header.safeTransaction }.max() ?? 0
        for candidate in candidates where candidate.header.transaction >= safe {
            if try isWhole(candidate.header, parts, path: path) { return candidate }
        }
        return nil
    }

    private static func isWhole(
        _ header: FileHeader, _ parts: PageFile.Parts, path: String
    ) throws(StorageError) -> Bool {
        let size = parts.disk.size()
        guard size >= 0 else { throw StorageError(errno: Int32(-size), doing: "look at the file", path: path) }
        guard Int(header.freeSpace.endPage) * Pages.sizeBytes <= size else { return false }
        // That it does not fit says nothing of the state, and an older one in its place would be wrong.
        guard header.freeSpace.endPage <= parts.space.pageLimit else {
            guard parts.mutation == .mapBoundsStates else { throw parts.space.isTooSmall(for: header) }
            return false
        }
        guard header.syncedTransaction < header.transaction, parts.mutation != .trustHeaders else { return true }
        // What is missing here is no damage to anybody who reads the state before it. That there are no addresses to
        // look with, or that the disk fails, is thrown: it says nothing of the state either.
        return try parts.space.withTrial { trial throws(StorageError) in
            let walk = ProofWalk(trial, after: header.syncedTransaction, skipsRuns: parts.mutation == .skipRuns)
            if walk.isWhole(header) { return true }
            // What the disk could not read may be there.
            if let failure = trial.readFailure { throw failure }
            return false
        }
    }

    static func noHeader(path: String) -> StorageError {
        StorageError(
            .damaged,
            "Cannot open the file: it holds no whole state; its beginning or its end was lost. Restore it from a copy, "
                + "or delete it to begin anew (a synced file fetches its data again).",
            path: path)
    }
}

extension FileHeader {
    /// The youngest transaction that the disk holds whole, as far as this header knows.
    fileprivate var safeTransaction: UInt64 {
        syncedTransaction == transaction ? transaction : durableTransaction
    }
}
