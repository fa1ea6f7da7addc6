import CausewayModel
import CausewayObjectStore
import CausewayStorage
import Foundation

extension RealmInstance {
    /// The instance of a file at a place: the one that is there, or a new one.
    static func open(_ configuration: Realm.Configuration, at confinement: Confinement) throws -> RealmInstance {
        do {
            return try DamageReporting.throwing { try openOnce(configuration, at: confinement) }
        } catch let error as Realm.Error
            where error.code == .schemaMismatch && configuration.deleteRealmIfMigrationNeeded && !configuration.readOnly
        {
            guard try Realm.deleteFiles(for: configuration) else { throw error }
            return try DamageReporting.throwing { try openOnce(configuration, at: confinement) }
        }
    }

    private static func openOnce(
        _ configuration: Realm.Configuration, at confinement: Confinement
    ) throws -> RealmInstance {
        assert(
            RuntimeLayout.holds,
            "This version of Swift lays something out in another way than this library relies on: see RuntimeLayout.")
        // Classes that cannot be stored leave no file behind.
        let path = configuration.path
        let checked = FileCoordinator.existing(path: path) == nil ? try configuration.declaredSchema() : nil
        let coordinator = try FileCoordinator.open(configuration, at: path)
        if let instance = coordinator.instance(
            at: confinement.identity,
            matching: { $0.configuration.hasSameTypes(as: configuration) && !$0.isFrozen })
        {
            try instance.checkAgreement(with: configuration)
            return instance
        }
        try configuration.syncSettings?.attach(coordinator, for: configuration)
        var declared = try checked ?? configuration.declaredSchema()
        do {
            let transaction = try coordinator.store.read()
            if configuration.showsSchemaOfFile { declared = .dynamic(transaction.schema) }
            if configuration.dynamicSchema != nil {
                declared = .dynamic(declared.schema.adopting(transaction.schema))
            }
            do {
                var migratedVersion: UInt64?
                if !configuration.showsSchemaOfFile {
                    try transaction.adapt(to: declared.stored(for: configuration), configuration) { version in
                        try migrate(transaction, from: version, to: declared, configuration, coordinator)
                        migratedVersion = version
                    }
                }
                try transaction.throwDamage()
                // Behind the commit: before it the migration may still fail, and the logger is the app's code.
                if let migratedVersion {
                    Logger.note(
                        .detail, Category.Storage.transaction,
                        "Migrate file: \(configuration.path) from schema version \(migratedVersion) to "
                            + "\(configuration.schemaVersion)")
                }
            } catch {
                transaction.end()
                throw error
            }
            return RealmInstance(
                coordinator: coordinator, configuration: configuration, confinement: confinement, declared: declared,
                transaction: transaction)
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Runs the migration block in the caller's write transaction, and leaves the file with the declared classes.
    private static func migrate(
        _ transaction: Transaction, from version: UInt64, to declared: DeclaredSchema,
        _ configuration: Realm.Configuration, _ coordinator: FileCoordinator
    ) throws {
        let before = try transaction.frozenCopy()
        let old = RealmInstance(
            coordinator: coordinator, configuration: configuration, confinement: .current,
            declared: .dynamic(before.schema), transaction: before, isFrozen: true, isPrivate: true)
        try transaction.restructure(to: declared.schema.withNestedCollections, before: before)
        let new = RealmInstance(
            coordinator: coordinator, configuration: configuration, confinement: .current,
            declared: .dynamic(transaction.schema), transaction: transaction, isPrivate: true)
        new.writeBegan()
        configuration.migrationBlock?(Migration(from: old, to: new, declared: declared.schema), version)
        new.releaseTransaction()
        try transaction.finishRestructuring(to: declared.schema.withNestedCollections)
    }

    /// Two Realms at one place cannot disagree about how the file is used.
    private func checkAgreement(with other: Realm.Configuration) throws {
        if let settings = other.syncSettings, configuration.syncSettings.map(settings.isEqual) != true {
            // Another user, or the same user after another login. `attach` refuses another user.
            try settings.attach(coordinator, for: other)
        }
        let difference: String? =
            if configuration.readOnly != other.readOnly {
                "read permissions"
            } else if configuration.encryptionKey != other.encryptionKey {
                "encryption key"
            } else if configuration.schemaVersion != other.schemaVersion {
                "schema version"
            } else {
                nil
            }
        if let difference {
            throw Realm.Error(
                .alreadyOpen,
                "Realm at path '\(configuration.path)' already opened with different \(difference). Use the same "
                    + "configuration, or let go of the other Realm first.", fileURL: configuration.fileURL)
        }
    }
}

extension FileCoordinator {
    /// - Parameter path: the configuration's. Finding it asks the system for symbolic links, so it is done once.
    static func open(_ configuration: Realm.Configuration, at path: String) throws -> FileCoordinator {
        var options = ObjectStore.Options()
        options.inMemory = configuration.isInMemory
        options.releasesMemory = true
        options.readOnly = configuration.readOnly
        options.encryptionKey = configuration.encryptionKey.map { [UInt8]($0) }
        options.maximumVersions = configuration.maximumNumberOfActiveVersions.map { Int(clamping: $0) }
        options.onDamage = { [url = configuration.fileURL] in unreadable($0, fileURL: url) }
        configuration.checkCombination()
        let isFirst = existing(path: path) == nil
        let isMissing = isFirst && !options.inMemory && !FileManager.default.fileExists(atPath: path)
        if let url = configuration.fileURL, isFirst {
            if configuration.readOnly {
                guard !isMissing else {
                    throw Realm.Error(
                        .fileNotFound,
                        "The file '\(path)' does not exist, and a read-only Realm cannot make it. Check "
                            + "the path, or open it with readOnly = false first.", fileURL: url)
                }
            } else if isMissing {
                // A folder that cannot be made shows when the file is opened, with the system's reason.
                try? FileManager.default.createDirectory(
                    at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            }
        }
        do {
            if isMissing { try sow(configuration, at: path) }
            // Symbolic links on the way to the seed's copy can be followed now.
            let path = isMissing ? configuration.path : path
            let coordinator = try open(path: path, options: options)
            if isFirst, !options.inMemory, !options.readOnly, let shouldCompact = configuration.shouldCompactOnLaunch {
                let statistics = try coordinator.store.statistics()
                if shouldCompact(statistics.sizeBytes, statistics.usedBytes) {
                    try coordinator.store.compact()
                    Logger.note(
                        .detail, Category.Storage.transaction,
                        "Compact file: \(path), \(statistics.usedBytes) of \(statistics.sizeBytes) bytes used")
                }
            }
            if isFirst { Logger.note(.detail, Category.Storage.transaction, "Open file: \(path)") }
            return coordinator
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Copies the seed, if there is one, to the path, where no file was when the caller looked.
    private static func sow(_ configuration: Realm.Configuration, at path: String) throws(StoreError) {
        guard let seed = configuration.seedFilePath else { return }
        var options = ObjectStore.Options()
        options.readOnly = true
        options.encryptionKey = configuration.encryptionKey.map { [UInt8]($0) }
        let source = try ObjectStore.open(path: Realm.Configuration.path(of: seed), options: options)
        while true {
            do {
                return try source.copy(to: path, key: options.encryptionKey)
            } catch {
                // Another process may have put a file there, or is copying one. A copy in progress holds a lock, so it
                // either finishes or its process ends: look again.
                if error.code == .fileExists { return }
                guard error.code == .locked else { throw error }
                usleep(seedPauseMicroseconds)
            }
        }
    }

    /// The pause between two looks at another process's copy of a seed.
    private static let seedPauseMicroseconds: UInt32 = 5_000
}

extension Realm.Configuration {
    /// The classes of the configuration, found and checked.
    func declaredSchema() throws -> DeclaredSchema {
        if let dynamicSchema { return .dynamic(try dynamicSchema.checked()) }
        if let objectTypes {
            for type in objectTypes where type._kind == .asymmetric && syncSettings == nil {
                throw Realm.Error(
                    .fail,
                    "Asymmetric object type '\(type.className())' is not allowed in a local Realm. Remove it from "
                        + "objectTypes, or open a synchronised Realm.")
            }
            return try .of(objectTypes)
        }
        let all = ClassDiscovery.allClasses().filter { type in
            type.shouldIncludeInDefaultSchema() && (syncSettings != nil || type._kind != .asymmetric)
                && ObjectModel.of(type).hasProperties
        }
        return try .of(all)
    }
}
