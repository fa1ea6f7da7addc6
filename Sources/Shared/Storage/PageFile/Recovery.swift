import CausewayEnvironment
import Glibc

/// Finds the newest state that the disk holds whole.
///
/// The pages of a commit and its header reach the disk in any order, or in part. So a header is accepted only if its
/// own checksum fits and every page below it that was not synced before it is sound. This reads only what the last
/// commits changed: pointers carry births, and older pages are skipped.
enum Recovery {
    /// Finds the newest state for the first process that opens a file, and resets the shared state to it.
    static func recover(_ parts: PageFile.Parts, path: String, isNew: Bool) throws(StorageError) {
        let headers = try HeaderSlots.readAll(
            of: parts.disk, seal: parts.seal, path: path, mutation: parts.mutation)
        guard let (slot, header) = try newest(headers, parts, path: path) else { throw noHeader(path: path) }
        parts.shared.reset(
            newest: header.transaction, slot: slot,
            durable: header.durableTransaction,
            slots: headers.map { $0?.transaction ?? 0 },
            // Above all headers, also that of a commit whose pages are missing: its header stays on the disk.
            nextBirth: (headers.compactMap { $0?.transaction }.max() ?? 0) + 1,
            isSynced: isNew)
    }

    /// Finds the newest state for a writer whose predecessor died in a commit, with its header finished or not.
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
        // A state that was whole on the disk cannot be torn later. If it lacks pages now, they were lost, and opening
        // an older state instead would be wrong.
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
        // A state that does not fit into the map may still be whole, so opening an older one instead would be wrong.
        guard header.freeSpace.endPage <= parts.space.pageLimit else {
            guard parts.mutation == .mapBoundsStates else { throw parts.space.isTooSmall(for: header) }
            return false
        }
        guard header.syncedTransaction < header.transaction, parts.mutation != .trustHeaders else { return true }
        // Pages missing here are no damage for readers of the state before. A lack of address space and a failure of
        // the disk are thrown, because they say nothing about the state either.
        return try parts.space.withTrial { trial throws(StorageError) in
            let walk = ProofWalk(trial, after: header.syncedTransaction, skipsRuns: parts.mutation == .skipRuns)
            if walk.isWhole(header) { return true }
            // A page that the disk could not read may still be sound.
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
    /// The youngest transaction that is whole on the disk, as far as this header knows.
    fileprivate var safeTransaction: UInt64 {
        syncedTransaction == transaction ? transaction : durableTransaction
    }
}
