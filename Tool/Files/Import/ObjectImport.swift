import CausewayJSON
import CausewayModel
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
            var words = ["\(created) objects were created"]
            if replaced > 0 { words.append("\(replaced) replaced") }
            if skipped > 0 { words.append("\(skipped) left as they were") }
            let links = missingLinks > 0 ? " \(missingLinks) links led to no object and were left out." : ""
            return words.joined(separator: ", ") + "." + links
        }
    }

    private let existing: Existing
    private let missingLinks: MissingLinks

    package init(existing: Existing = .fail, missingLinks: MissingLinks = .fail) {
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
        do {
            let lines = try LineReader(path: source)
            return try ImportTarget.change(path, key: key) { transaction, isNew in
                let run = ImportRun(lines, transaction, isNew: isNew, existing, missingLinks)
                try run.perform(progress)
                return run.report
            }
        } catch let failure as FileFailure {
            throw FileFailure("\(failure.description) Nothing was imported.")
        }
    }
}
