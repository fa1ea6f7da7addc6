import CausewayEnvironment
import Glibc

extension PageStorage {
    /// Written beside the target under another name first, so that a copy which was cut short is never taken for one.
    package func copy(to path: String, key: [UInt8]?) throws(StorageError) {
        guard access(path, F_OK) != 0 else {
            throw StorageError(errno: EEXIST, doing: "write the copy", path: path)
        }
        let snapshot = try pageSnapshot()
        let unfinished = path + ".part"
        unlink(unfinished)
        do throws(StorageError) {
            let disk: SystemFile
            do throws(SystemFile.OpeningError) {
                disk = try SystemFile.create(path: unfinished, exclusively: true)
            } catch {
                throw StorageError(errno: error.errorNumber, doing: "write the copy", path: path)
            }
            try Self.copy(snapshot, to: disk, path: path, key: key)
            guard rename(unfinished, path) == 0 else {
                throw StorageError(errno: errno, doing: "write the copy", path: path)
            }
            _ = synchronizeFolder(of: path)
        } catch {
            unlink(unfinished)
            throw error
        }
    }

    /// Fills an empty disk with a snapshot, everything in order and without gaps.
    static func copy(
        _ snapshot: PageSnapshot, to disk: any DiskFile, path: String, key: [UInt8]?
    ) throws(StorageError) {
        let target = try PageFile.open(
            disk, shared: SharedState(), isFirst: true, path: path,
            options: StorageOptions(
                mapSizeBytes: Int(snapshot.file.space.pageLimit) << Pages.sizeShift, encryptionKey: key))
        guard let base = target.header(of: target.shared.newest) else { throw Recovery.noHeader(path: path) }
        let step = snapshot.version - base.version
        _ = try target.commit(over: base, .durable, versionStep: step) { output throws(StorageError) in
            let builder = TreeBuilder(output: output)
            try builder.append(contentsOf: snapshot.trees)
            return (trees: try builder.finish(), directory: try snapshot.directory.copy(to: output))
        }
        if let damage = snapshot.damage { throw damage }
    }
}

extension LeafDirectory {
    /// Writes all leaves, and a directory of them, to another file.
    func copy(to output: any PageOutput) throws(StorageError) -> PagePointer {
        var builder = LeafDirectoryBuilder(output: output)
        try walk { visit throws(StorageError) in
            guard case .leaf(let place, let pointer) = visit else { return true }
            guard let bytes = space.run(pointer) else { return true }
            try builder.append(place, try output.add(run: bytes))
            return true
        }
        return try builder.finish()
    }
}
