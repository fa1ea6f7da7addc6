import CausewayFiles
import Foundation

/// A file with the documents of one collection.
struct CollectionFile {
    /// The most collections of an import.
    static let filesMax = 10_000

    var path: String
    /// The folder that mongodump made for its database; empty if there is none.
    var database: String
    var collection: String

    /// The files of a path: itself, or those in a folder and in the folders of databases below it.
    ///
    /// - Parameter skipped: told in words of the collections and databases that are MongoDB's own.
    static func files(_ path: String, _ format: DocumentFormat, skipped: (String) -> Void) throws -> [CollectionFile] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw FileFailure("There is no '\(path)'. Correct the path.")
        }
        guard isFolder.boolValue else {
            let name = URL(fileURLWithPath: path).lastPathComponent
            return [CollectionFile(path: path, database: "", collection: collection(name, format) ?? name)]
        }
        var files: [CollectionFile] = []
        for (folder, database) in [(path, "")] + (try folders(in: path)) {
            guard !isOfMongoDB(database) else {
                skipped("The database '\(database)'")
                continue
            }
            for name in try names(in: folder) {
                guard let collection = collection(name, format), !isAside(name, in: folder) else { continue }
                guard !collection.hasPrefix("system.") else {
                    skipped("'\(collection)'")
                    continue
                }
                files.append(
                    CollectionFile(path: folder + "/" + name, database: database, collection: collection))
            }
        }
        guard !files.isEmpty, files.count <= filesMax else {
            let others = DocumentFormat.allCases.filter { $0 != format }.map { "--format \($0.rawValue)" }
            throw FileFailure(
                "'\(path)' has \(files.count) collections as \(format.rawValue), and 1 to \(filesMax) are expected. Files end "
                    + "with \(endings(format).joined(separator: ", ")), or have .gz behind that. For other files: "
                    + "\(others.joined(separator: ", ")).")
        }
        return files
    }

    /// Whether a name in a folder is that of no collection: what is hidden, what mongodump tells of a collection, and folders.
    private static func isAside(_ name: String, in folder: String) -> Bool {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
        return isFolder.boolValue || name.hasPrefix(".") || name.hasSuffix(".metadata.json")
            || name.hasSuffix(".metadata.json.gz")
    }

    /// Whether a database is none of an app: MongoDB keeps itself there, or Device Sync what it knew of its devices.
    private static func isOfMongoDB(_ database: String) -> Bool {
        ["admin", "config", "local"].contains(database) || database.hasPrefix("__realm_sync")
    }

    private static func folders(in path: String) throws -> [(String, String)] {
        try names(in: path).compactMap { name in
            var isFolder: ObjCBool = false
            let inner = path + "/" + name
            guard !name.hasPrefix("."), FileManager.default.fileExists(atPath: inner, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                return nil
            }
            return (inner, name)
        }
    }

    private static func names(in folder: String) throws -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw FileFailure("The folder '\(folder)' cannot be read. Correct its permissions.")
        }
        return names.sorted()
    }

    private static func endings(_ format: DocumentFormat) -> [String] {
        switch format {
        case .bson: [".bson"]
        case .mongoexport: [".json", ".jsonl", ".ndjson"]
        }
    }

    /// The collection that a file's name tells; nil if it is another file.
    private static func collection(_ name: String, _ format: DocumentFormat) -> String? {
        let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
        guard let ending = endings(format).first(where: { plain.hasSuffix($0) }) else { return nil }
        let stem = String(plain.dropLast(ending.count))
        guard !stem.isEmpty else { return nil }
        // mongodump escapes characters that file systems do not take.
        return format == .bson ? stem.removingPercentEncoding ?? stem : stem
    }
}
