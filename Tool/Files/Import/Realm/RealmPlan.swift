import CausewayModel
import CausewayRealmFile

/// What an import of a Realm file would make, before anything is written.
package struct RealmPlan: Sendable {
    /// For each class: its name and how much of it there is.
    package let classes: [(name: String, text: String)]
    package let objectCount: Int
    /// What is not imported, in words.
    package let leftOut: [String]
    package let schemaVersion: UInt64?

    init(_ file: RealmFile) throws {
        let mapping = try RealmMapping(file)
        let tables = file.tables.filter { $0.className != nil }
        classes = tables.map { ($0.className ?? "", Self.text(of: $0)) }
        objectCount = tables.reduce(0) { $1.kind == .embedded ? $0 : $0 + $1.rowCount }
        leftOut = mapping.leftOut
        schemaVersion = try file.schemaVersion()
    }

    package var text: String {
        var lines = ["The Realm file has \(objectCount) objects in \(classes.count) classes:"]
        lines += classes.map { "  \($0.name): \($0.text)" }
        if let schemaVersion { lines.append("Schema version of the app: \(schemaVersion)") }
        if !leftOut.isEmpty { lines.append("Not imported:") }
        lines += leftOut.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    private static func text(of table: RealmTable) -> String {
        let indexes = table.columns.indices.count {
            $0 != table.primaryKey && (table.columns[$0].isIndexed || table.columns[$0].isFullTextIndexed)
        }
        var parts = ["\(table.rowCount) \(words(table.kind))", "\(table.columns.count) properties"]
        if let key = table.primaryKey { parts.append("primary key '\(table.columns[key].name)'") }
        if indexes > 0 { parts.append("\(indexes) indexed") }
        return parts.joined(separator: ", ")
    }

    private static func words(_ kind: ClassKind) -> String {
        switch kind {
        case .object: "objects"
        case .embedded: "embedded objects"
        case .asymmetric: "one-way objects"
        }
    }
}
