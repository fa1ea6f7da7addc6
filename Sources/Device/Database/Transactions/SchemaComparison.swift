import CausewayModel
import CausewayObjectStore
import CausewayStorage

// Compares the classes of a file with the declared ones.

struct SchemaComparison {
    /// Whether the file lacks classes, properties or indexes. Adding classes and indexes needs no newer schema version.
    var hasAdditions = false
    /// Whether the file has other delete rules. Rules do not affect the stored data, so they may always change.
    var hasOtherRules = false
    /// Properties that the file lacks in classes that it has. They need a newer schema version.
    var addedProperties: [String] = []
    /// Differences that additions cannot resolve.
    var conflicts: [String] = []

    init(file: StoredSchema, declared: StoredSchema) {
        for wanted in declared.classes {
            guard let known = file[wanted.name] else {
                hasAdditions = true
                continue
            }
            compare(known, wanted)
        }
    }

    private mutating func compare(_ known: ClassSchema, _ wanted: ClassSchema) {
        if known.kind != wanted.kind {
            conflicts.append(
                "- Class '\(wanted.name)' has been changed from \(known.kind.word) to \(wanted.kind.word).")
        }
        let oldKey = known.primaryKeyIndex.map { known.properties[$0].name }
        let newKey = wanted.primaryKeyIndex.map { wanted.properties[$0].name }
        switch (oldKey, newKey) {
        case (nil, _?):
            conflicts.append("- Primary Key for class '\(wanted.name)' has been added.")
        case (_?, nil):
            conflicts.append("- Primary Key for class '\(wanted.name)' has been removed.")
        case (let old?, let new?) where old != new:
            conflicts.append("- Primary Key for class '\(wanted.name)' has changed from '\(old)' to '\(new)'.")
        default: break
        }
        for property in wanted.properties {
            guard let index = known.index(of: property.name) else {
                hasAdditions = true
                addedProperties.append("- Property '\(wanted.name).\(property.name)' has been added.")
                continue
            }
            compare(known.properties[index], property, in: wanted.name)
        }
    }

    private mutating func compare(
        _ known: StoredProperty, _ wanted: StoredProperty, in className: String
    ) {
        let name = "\(className).\(wanted.name)"
        if known.type != wanted.type || known.collection != wanted.collection || known.isCounter != wanted.isCounter
            || known.isText != wanted.isText
        {
            conflicts.append("- Property '\(name)' has been changed from '\(known.words)' to '\(wanted.words)'.")
        } else if known.target != wanted.target {
            conflicts.append(
                "- Property '\(name)' has been changed from '\(known.linkWords)' to '\(wanted.linkWords)'.")
        } else if known.isOptional != wanted.isOptional {
            conflicts.append("- Property '\(name)' has been made \(wanted.isOptional ? "optional" : "required").")
        }
        // A primary key is found by its own tree, whatever else is declared.
        if !wanted.isPrimaryKey {
            if wanted.isIndexed, !known.isIndexed { hasAdditions = true }
            if wanted.isFullTextIndexed, !known.isFullTextIndexed { hasAdditions = true }
        }
        if wanted.deletionRule != known.deletionRule { hasOtherRules = true }
    }
}

extension StoredProperty {
    fileprivate var words: String {
        if isCounter { return "counter" }
        if isText { return "text" }
        return collection == .none ? type.word : "\(collection.word)<\(type.word)>"
    }
}

extension Transaction {
    /// Brings the file up to the declared classes by adding what it lacks.
    ///
    /// - Throws: `Realm.Error.schemaMismatch` naming every difference that additions cannot resolve, or that the
    ///   configuration's schema version does not allow.
    /// - Parameter migrating: Runs the migration from the version it is given, inside the write, in place of additions.
    func adapt(
        to declared: StoredSchema, _ configuration: Realm.Configuration, migrating: (_ from: UInt64) throws -> Void
    ) throws {
        if try isAdapted(to: declared, configuration) { return }
        try beginWriting()
        do {
            // Another writer may have committed between the check and the lock.
            if try isAdapted(to: declared, configuration) {
                abort()
                return
            }
            if let version = versionToMigrate(configuration) {
                try migrating(version)
            } else {
                try extendSchema(declared)
            }
            if configuration.syncSettings == nil {
                setAppSchemaVersion(configuration.schemaVersion)
                try commit()
            } else {
                // Not durable yet: the classes are declared again at the next opening, and the session waits for the
                // disk by itself.
                try commit(.grouped(within: .zero))
            }
        } catch {
            if isWritable { abort() }
            throw error
        }
    }

    /// The file's schema version if this opening migrates it; nil if it may only add to the file.
    private func versionToMigrate(_ configuration: Realm.Configuration) -> UInt64? {
        guard configuration.migrationBlock != nil, configuration.syncSettings == nil, !configuration.readOnly,
            let version = appSchemaVersion, configuration.schemaVersion > version
        else { return nil }
        return version
    }

    private func isAdapted(to declared: StoredSchema, _ configuration: Realm.Configuration) throws -> Bool {
        let comparison = SchemaComparison(file: schema, declared: declared)
        let isSynchronised = configuration.syncSettings != nil
        let version = appSchemaVersion
        if let version, !isSynchronised, configuration.schemaVersion < version {
            throw Realm.Error(
                .schemaMismatch,
                "Provided schema version \(configuration.schemaVersion) is less than last set version \(version). Open "
                    + "the Realm with schema version \(version) or later.", fileURL: configuration.fileURL)
        }
        let isNewer = isSynchronised || version.map { configuration.schemaVersion > $0 } ?? true
        if versionToMigrate(configuration) != nil { return false }
        let problems = comparison.conflicts + (isNewer ? [] : comparison.addedProperties)
        guard problems.isEmpty else {
            throw Realm.Error(
                .schemaMismatch,
                "Migration is required due to the following errors:\n" + problems.joined(separator: "\n"),
                fileURL: configuration.fileURL)
        }
        if configuration.readOnly {
            guard !comparison.hasAdditions else {
                throw Realm.Error(
                    .schemaMismatch,
                    "The file lacks classes or properties, and a read-only Realm cannot add them. Open it once with "
                        + "readOnly = false, or list the classes it has in objectTypes.",
                    fileURL: configuration.fileURL)
            }
            return true
        }
        return !comparison.hasAdditions && !comparison.hasOtherRules
            && (isSynchronised || version == configuration.schemaVersion)
    }
}

extension StoredProperty {
    /// The class that its links lead to, as RealmSwift's messages have it: `<Dog>`, `array<Dog>`.
    fileprivate var linkWords: String { (collection == .none ? "" : collection.word) + "<\(target ?? "")>" }
}

extension ClassKind {
    /// The kind as RealmSwift's messages call it.
    fileprivate var word: String {
        switch self {
        case .embedded: "Embedded"
        case .asymmetric: "TopLevelAsymmetric"
        default: "TopLevel"
        }
    }
}
