import CLMDB
import CausewayStorage
import Glibc

/// Looks at a file before LMDB maps it: a foreign file must be refused, and a file that has lost its end must not be
/// read through the map, because a page beyond the end kills the process with SIGBUS.
struct LMDBFileCheck {
    enum Verdict {
        case absent
        case empty
        case sound
    }

    private let path: String
    private let descriptor: Int32
    private let sizeBytes: Int

    /// Throws when the file must not be opened.
    static func verdict(path: String) throws(StorageError) -> Verdict {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .absent }
            throw StorageError(errno: errno, doing: "open the file", path: path)
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw StorageError(errno: errno, doing: "look at the file", path: path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StorageError(errno: EISDIR, doing: "open the file", path: path)
        }
        if status.st_size == 0 { return .empty }
        try LMDBFileCheck(path: path, descriptor: descriptor, sizeBytes: Int(status.st_size)).run()
        return .sound
    }

    // MARK: - Meta pages

    /// The fields of LMDB's two meta pages that matter here, by their offset in the page.
    private struct Meta {
        var pageBytes: Int
        var lastPage: UInt64
        var transaction: UInt64
        var roots: [UInt64]
    }

    private func run() throws(StorageError) {
        let smallestPage = 256
        guard let first = read(at: 0, count: min(sizeBytes, smallestPage)), first.count >= 24,
            isMetaPage(first)
        else { throw StorageError(lmdb: MDB_INVALID, doing: "open the file", path: path) }
        guard load(first, 20, UInt32.self) == 1 else {
            throw StorageError(lmdb: MDB_VERSION_MISMATCH, doing: "open the file", path: path)
        }
        guard first.count >= smallestPage else { throw truncated() }
        let pageBytes = Int(load(first, 40, UInt32.self))
        guard (512...65536).contains(pageBytes), pageBytes & (pageBytes - 1) == 0 else {
            throw StorageError(lmdb: MDB_CORRUPTED, doing: "open the file", path: path)
        }
        guard let second = read(at: pageBytes, count: smallestPage), second.count == smallestPage else {
            throw truncated()
        }
        let metas = [first, second].filter(isMetaPage).map { page in
            Meta(
                pageBytes: pageBytes, lastPage: load(page, 136, UInt64.self), transaction: load(page, 144, UInt64.self),
                roots: [load(page, 80, UInt64.self), load(page, 128, UInt64.self)])
        }
        // LMDB takes the meta page with the larger transaction number.
        guard let newest = metas.max(by: { $0.transaction < $1.transaction }), metas.count == 2 else {
            throw StorageError(lmdb: MDB_CORRUPTED, doing: "open the file", path: path)
        }
        if newest.lastPage < UInt64(sizeBytes / pageBytes) { return }
        // The file is shorter than its last page number says. LMDB itself leaves it so when a transaction gave back
        // the last pages it had taken; then no tree uses what is missing, and only a walk can tell.
        for root in newest.roots { try walk(root, newest, depth: 0) }
    }

    private func isMetaPage(_ page: [UInt8]) -> Bool {
        load(page, 16, UInt32.self) == 0xBEEF_C0DE && load(page, 10, UInt16.self) & 0x08 != 0
    }

    // MARK: - Walking the trees

    private static let noPage = UInt64.max

    private func walk(_ number: UInt64, _ meta: Meta, depth: Int) throws(StorageError) {
        guard number != Self.noPage else { return }
        guard depth < 32, let page = page(number, meta) else { throw truncated() }
        let flags = load(page, 10, UInt16.self)
        let isBranch = flags & 0x01 != 0
        guard isBranch || flags & 0x02 != 0 else { throw truncated() }
        let nodeCount = (Int(load(page, 12, UInt16.self)) - 16) / 2
        guard nodeCount >= 0, 16 + nodeCount * 2 <= page.count else { throw truncated() }
        for index in 0..<nodeCount {
            let node = Int(load(page, 16 + index * 2, UInt16.self))
            guard node + 8 <= page.count else { throw truncated() }
            let low = UInt64(load(page, node, UInt16.self))
            let high = UInt64(load(page, node + 2, UInt16.self))
            let nodeFlags = UInt64(load(page, node + 4, UInt16.self))
            if isBranch {
                try walk(low | high << 16 | nodeFlags << 32, meta, depth: depth + 1)
                continue
            }
            let dataBytes = Int(low | high << 16)
            let data = node + 8 + Int(load(page, node + 6, UInt16.self))
            if nodeFlags & 0x01 != 0 {
                guard data + 8 <= page.count else { throw truncated() }
                let firstPage = load(page, data, UInt64.self)
                let pages = (dataBytes + 16 + meta.pageBytes - 1) / meta.pageBytes
                guard firstPage <= UInt64(sizeBytes / meta.pageBytes - pages) else { throw truncated() }
            } else if nodeFlags & 0x02 != 0 {
                // A named tree: its record ends with the number of its root page.
                guard dataBytes == 48, data + 48 <= page.count else { throw truncated() }
                try walk(load(page, data + 40, UInt64.self), meta, depth: depth + 1)
            }
        }
    }

    private func page(_ number: UInt64, _ meta: Meta) -> [UInt8]? {
        guard number < UInt64(sizeBytes / meta.pageBytes) else { return nil }
        let bytes = read(at: Int(number) * meta.pageBytes, count: meta.pageBytes)
        return bytes?.count == meta.pageBytes ? bytes : nil
    }

    // MARK: - Reading

    private func truncated() -> StorageError {
        StorageError(
            .damaged,
            "Cannot open the file: it is shorter than its contents; its end was cut off. "
                + "Restore it from a copy, or delete it to begin anew (a synced file fetches its data again).",
            path: path
        )
    }

    private func read(at offset: Int, count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            initializedCount = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
        return bytes.isEmpty ? nil : bytes
    }

    private func load<T: FixedWidthInteger>(_ bytes: [UInt8], _ offset: Int, _ type: T.Type) -> T {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
