public import Foundation
import Glibc
import Synchronization

extension Realm {
    /// The file that a Realm opens, the classes it manages, and how it is opened.
    ///
    /// ```swift
    /// var configuration = Realm.Configuration()
    /// configuration.fileURL = folder.appending(path: "dogs.realm")
    /// configuration.objectTypes = [Dog.self, DogToy.self]
    /// let realm = try Realm(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        private enum Place: Sendable {
            case file(URL)
            case memory(String)
        }

        private var place: Place
        /// How the file synchronises; nil for a local one. Set through `syncConfiguration`.
        package var syncSettings: (any SyncSettings)? {
            didSet {
                // A Realm in memory cannot synchronise.
                if syncSettings != nil, case .memory = place { place = .file(Self.defaultFileURL) }
            }
        }

        /// Creates a configuration; every value not given has its default.
        ///
        /// ```swift
        /// let configuration = Realm.Configuration(fileURL: URL(filePath: "toys.realm"), schemaVersion: 2, objectTypes: [DogToy.self])
        /// ```
        ///
        /// When both a file and an in-memory identifier are given, the identifier wins. A synced Realm always has a
        /// file.
        @preconcurrency
        public init(
            fileURL: URL? = defaultFileURL,
            inMemoryIdentifier: String? = nil,
            syncConfiguration: SyncConfiguration? = nil,
            encryptionKey: Data? = nil,
            readOnly: Bool = false,
            schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil,
            deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil,
            seedFilePath: URL? = nil
        ) {
            place = inMemoryIdentifier.map(Place.memory) ?? .file(fileURL ?? Self.defaultFileURL)
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.objectTypes = objectTypes
            self.seedFilePath = seedFilePath
            // Set through the property, which also corrects the place.
            if syncConfiguration != nil { self.syncConfiguration = syncConfiguration }
            checkEncryptionKey()
        }

        private func checkEncryptionKey() {
            guard let encryptionKey, encryptionKey.count != 64 else { return }
            misuse("Encryption key must be exactly 64 bytes long, and this one has \(encryptionKey.count)")
        }

        /// The Realm's file; nil for an in-memory Realm. Setting it clears `inMemoryIdentifier`. Setting nil does
        /// nothing.
        ///
        /// ```swift
        /// configuration.fileURL = URL(filePath: "/var/lib/kennel/dogs.realm")
        /// ```
        public var fileURL: URL? {
            get { if case .file(let url) = place { url } else { nil } }
            set {
                guard let newValue else { return }
                place = .file(newValue)
            }
        }

        /// The name of an in-memory Realm, which lives while anybody has it open. Setting it clears `fileURL` and
        /// `syncConfiguration`. Setting nil does nothing.
        ///
        /// ```swift
        /// let configuration = Realm.Configuration(inMemoryIdentifier: "kennel")
        /// ```
        public var inMemoryIdentifier: String? {
            get { if case .memory(let identifier) = place { identifier } else { nil } }
            set {
                guard let newValue else { return }
                place = .memory(newValue)
                syncSettings = nil
            }
        }

        /// The 64 bytes that encrypt the file; nil for a plain one. A key of another length stops the program.
        ///
        /// ```swift
        /// configuration.encryptionKey = Data((0..<64).map { _ in UInt8.random(in: .min ... .max) })
        /// ```
        ///
        /// Do not keep it beside the file: whoever has both reads everything. Opening the file with another key, or
        /// without one, throws `Realm.Error.invalidDatabase`. `Realm.writeCopy(toFile:encryptionKey:)` changes the key.
        public var encryptionKey: Data? {
            didSet { checkEncryptionKey() }
        }

        /// How many versions of its data the file may hold at once; nil for no limit. A write that would exceed it
        /// throws, and the file does not grow. Readers keep old versions alive, for example frozen objects.
        ///
        /// ```swift
        /// configuration.maximumNumberOfActiveVersions = 16
        /// ```
        public var maximumNumberOfActiveVersions: UInt?

        /// Whether the Realm may only be read. The file must exist and have all classes.
        ///
        /// ```swift
        /// let dictionary = Realm.Configuration(fileURL: url, readOnly: true)
        /// ```
        public var readOnly: Bool

        /// The version of the classes. Raise it when properties of existing classes are added.
        ///
        /// ```swift
        /// configuration.schemaVersion = 2
        /// ```
        public var schemaVersion: UInt64

        /// Migrates the objects of a file with an older schema version. Called once, when the file is opened.
        ///
        /// ```swift
        /// configuration.schemaVersion = 2
        /// configuration.migrationBlock = { migration, oldSchemaVersion in
        ///     migration.renameProperty(onType: "Person", from: "age", to: "yearsSinceBirth")
        /// }
        /// ```
        ///
        /// With a block, properties may change their type or go away; without one a file accepts additions only.
        @preconcurrency
        public var migrationBlock: MigrationBlock?

        /// Whether a file whose classes do not fit is deleted and created again.
        ///
        /// ```swift
        /// configuration.deleteRealmIfMigrationNeeded = true    // while the app is being written
        /// ```
        public var deleteRealmIfMigrationNeeded: Bool

        /// Decides whether the file is compacted when the process opens it for the first time. It gets the size of the
        /// file and how much of that is in use.
        ///
        /// ```swift
        /// configuration.shouldCompactOnLaunch = { totalBytes, usedBytes in
        ///     totalBytes > 100_000_000 && Double(usedBytes) / Double(totalBytes) < 0.5
        /// }
        /// ```
        @preconcurrency
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

        /// A Realm file to begin with. It is copied to `fileURL` when there is no file yet.
        ///
        /// ```swift
        /// configuration.seedFilePath = Bundle.main.url(forResource: "dictionary", withExtension: "realm")
        /// ```
        ///
        /// Create it with `Realm.writeCopy(toFile:encryptionKey:)`. Both files have the same `encryptionKey`.
        public var seedFilePath: URL?

        /// The classes the Realm manages; nil means all in the process. Links must not lead out of the list.
        ///
        /// ```swift
        /// configuration.objectTypes = [Dog.self, DogToy.self]
        /// ```
        public var objectTypes: [ObjectBase.Type]?

        /// Classes that the program does not declare, in place of `objectTypes`: the file is made with them, or gets what
        /// it lacks of them. Objects are made and read by `dynamicCreate` and `dynamicObjects`.
        ///
        /// ```swift
        /// var old = Realm.Configuration(fileURL: url, schemaVersion: 1)
        /// old.dynamicSchema = Schema(objectSchema: [
        ///     ObjectSchema(className: "Dog", properties: [Property(name: "name", type: .string)])
        /// ])
        /// let realm = try Realm(configuration: old)    // a file of an older version, for a test of a migration
        /// try realm.write { realm.dynamicCreate("Dog", value: ["name": "Rex"]) }
        /// ```
        ///
        /// With an empty `objectTypes` and no such schema a Realm has the classes that its file has, whatever their version.
        public var dynamicSchema: Schema?
    }
}

