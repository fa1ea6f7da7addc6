import CausewayModel
import CausewayRealmFile

/// An import of a file that Realm wrote. EXPORT.md tells the rules.
package final class RealmImport {
    private let file: RealmFile
    private let path: String
    package let plan: RealmPlan

    /// Opens a Realm file. It is never written.
    ///
    /// - Parameter key: of an encrypted one.
    package init(_ path: String, key: [UInt8]?) throws {
        self.path = path
        do {
            file = try RealmFile(path: path, key: key)
            plan = try RealmPlan(file)
        } catch let failure as RealmFileFailure {
            throw FileFailure(failure.description)
        }
    }

    /// Reads everything and writes nothing.
    ///
    /// - Returns: what an import would leave out or change, a line each.
    package func check(progress: (Int) -> Void = { _ in }) throws -> [String] {
        let source = try RealmSource(file, path: path)
        try source.rewind()
        do {
            while try source.next() != nil { progress(source.lineNumber) }
        } catch let failure as FileFailure {
            throw FileFailure("\(source.place): \(failure.description)")
        }
        return source.losses.lines
    }

    /// Imports all objects, or throws; the failure says if anything was imported.
    ///
    /// - Parameters:
    ///   - path: the file; made if it is not there.
    ///   - key: opens the file, or encrypts a new one.
    ///   - progress: told how many objects were read, of both passes.
    /// - Returns: the report, and what was left out or changed, a line each.
    package func run(
        to path: String, key: [UInt8]?, existing: ObjectImport.Existing = .fail, progress: (Int) -> Void = { _ in }
    ) throws -> (report: ObjectImport.Report, losses: [String]) {
        let source = try RealmSource(file, path: self.path)
        let report = try ObjectImport(existing: existing).run(source, to: path, key: key, progress: progress)
        return (report, source.losses.lines)
    }
}
