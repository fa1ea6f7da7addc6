package import CausewayModel
import CausewayObjectStore

/// An import of an export into a new file, or into a local or synced one that is there. EXPORT.md tells the rules.
package struct ObjectImport {
    /// What becomes of an object whose primary key is in the file already.
    package enum Existing: String, CaseIterable, Sendable {
        case fail, skip, replace
    }

    /// What becomes of a link to an object that is neither in the export nor in the file.
    package enum MissingLinks: String, CaseIterable, Sendable {
        case fail, null
    }

    package struct Report: Equatable, Sendable {
        package var created = 0
        package var replaced = 0
        package var skipped = 0
        /// Links that were set to null, or left out of their list or set.
        package var missingLinks = 0
        /// The class that a table made, with the types that were found for its columns.
        package var newClass: ClassSchema?
        /// Whether a server hears of the objects.
        package var isForSyncedFile = false

        package var text: String {
            let made = newClass.map { "The new class \(SchemaText.text(of: Schema([$0])))\n" } ?? ""
            return made
                + ObjectImport.words(
                    created: created, replaced: replaced, skipped: skipped, missingLinks: missingLinks,
                    isForSyncedFile: isForSyncedFile)
        }
    }

    /// What every report says of the objects of an import, and of what becomes of those of a synced file.
    package static func words(
        created: Int, replaced: Int, skipped: Int, missingLinks: Int = 0, isForSyncedFile: Bool
    ) -> String {
        let parts = parts(created: created, replaced: replaced, skipped: skipped)
        let links = missingLinks > 0 ? "; links that lead to no object: \(missingLinks)" : ""
        let sending =
            isForSyncedFile ? "\nThe app of the synced file sends them to its server when it is connected." : ""
        return "Objects: " + parts + links + sending
    }

    package static func parts(created: Int, replaced: Int, skipped: Int) -> String {
        var parts = ["\(created) created"]
        if replaced > 0 { parts.append("\(replaced) replaced") }
        if skipped > 0 { parts.append("\(skipped) left as they were") }
        return parts.joined(separator: ", ")
    }

    private let className: String?
    private let table: TableOptions
    private let existing: Existing
    private let missingLinks: MissingLinks

    /// - Parameters:
    ///   - className: of the objects of a table; nil for an export that names the classes itself.
    ///   - table: how a table is read.
    package init(
        _ format: ExportFormat = .jsonl, className: String? = nil, table: TableOptions = TableOptions(),
        existing: Existing = .fail,
        missingLinks: MissingLinks = .fail
    ) throws {
        guard (format == .csv) == (className != nil) else {
            throw FileFailure(
                format == .csv
                    ? "A table names no class. Add --class NAME."
                    : "An export names its classes itself. Leave --class out, or say --format csv.")
        }
        self.className = className
        self.table = table
        self.existing = existing
        self.missingLinks = missingLinks
    }

    /// Imports all objects, or throws; the failure says if anything was imported.
    ///
    /// - Parameters:
    ///   - source: the path of the export.
    ///   - path: the file; made if it is not there.
    ///   - key: opens the file, or encrypts a new one.
    ///   - progress: told how many lines were read, of both passes, and how many objects a synced file then got.
    package func run(
        from source: String, to path: String, key: [UInt8]?, progress: (Int) -> Void = { _ in }
    ) throws -> Report {
        try run(try self.source(source), to: path, key: key, progress: progress)
    }

    private func source(_ path: String) throws -> any ImportSource {
        let lines = try LineReader(path: path)
        return className.map { CSVSource(lines, $0, table) } ?? JSONLinesSource(lines)
    }

    func run(
        _ source: @autoclosure () throws -> any ImportSource, to path: String, key: [UInt8]?, progress: (Int) -> Void
    ) throws -> Report {
        let source = try FileFailure.orNothing(source)
        return try ImportTarget.change(path, key: key, progress: progress) { writing in
            let run = ImportRun(source, writing, existing, missingLinks)
            try run.perform(progress)
            return run.report
        }
    }
}

/// How a table is read whose class the file does not have yet.
package struct TableOptions: Hashable, Sendable {
    /// The column of the primary key; nil for a class without one.
    package var primaryKey: String?
    /// What a cell says, besides nothing, to be null: `NA`.
    package var nullText: String?

    package init(primaryKey: String? = nil, nullText: String? = nil) {
        self.primaryKey = primaryKey
        self.nullText = nullText
    }
}