// MARK: - Defaults

extension Realm.Configuration {
    /// The configuration that `Realm()` uses.
    ///
    /// ```swift
    /// Realm.Configuration.defaultConfiguration = Realm.Configuration(fileURL: URL(filePath: "dogs.realm"))
    /// let realm = try Realm()
    /// ```
    public static var defaultConfiguration: Realm.Configuration {
        get { shared.withLock { $0 ?? Realm.Configuration() } }
        set { shared.withLock { $0 = newValue } }
    }

    private static let shared = Mutex<Realm.Configuration?>(nil)

    /// `default.realm` in the user's data folder: `$XDG_DATA_HOME`, else `~/.local/share`, in a folder named after the
    /// program.
    ///
    /// ```swift
    /// print(Realm.Configuration.defaultFileURL.path)
    /// ```
    public static var defaultFileURL: URL {
        let environment = ProcessInfo.processInfo.environment
        let data: URL =
            if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
                URL(fileURLWithPath: folder, isDirectory: true)
            } else {
                FileManager.default.homeDirectoryForCurrentUser
                    .appendingPathComponent(".local", isDirectory: true)
                    .appendingPathComponent("share", isDirectory: true)
            }
        return data.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
            .appendingPathComponent("default.realm")
    }
}

// MARK: - Comparison and description

extension Realm.Configuration: Equatable {
    /// Compares every setting except the blocks.
    ///
    /// ```swift
    /// let isTheSame = realm.configuration == Realm.Configuration.defaultConfiguration
    /// ```
    public static func == (left: Realm.Configuration, right: Realm.Configuration) -> Bool {
        left.fileURL == right.fileURL && left.inMemoryIdentifier == right.inMemoryIdentifier
            && left.encryptionKey == right.encryptionKey
            && left.maximumNumberOfActiveVersions == right.maximumNumberOfActiveVersions
            && left.readOnly == right.readOnly && left.schemaVersion == right.schemaVersion
            && left.deleteRealmIfMigrationNeeded == right.deleteRealmIfMigrationNeeded
            && left.seedFilePath == right.seedFilePath && left.hasSameTypes(as: right) && left.synchronisesLike(right)
    }

