import CausewayObjectStore

/// An import of an export into a new file, or into a local one that is there. EXPORT.md tells the rules.
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

        package var text: String {
            var parts = ["\(created) created"]
            if replaced > 0 { parts.append("\(replaced) replaced") }
            if skipped > 0 { parts.append("\(skipped) left as they were") }
            let links = missingLinks > 0 ? "; links that lead to no object: \(missingLinks)" : ""
            return "Objects: " + parts.joined(separator: ", ") + links
        }
    }

    private let className: String?
    private let existing: Existing
    private let missingLinks: MissingLinks

    /// - Parameter className: of the objects of a table; nil for an export that names the classes itself.
    package init(
        _ format: ExportFormat = .jsonl, className: String? = nil, existing: Existing = .fail,
        missingLinks: MissingLinks = .fail
    ) throws {
        guard (format == .csv) == (className != nil) else {
            throw FileFailure("A CSV file needs a class, and other exports name theirs themselves.")
        }
        self.className = className
        self.existing = existing
        self.missingLinks = missingLinks
    }

    /// Imports all objects, or throws and imports nothing.
    ///
    /// - Parameters:
    ///   - source: the path of the export.
    ///   - path: the file; made if it is not there.
    ///   - key: opens the file, or encrypts a new one.
    ///   - progress: told how many lines were read, of both passes.
    package func run(
        from source: String, to path: String, key: [UInt8]?, progress: (Int) -> Void = { _ in }
    ) throws -> Report {
        try run(try self.source(source), to: path, key: key, progress: progress)
    }

    private func source(_ path: String) throws -> any ImportSource {
        let lines = try LineReader(path: path)
        return className.map { CSVSource(lines, $0) } ?? JSONLinesSource(lines)
    }

    func run(
        _ source: @autoclosure () throws -> any ImportSource, to path: String, key: [UInt8]?, progress: (Int) -> Void
    ) throws -> Report {
        try FileFailure.orNothing {
            let source = try source()
            return try ImportTarget.change(path, key: key) { transaction, isNew in
                let run = ImportRun(source, transaction, isNew: isNew, existing, missingLinks)
                try run.perform(progress)
                return run.report
            }
        }
    }
}
