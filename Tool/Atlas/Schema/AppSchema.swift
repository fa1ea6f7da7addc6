import CausewayFiles
import CausewayJSON
import CausewayModel
import Foundation

/// The schema of collections as App Services exports it: a folder for each collection, with `schema.json` and
/// `relationships.json`.
///
///     data_sources/<service>/<database>/<collection>/schema.json
struct AppSchema {
    private static let fileBytesMax = 16 << 20
    /// How deep the folders of collections may be below the one that is named.
    private static let depthMax = 6
    private static let foldersMax = 100_000

    struct Collection {
        var database: String
        var name: String
        var schema: JSON
        var relationships: [Relationship]

        /// The name of its class.
        var title: String { schema["title"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? name }
    }

    /// A field whose values are keys of documents of another collection.
    struct Relationship {
        /// The names on the way to the field, from the document on.
        var path: [String]
        var database: String
        var collection: String
        var foreignKey: String
    }

    let collections: [Collection]

    init(folder: String) throws {
        var found: [Collection] = []
        var waiting = [(path: folder, depth: 0)]
        var seen = 0
        while let (path, depth) = waiting.popLast() {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
                throw FileFailure("The folder '\(path)' cannot be read. Correct its path or its permissions.")
            }
            seen += 1
            guard seen <= Self.foldersMax else {
                throw FileFailure(
                    "There are more than \(Self.foldersMax) folders in '\(folder)'. Name the app's own folder.")
            }
            if names.contains("schema.json") { found += try Self.collection(path) }
            guard depth < Self.depthMax else { continue }
            for name in names where !name.hasPrefix(".") && name != "node_modules" {
                var isFolder: ObjCBool = false
                let inner = path + "/" + name
                if FileManager.default.fileExists(atPath: inner, isDirectory: &isFolder), isFolder.boolValue {
                    waiting.append((inner, depth + 1))
                }
            }
        }
        collections = found.sorted { ($0.database, $0.name) < ($1.database, $1.name) }
        guard !collections.isEmpty else {
            throw FileFailure(
                "There is no schema.json in '\(folder)'. Name the folder data_sources of the app, or one below it.")
        }
    }

    private static func collection(_ path: String) throws -> [Collection] {
        let parts = URL(fileURLWithPath: path).standardizedFileURL.pathComponents
        let schema = try json(path + "/schema.json")
        // App Services writes an empty object where there is no schema.
        guard let members = schema.members else { throw FileFailure("'\(path)/schema.json' is no object.") }
        guard !members.isEmpty else { return [] }
        let other = path + "/relationships.json"
        let relationships = FileManager.default.fileExists(atPath: other) ? try self.relationships(other) : []
        return [
            Collection(
                database: parts.dropLast().last ?? "", name: parts.last ?? "", schema: schema,
                relationships: relationships)
        ]
    }

    private static func relationships(_ path: String) throws -> [Relationship] {
        guard let members = try json(path).members else { throw FileFailure("'\(path)' is no object.") }
        return try members.map { member in
            // The documentation has two spellings of the members.
            let key = member.value["foreign_key"] ?? member.value["foreignKey"]
            guard let reference = member.value["ref"]?.string, let key = key?.string else {
                throw FileFailure("'\(path)' has no ref and foreign_key for '\(member.name.string.prefix(100))'.")
            }
            let parts = reference.split(separator: "/", maxSplits: 4).map(String.init)
            guard parts.count == 5, parts[0] == "#", parts[1] == "relationship" else {
                throw FileFailure(
                    "'\(path)' has an unknown ref for '\(member.name.string.prefix(100))'. Expected: "
                        + "#/relationship/service/database/collection.")
            }
            // Elements of arrays and values of dictionaries are steps of their own.
            let steps = member.name.string.split(separator: ".").map(String.init).filter { $0 != "[]" && $0 != "{}" }
            return Relationship(path: steps, database: parts[3], collection: parts[4], foreignKey: key)
        }
    }

    private static func json(_ path: String) throws -> JSON {
        let source = try ByteSource(path: path)
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { piece.deallocate() }
        var bytes: [UInt8] = []
        while bytes.count <= fileBytesMax, case let count = try source.read(into: piece), count > 0 {
            bytes += piece[..<count]
        }
        guard bytes.count <= fileBytesMax else { throw FileFailure("'\(path)' has more than \(fileBytesMax) bytes.") }
        do throws(JSONReader.Failure) {
            return try JSONReader.read(bytes)
        } catch {
            throw FileFailure("'\(path)' is not JSON at byte \(error.offset + 1): \(error.reason).")
        }
    }
}
