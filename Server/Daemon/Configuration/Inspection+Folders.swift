import CausewayTelemetry
import Foundation

// Which folders must not lie in which. A restore puts the folder of a database aside, with everything in it; and old backups
// are removed from theirs.

extension Inspection {
    mutating func inspectFoldersApart(_ configuration: Configuration) {
        let databases = configuration.databases
        let folders = databases.map { Self.realPath($0.folder) }
        var known: [String: Int] = [:]
        for (index, folder) in folders.enumerated() {
            guard let other = known.updateValue(index, forKey: folder) else { continue }
            noteFolder(
                "databases[\(index)].folder",
                "'\(databases[index].name)' and '\(databases[other].name)' share one folder. Give each its own folder.")
        }
        func owner(of path: String, orItself: Bool) -> String? {
            if orItself, let index = known[path] { return databases[index].name }
            return Self.parents(of: path).compactMap { known[$0] }.first.map { databases[$0].name }
        }
        for (index, folder) in folders.enumerated() {
            guard let owner = owner(of: folder, orItself: false) else { continue }
            noteFolder("databases[\(index)].folder", Self.putAside("It", with: owner))
        }
        for (key, path) in Self.placesBeside(configuration) {
            guard let owner = owner(of: Self.realPath(path), orItself: true) else { continue }
            noteFolder(key, Self.putAside(path, with: owner))
        }
        guard let backups = configuration.backups.map({ Self.realPath($0.folder) }) else { return }
        for (index, folder) in folders.enumerated() where Self.parents(of: folder).contains(backups) {
            noteFolder(
                "databases[\(index)].folder",
                "It lies in the folder of the backups, where old ones are removed. Copy a backup into another folder with: "
                    + "sync-server restore")
        }
    }

    private mutating func noteFolder(_ key: String, _ message: String) {
        problems.append(ConfigurationProblem(key, message))
    }

    private static func putAside(_ what: String, with owner: String) -> String {
        "\(what) lies in the folder of '\(owner)', and would be put aside with it by a restore. Name a place outside of that "
            + "folder."
    }

    /// What the server needs when a database is restored. Sinks are inspected with their databases.
    private static func placesBeside(_ configuration: Configuration) -> [(key: String, path: String)] {
        var places = [
            ("tls.certificate", configuration.tls.certificate), ("tls.key", configuration.tls.key),
        ]
        places += configuration.tokens.keys.enumerated().map { ("tokens.keys[\($0)].file", $1.file) }
        if let path = configuration.admin?.tokenFile { places.append(("admin.tokenFile", path)) }
        if let path = configuration.databasesFolder { places.append(("databasesFolder", path)) }
        if let path = configuration.backups?.folder { places.append(("backups.folder", path)) }
        if case .file(let path)? = configuration.log.audit { places.append(("log.audit", path)) }
        return places.filter { !$0.1.isEmpty }
    }

    /// The folders that a path lies in, the nearest first.
    private static func parents(of path: String) -> [String] {
        var path = path[...]
        var parents: [String] = []
        while let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            path = path[..<slash]
            parents.append(String(path))
        }
        return parents
    }

    /// What keeps this database from being opened, and no other: a folder that cannot be written to, or accounts without their
    /// objects.
    mutating func inspectOpening(of database: Configuration.Database, key: String) {
        if let problem = Self.problem(ofFolder: database.folder, key: key) { databaseProblems.append(problem) }
        do throws(CommandFailure) {
            try DatabaseFolder(database.folder).requireObjects(of: database.name)
        } catch {
            databaseProblems.append(ConfigurationProblem(key, "\(error)"))
        }
    }
}
