import CLMDB
package import CausewayStorage
import Glibc

extension LMDBStorage {
    package func copy(to path: String, key: [UInt8]?) throws(StorageError) {
        guard key == nil else {
            throw StorageError(
                StorageError.Code("unsupported"), "LMDB encrypts nothing. Make a copy without a key.", path: path)
        }
        let result = mdb_env_copy2(handles.environment, path, UInt32(MDB_CP_COMPACT))
        guard result == 0 else {
            if result != EEXIST { unlink(path) }
            throw StorageError(lmdb: result, doing: "write a compact copy", path: path)
        }
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        defer { if descriptor >= 0 { Glibc.close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw StorageError(errno: errno, doing: "write a compact copy", path: path)
        }
    }

    /// Does nothing: a file of LMDB keeps the size it once had. Only a copy is smaller.
    package func compact() throws(StorageError) {}

    /// Walks every entry of a snapshot and touches every byte of it.
    package func verify(_ progress: (_ done: Int, _ total: Int) -> Void) throws(StorageError) -> StorageReport {
        let statistics = try statistics()
        let snapshot = try newestSnapshot()
        var report = StorageReport(pages: statistics.sizeBytes / statistics.pageBytes)
        if !isInMemory {
            do throws(StorageError) {
                _ = try LMDBFileCheck.verdict(path: path)
            } catch {
                report.problems.append(error.message)
            }
        }
        var last: [UInt8] = []
        var sum: UInt8 = 0
        snapshot.scanTrees { key, value in
            let isAscending = last.isEmpty || last.withUnsafeBytes { bytesOrder($0, key) < 0 }
            if !isAscending { report.problems.append("A key of tree \(treeNumber(key)) is out of order.") }
            last = Array(key)
            for byte in value { sum ^= byte }
            report.treeEntries += 1
            return true
        }
        snapshot.scanLeaves { _, bytes in
            for byte in bytes { sum ^= byte }
            report.leaves += 1
        }
        if report.treeEntries != statistics.treeEntries || report.leaves != statistics.leaves {
            report.problems.append("The file holds fewer entries than it counts.")
        }
        if let failure { report.problems.append(failure.message) }
        progress(report.pages, report.pages)
        return report
    }

    package func statistics() throws(StorageError) -> StorageStatistics {
        // Before a snapshot of our own is among the readers.
        let oldest = oldestReader()
        let snapshot = try newestSnapshot()
        var information = MDB_envinfo()
        mdb_env_info(handles.environment, &information)
        var trees = MDB_stat()
        var leaves = MDB_stat()
        mdb_stat(snapshot.transaction, handles.trees, &trees)
        mdb_stat(snapshot.transaction, handles.leaves, &leaves)
        let pages = [trees, leaves].map { $0.ms_branch_pages + $0.ms_leaf_pages + $0.ms_overflow_pages }.reduce(0, +)
        let pageBytes = Int(trees.ms_psize)
        let unused = snapshot.unusedPages(before: oldest?.transaction ?? snapshot.transactionID + 1)
        return StorageStatistics(
            sizeBytes: (Int(information.me_last_pgno) + 1) * pageBytes, usedBytes: (pages + 2) * pageBytes,
            pageBytes: pageBytes, treeEntries: trees.ms_entries - FileRecord.entryCount, leaves: leaves.ms_entries,
            freeBytes: unused.free * pageBytes, pinnedBytes: unused.pinned * pageBytes,
            oldestSnapshot: oldest.map {
                .init(commitsBehind: UInt64(snapshot.transactionID - $0.transaction), processID: $0.processID)
            })
    }

    /// LMDB lists its readers as text: process, thread and transaction, a line each.
    private func oldestReader() -> (transaction: Int, processID: Int32)? {
        final class Lines {
            var text = ""
        }
        let lines = Lines()
        mdb_reader_list(
            handles.environment,
            { line, context in
                guard let line, let context else { return 0 }
                Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().text += String(cString: line)
                return 0
            }, Unmanaged.passUnretained(lines).toOpaque())
        let readers = lines.text.split(separator: "\n").compactMap { line -> (transaction: Int, processID: Int32)? in
            let fields = line.split(separator: " ")
            guard fields.count == 3, let process = Int32(fields[0]), let transaction = Int(fields[2]) else {
                return nil
            }
            return (transaction, process)
        }
        return readers.min { $0.transaction < $1.transaction }
    }
}

/// The tree that a key of the database `trees` belongs to.
func treeNumber(_ fullKey: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(bigEndian: fullKey.loadUnaligned(as: UInt32.self))
}
