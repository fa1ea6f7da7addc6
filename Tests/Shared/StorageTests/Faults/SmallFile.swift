import CausewayStorage
import CausewayStorageOracle

/// A small file with everything in it that a file can hold, closed cleanly or not at all.
struct SmallFile {
    enum Kind: CaseIterable {
        /// Commits that were durable and relaxed, the last of them relaxed.
        case mixed
        /// The last commit wrote so much that it synced its pages ahead of its header.
        case largeLastCommit
        case compacted
    }

    var bytes: [UInt8]
    var contents = Contents()
    var version: UInt64 = 0
    let key: [UInt8]?

    /// - Parameter isKilled: the process that had it open ended without closing it, so that its newest header need not
    ///   vouch for its state.
    init(_ kind: Kind, isEncrypted: Bool, isKilled: Bool = false) throws {
        key = isEncrypted ? StorageBackend.key : nil
        bytes = []
        let file = ByteFile([0])
        _ = file.truncate(0)
        var storage: (any Storage)? = try open(file)
        if let storage { try write(kind, to: storage) }
        if !isKilled { storage = nil }
        bytes = [UInt8](UnsafeRawBufferPointer(start: file.base, count: file.size()))
        withExtendedLifetime(storage) {}
    }

    private mutating func write(_ kind: Kind, to storage: any Storage) throws {
        for number in 1...5 {
            try commit(to: storage, number == 5 ? .relaxed : .durable) { SmallChanges.make(number, in: $0, &$1) }
        }
        switch kind {
        case .mixed: break
        case .largeLastCommit:
            try commit(to: storage, .durable) { writer, contents in
                for number in UInt32(0)..<3 {
                    let bytes = SmallChanges.bytes(Int(number), 500_000)
                    writer.replaceLeaf(5, number, bytes)
                    contents.leaves[LeafPlace(column: 5, number: number)] = bytes
                }
            }
        case .compacted:
            try commit(to: storage, .durable) { SmallChanges.clear(upTo: 4, in: $0, &$1) }
            try storage.compact()
        }
    }

    private mutating func commit(
        to storage: any Storage, _ durability: Durability, _ change: (any StorageWriter, inout Contents) -> Void
    ) throws {
        let writer = try storage.write()
        change(writer, &contents)
        version = try writer.commit(durability).version
    }

    func open(_ file: ByteFile) throws -> any Storage {
        try PageStorage.open(file: file, path: "small file", options: options)
    }

    var options: StorageOptions {
        StorageOptions(mapSizeBytes: ByteFile.capacityBytes, encryptionKey: key)
    }

    // MARK: - Judging

    enum Verdict: Equatable {
        /// Everything is there.
        case right
        /// Something is not there, and that was told.
        case told
        case wrong(String)
    }

    /// Opens the file, reads everything and verifies.
    /// - Parameter isUsed: whether the file is also changed.
    func judge(isUsed: Bool, _ open: () throws -> any Storage) -> Verdict {
        do {
            let storage = try open()
            let snapshot = try storage.snapshot()
            guard snapshot.version == version else { return .wrong("version \(snapshot.version), not \(version)") }
            let comparison = contents.compare(with: snapshot)
            guard comparison.wrong.isEmpty else { return .wrong("\(comparison.wrong)") }
            guard comparison.missing.isEmpty || snapshot.damage != nil else {
                return .wrong("nobody tells why these are missing: \(comparison.missing)")
            }
            if snapshot.damage != nil, (try? storage.snapshot()) != nil {
                return .wrong("damage, and the next snapshot is taken all the same")
            }
            let report = try? storage.verify { _, _ in }
            if snapshot.damage != nil, report?.isSound == true { return .wrong("verify finds no damage") }
            if isUsed, let mistake = use(storage) { return .wrong(mistake) }
            return snapshot.damage == nil && report?.isSound == true ? .right : .told
        } catch let error as StorageError {
            let codes: [StorageError.Code] = [
                .damaged, .notADatabase, .wrongKey, .unsupportedVersion, .io,
            ]
            return codes.contains(error.code) ? .told : .wrong("\(error)")
        } catch {
            return .wrong("\(error)")
        }
    }

    /// Writes to it: a commit that goes through holds what was there before, or tells of damage.
    private func use(_ storage: any Storage) -> String? {
        do {
            let writer = try storage.write()
            var changed = contents
            SmallChanges.make(9, in: writer, &changed)
            let committed = try writer.commit(.durable)
            try storage.compact()
            let comparison = changed.compare(with: committed)
            if comparison.isEqual || committed.damage != nil { return nil }
            return "after a commit: \(comparison)"
        } catch {
            return nil
        }
    }
}
