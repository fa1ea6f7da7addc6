import CausewaySimulatedDisk
import CausewayStorage

/// What is demanded of a file found after a power loss.
struct ImageCheck {
    var history: History
    var options: StorageOptions

    /// How closely an image is looked at.
    enum Depth {
        /// Opened, read in whole, and verified page by page.
        case content
        /// Also committed to, and opened, read and verified once more.
        case use
    }

    private static let path = "image"
    private static let newKey: [UInt8] = Array("after the power loss".utf8)
    private static let newValue: [UInt8] = [UInt8](repeating: 0x5A, count: 300)
    private static let newPlace = LeafPlace(column: 130, number: 4)
    private static let newLeaf: [UInt8] = [UInt8](repeating: 0xC3, count: 5_000)

    /// Nil when everything is right, or else what is wrong.
    func failure(of disk: SimulatedDisk, at moment: Int, depth: Depth, by program: OtherProgram) -> String? {
        do {
            let seen = history.isCreated(at: moment) ? try program.look(at: disk, options) : nil
            let state = try lookForState(disk, at: moment)
            if let seen, seen != history.states[state].fingerprint {
                throw Workload.Failure(
                    "\(program) found \(seen), and then was found \(history.states[state].fingerprint)")
            }
            guard depth == .use else { return nil }
            var contents = history.states[state].contents
            let version = history.states[state].fingerprint.version
            try commit(to: disk, &contents)
            try compare(disk, contents.fingerprint(version: version + 1))
            return nil
        } catch let failure as Workload.Failure {
            return failure.reason
        } catch {
            return "\(error)"
        }
    }

    private func open(_ disk: SimulatedDisk) throws -> any Storage {
        // Two storages on one disk would not know of each other.
        guard disk.waitUntilClosed() else {
            throw Workload.Failure("the storage was let go and did not close its file")
        }
        return try PageStorage.open(file: disk.open(), path: Self.path, options: options)
    }

    private func lookForState(_ disk: SimulatedDisk, at moment: Int) throws -> Int {
        let storage = try open(disk)
        let fingerprint: Fingerprint
        do {
            fingerprint = try Fingerprint(of: storage.snapshot())
        } catch let inconsistency as Fingerprint.Inconsistency {
            throw Workload.Failure(inconsistency.reason)
        }
        guard let state = history.match(fingerprint, at: moment) else {
            throw Workload.Failure(history.describe(fingerprint, at: moment))
        }
        try verify(storage, fingerprint)
        return state
    }

    private func verify(_ storage: any Storage, _ fingerprint: Fingerprint) throws {
        let report = try storage.verify { _, _ in }
        guard report.isSound else { throw Workload.Failure("verify found: \(report.problems.joined(separator: " "))") }
        guard report.treeEntries == fingerprint.treeEntries, report.leaves == fingerprint.leaves else {
            throw Workload.Failure(
                "verify counts \(report.treeEntries) keys and \(report.leaves) leaves in \(fingerprint)")
        }
    }

    private func commit(to disk: SimulatedDisk, _ contents: inout Contents) throws {
        let storage = try open(disk)
        let writer = try storage.write()
        writer.put(tree: 1, key: Self.newKey, value: Self.newValue)
        contents.put(tree: 1, key: Self.newKey, value: Self.newValue)
        writer.replaceLeaf(Self.newPlace, Self.newLeaf)
        contents.replaceLeaf(Self.newPlace, Self.newLeaf)
        _ = try writer.commit(.durable)
    }

    private func compare(_ disk: SimulatedDisk, _ expected: Fingerprint) throws {
        let storage = try open(disk)
        let found: Fingerprint
        do {
            found = try Fingerprint(of: storage.snapshot())
        } catch let inconsistency as Fingerprint.Inconsistency {
            throw Workload.Failure("after a commit to the image: \(inconsistency.reason)")
        }
        guard found == expected else {
            throw Workload.Failure("after a commit to the image: expected \(expected), found \(found)")
        }
        try verify(storage, expected)
    }
}
