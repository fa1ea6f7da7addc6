package import CausewayEnvironment
import Glibc

extension PageStorage {
    /// Opens the file at a path and creates it if it is missing, or makes a new one in memory.
    static func open(
        path: String, options: StorageOptions, registry: StorageRegistry, folderSync: FolderSync = .ofSystem
    ) throws(StorageError) -> PageStorage {
        if options.inMemory {
            let disk = try opening(path) { () throws(SystemFile.OpeningError) in try SystemFile.createInMemory() }
            return try open(
                file: disk, path: path, options: options, identity: FileIdentity(memory: path), registry: registry)
        }
        try refuseFolder(path)
        let (disk, identity, shared, isFirst) = try openShared(path, options)
        defer { shared.finishOpening() }
        let file = try PageFile.open(disk, shared: shared, isFirst: isFirst, path: path, options: options)
        if !options.readOnly, file.isWithoutCommits { try folderSync.secureName(of: path) }
        let storage = PageStorage(file, options: options, folderSync: folderSync) {
            registry.closed(identity, readOnly: options.readOnly)
        }
        registry.opened(storage, identity)
        return storage
    }

    /// Opens a file and its shared state. Both belong to the same file, even if it is renamed or replaced meanwhile.
    private static func openShared(
        _ path: String, _ options: StorageOptions
    ) throws(StorageError) -> (disk: SystemFile, identity: FileIdentity, shared: SharedState, isFirst: Bool) {
        while true {
            let disk = try opening(path) { () throws(SystemFile.OpeningError) in
                options.readOnly
                    ? try SystemFile.open(path: path, readOnly: true) : try SystemFile.create(path: path)
            }
            guard let identity = FileIdentity(descriptor: disk.descriptor) else {
                throw StorageError(errno: errno, doing: "open the file", path: path)
            }
            let opened = try SharedState.open(
                path: path + "-lock", file: path, expecting: identity, readOnly: options.readOnly)
            if let (shared, isFirst) = opened { return (disk, identity, shared, isFirst) }
        }
    }

    /// Opens a store on a disk that no other process can reach.
    package static func open(
        file disk: any DiskFile, path: String, options: StorageOptions
    ) throws(StorageError) -> PageStorage {
        try open(file: disk, path: path, options: options, identity: nil, registry: nil)
    }

    private static func open(
        file disk: any DiskFile, path: String, options: StorageOptions, identity: FileIdentity?,
        registry: StorageRegistry?
    ) throws(StorageError) -> PageStorage {
        let shared = SharedState()
        // Nobody remembers whether a sync has failed before.
        shared.poison()
        let file = try PageFile.open(disk, shared: shared, isFirst: true, path: path, options: options)
        let storage = PageStorage(file, options: options) {
            if let identity { registry?.closed(identity, readOnly: options.readOnly) }
        }
        if let identity { registry?.opened(storage, identity) }
        return storage
    }

    /// Makes a copy in memory under a name, which lives as long as somebody holds it.
    package func copyInMemory(named path: String) throws(StorageError) -> any Storage {
        let disk = try Self.opening(path) { () throws(SystemFile.OpeningError) in try SystemFile.createInMemory() }
        var options = options
        (options.inMemory, options.readOnly) = (true, false)
        try Self.copy(pageSnapshot(), to: disk, path: path, key: options.encryptionKey)
        // The copy was written through a mapping of its own.
        let file = try Self.opening(path) { () throws(SystemFile.OpeningError) in try disk.duplicate() }
        return try Self.open(
            file: file, path: path, options: options, identity: FileIdentity(memory: path), registry: .shared)
    }

    private static func refuseFolder(_ path: String) throws(StorageError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw StorageError(errno: EISDIR, doing: "open the file", path: path)
    }

    private static func opening(
        _ path: String, _ body: () throws(SystemFile.OpeningError) -> SystemFile
    ) throws(StorageError) -> SystemFile {
        do throws(SystemFile.OpeningError) {
            return try body()
        } catch {
            throw StorageError(errno: error.errorNumber, doing: "open the file", path: path)
        }
    }

    /// Throws unless the caller has the key with which the file is already open.
    func refuseOtherKey(_ key: [UInt8]?) throws(StorageError) {
        guard key != options.encryptionKey else { return }
        throw StorageError(
            .wrongKey, "Cannot open the file: it is open in this process with another key, or without one.", path: path)
    }
}
