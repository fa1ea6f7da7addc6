import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayStorage

/// What `causeway stat` says about a file.
package struct FileSummary: Sendable {
    package enum Role: String, Sendable {
        case local, synced, server

        /// Refuses to write to a file whose changes others would not hear of.
        ///
        /// - Parameter what: what would write, with its article.
        func refuseUnlessLocal(_ path: String, _ what: String) throws {
            switch self {
            case .local: return
            case .synced:
                throw FileFailure(
                    "'\(path)' is the synced file of a device, and \(what) would not be sent. Write the objects to its server "
                        + "with the data API.")
            case .server:
                throw FileFailure(
                    "'\(path)' is the database of a server, and devices would not be told of \(what). Write the objects with "
                        + "the server's data API, or import them into the synced file of a device.")
            }
        }
    }

    package var version: UInt64
    /// Of the app that opened the file last; nil where none has.
    package var schemaVersion: UInt64?
    package var sizeBytes: Int
    package var usedBytes: Int
    package var freeBytes: Int
    package var isEncrypted: Bool
    package var role: Role
    package var classes: [(name: String, kind: String, count: Int)]

    package init(_ file: OpenedFile) throws {
        let statistics = try file.whole { store throws(StoreError) in try store.statistics() }
        sizeBytes = statistics.sizeBytes
        usedBytes = statistics.usedBytes
        freeBytes = statistics.freeBytes
        isEncrypted = statistics.isEncrypted
        (version, schemaVersion, role, classes) = try file.read { transaction in
            let classes = transaction.schema.withoutNestedCollections.classes.map {
                (name: $0.name, kind: "\($0.kind)", count: transaction.table($0.name)?.count ?? 0)
            }
            return (transaction.version, transaction.appSchemaVersion, Self.role(of: transaction), classes)
        }
    }

    /// A device's synced file names its owner; a server's database keeps a record.
    static func role(of transaction: Transaction) -> Role {
        if !transaction.tree("server.meta").isEmpty { return .server }
        return transaction.tree("sync.owner").isEmpty && transaction.tree("sync.state").isEmpty ? .local : .synced
    }

    package var text: String {
        var lines = [
            "role       \(role.rawValue)", "version    \(version)", "encrypted  \(isEncrypted ? "yes" : "no")",
            "size       \(sizeBytes) bytes", "used       \(usedBytes) bytes", "free       \(freeBytes) bytes",
            "classes    \(classes.count)",
        ]
        if let schemaVersion { lines.insert("schema     version \(schemaVersion) of the app", at: 2) }
        let width = classes.map(\.name.count).max() ?? 0
        for entry in classes {
            let name = entry.name + String(repeating: " ", count: width - entry.name.count)
            lines.append("  \(name)  \(entry.count)" + (entry.kind == "object" ? "" : "  (\(entry.kind))"))
        }
        return lines.joined(separator: "\n")
    }

    package var json: String {
        var writer = JSONWriter()
        writer.object { json in
            json.field("role", role.rawValue)
            json.field("version", version)
            if let schemaVersion { json.field("schemaVersion", schemaVersion) }
            json.name("encrypted")
            json.write(isEncrypted)
            json.field("sizeBytes", sizeBytes)
            json.field("usedBytes", usedBytes)
            json.field("freeBytes", freeBytes)
            json.name("classes")
            json.array(classes) { entry, json in
                json.object { json in
                    json.field("name", entry.name)
                    json.field("kind", entry.kind)
                    json.field("count", entry.count)
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
