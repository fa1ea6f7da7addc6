import CausewaySeeds
import CausewayStorage
import Glibc

/// A random sequence of operations on several storages at once, which must all answer as a dictionary does: with
/// snapshots held open across commits, reopenings, compactions and copies.
///
/// Everything follows from the seed, so a failure is found again by it.
package struct OperationSequence {
    /// An answer that differs, with what led to it.
    package struct Disagreement: Error, CustomStringConvertible {
        package let description: String
    }

    /// One storage, and the file that it is in now.
    struct Store {
        let backend: StorageBackend
        var path: String
        /// Nil only while it is reopened.
        var storage: (any Storage)?
    }

    /// One committed state in all storages, and what it must hold.
    struct Held {
        var contents: Contents
        var version: UInt64
        /// How often the files were compacted before: what moves may be told as changed, too.
        var compactions: Int
        var snapshots: [any StorageSnapshot]
    }

    package let seed: UInt64
    let folder: String
    var random: SeededNumbers
    var stores: [Store] = []
    var contents = Contents()
    var version: UInt64 = 0
    var compactions = 0
    var held: [Held] = []
    var steps: [String] = []
    private var fileCount = 0

    /// - Parameter folder: where the files may be; they are gone afterwards.
    package init(seed: UInt64, folder: String) {
        self.seed = seed
        self.folder = folder
        random = SeededNumbers(seed: seed)
    }

    /// Runs the sequence on storages of these kinds, and stops at the first answer that differs.
    package static func run(
        seed: UInt64, folder: String, backends: [StorageBackend] = StorageBackend.allCases
    ) throws {
        var sequence = OperationSequence(seed: seed, folder: folder)
        try sequence.run(backends)
    }

    private mutating func run(_ backends: [StorageBackend]) throws {
        defer { removeFiles() }
        do {
            for backend in backends {
                let path = freshPath()
                stores.append(Store(backend: backend, path: path, storage: try backend.open(path)))
            }
            for _ in 0..<random.number(4...16) { try step() }
            steps.append("end")
            for state in held { try check(state, everything: true) }
            try checkNewest()
            try verify()
        } catch let error as StorageError {
            throw disagreement("threw \(error)")
        }
    }

    // MARK: - Steps

    private mutating func step() throws {
        switch random.number(0...19) {
        case 0...8: try transact()
        case 9...11: try hold()
        case 12: held = held.filter { _ in random.once(in: 2) }
        case 13:
            for state in held { try check(state, everything: false) }
        case 14, 15: try compareHeld()
        case 16: try reopen()
        case 17: try compact()
        case 18: try copy()
        default: try synchronize()
        }
    }

    mutating func hold() throws {
        steps.append("hold \(version)")
        if held.count >= 4 { held.remove(at: random.number(0...3)) }
        held.append(current(try snapshots()))
    }

    func snapshots() throws -> [any StorageSnapshot] {
        try stores.map { try $0.open.snapshot() }
    }

    func current(_ snapshots: [any StorageSnapshot]) -> Held {
        Held(contents: contents, version: version, compactions: compactions, snapshots: snapshots)
    }

    private mutating func reopen() throws {
        steps.append("reopen")
        held = []
        for index in stores.indices {
            stores[index].storage = nil
            stores[index].storage = try stores[index].backend.open(stores[index].path)
        }
        try checkNewest()
    }

    private mutating func compact() throws {
        steps.append("compact")
        for store in stores { try store.open.compact() }
        compactions += 1
        for state in held { try check(state, everything: false) }
        try checkNewest()
    }

    /// Copies every storage, and half the time goes on with the copies.
    private mutating func copy() throws {
        let mustGoOn = random.once(in: 2)
        steps.append(mustGoOn ? "copy and go on with the copy" : "copy")
        var copies = stores
        for index in stores.indices {
            let path = freshPath()
            try stores[index].open.copy(to: path, key: stores[index].backend.key)
            copies[index].path = path
            copies[index].storage = try stores[index].backend.open(path)
        }
        let originals = stores
        stores = copies
        try checkNewest()
        if mustGoOn { held = [] } else { stores = originals }
    }

    private mutating func synchronize() throws {
        steps.append("synchronize")
        for store in stores { try store.open.synchronize() }
    }

    // MARK: - Files

    private mutating func freshPath() -> String {
        fileCount += 1
        return "\(folder)/\(seed)-\(fileCount)"
    }

    private mutating func removeFiles() {
        held = []
        stores = []
        guard fileCount > 0 else { return }
        for file in 1...fileCount {
            for ending in ["", "-lock", "-writer"] { unlink("\(folder)/\(seed)-\(file)\(ending)") }
        }
    }
}

extension OperationSequence.Store {
    var open: any Storage {
        guard let storage else { preconditionFailure("a storage is used while it is being reopened") }
        return storage
    }
}