    func hasSameTypes(as other: Realm.Configuration) -> Bool {
        objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
            == other.objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
            && dynamicSchema == other.dynamicSchema
    }

    /// Whether the classes are those that the file has.
    var showsSchemaOfFile: Bool { objectTypes?.isEmpty == true && dynamicSchema == nil }

    private func synchronisesLike(_ other: Realm.Configuration) -> Bool {
        switch (syncSettings, other.syncSettings) {
        case (nil, nil): true
        case (let settings?, let other?): settings.isEqual(to: other)
        default: false
        }
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// The settings, one a line. Keys and blocks show only whether they are set.
    ///
    /// ```swift
    /// print(realm.configuration.description)
    /// ```
    public var description: String {
        """
        Realm.Configuration {
        \tfileURL = \(fileURL?.path ?? "(null)");
        \tinMemoryIdentifier = \(inMemoryIdentifier ?? "(null)");
        \tencryptionKey = \(encryptionKey == nil ? "(null)" : "(64 bytes)");
        \treadOnly = \(readOnly);
        \tschemaVersion = \(schemaVersion);
        \tmigrationBlock = \(migrationBlock == nil ? "(null)" : "(block)");
        \tdeleteRealmIfMigrationNeeded = \(deleteRealmIfMigrationNeeded);
        \tshouldCompactOnLaunch = \(shouldCompactOnLaunch == nil ? "(null)" : "(block)");
        \tmaximumNumberOfActiveVersions = \(maximumNumberOfActiveVersions.map { "\($0)" } ?? "(null)");
        \tseedFilePath = \(seedFilePath?.path ?? "(null)");
        \tsyncConfiguration = \(syncSettings == nil ? "(null)" : "(set)");
        \tobjectTypes = \(objectTypes.map { $0.map { $0.className() }.joined(separator: ", ") } ?? "(all)");
        }
        """
    }
}

// MARK: - For the store

extension Realm.Configuration {
    /// The path that names the file within the process, without symbolic links and dots.
    var path: String {
        switch place {
        case .file(let url): Self.path(of: url)
        case .memory(let identifier): "memory:" + identifier
        }
    }

    /// The path of a file without symbolic links and dots: the same one before the file exists and afterwards.
    static func path(of url: URL) -> String {
        let path = url.path
        // The system would follow a link before it goes up from there, and Foundation goes up first.
        let direct = strstr(path, "/..") == nil ? path : url.standardizedFileURL.path
        // The system resolves a path at a tenth of Foundation's cost.
        if direct.utf8.first == UInt8(ascii: "/"), let resolved = resolved(direct) { return resolved }
        return url.standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// As many links as Linux follows in one path.
    private static let linksMax = 40

    /// The real path of a file, which may be missing in its folder; nil where the system does not tell.
    private static func resolved(_ path: String, linksLeft: Int = linksMax) -> String? {
        if let real = real(path) { return real }
        guard let slash = path.lastIndex(of: "/"), let folder = real(String(path[...slash])) else { return nil }
        let name = path[path.index(after: slash)...]
        if name.isEmpty || name == "." { return nil }
        let prefix = folder == "/" ? folder : folder + "/"
        // A link may lead to a file that is still to be made.
        guard linksLeft > 0, let target = target(ofLink: prefix + name) else { return prefix + name }
        return resolved(target.hasPrefix("/") ? target : prefix + target, linksLeft: linksLeft - 1)
    }

    /// Nil for what is no link, and for a target that is no text.
    private static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let count = readlink(path, start, Int(PATH_MAX))
            guard count > 0 else { return nil }
            start[count] = 0
            return String(validatingCString: start)
        }
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    var isInMemory: Bool { inMemoryIdentifier != nil }

    /// Stops the program if the configuration combines settings that exclude each other.
    func checkCombination() {
        guard readOnly else { return }
        if isInMemory { misuse("Cannot set `readOnly` for an in-memory Realm: it would always be empty.") }
        if syncSettings != nil { misuse("Read-only mode is not supported for synchronized Realms") }
        if deleteRealmIfMigrationNeeded {
            misuse("Cannot set `readOnly` when `deleteRealmIfMigrationNeeded` is set.")
        }
        if shouldCompactOnLaunch != nil { misuse("Cannot set `readOnly` when `shouldCompactOnLaunch` is set.") }
    }
}
