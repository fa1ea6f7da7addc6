import CausewayModel

/// A file that Realm wrote, read as plain values.
///
/// All of it is in memory, and nothing is written. REALMFILE.md tells the format. Whatever the bytes are, reading them ends with
/// content or with a `RealmFileFailure`: every place is checked, trees have a depth, and `FileBytes` bounds the work.
package final class RealmFile {
    /// The elements of the top node.
    private enum Part {
        static let names = 0
        static let tables = 1
        static let byteCount = 2
    }

    package let tables: [RealmTable]
    private let file: FileBytes

    /// - Parameter bytes: of a file that is not encrypted, or not any more.
    package init(_ bytes: [UInt8]) throws {
        file = FileBytes(bytes)
        guard let place = try FileHeader(file).top else {
            tables = []
            return
        }
        let top = try Node(file, at: place)
        if top.count > Part.byteCount, try top.length(Part.byteCount) > bytes.count {
            throw RealmFileFailure(
                "The Realm file is cut off: it has \(bytes.count) bytes of \(try top.length(Part.byteCount)). Copy it again."
            )
        }
        tables = try Self.tables(top)
    }

    private static func tables(_ top: Node) throws -> [RealmTable] {
        let names = try TextLeaf(top.neededChild(Part.names), isNullable: false)
        let holder = try top.neededChild(Part.tables)
        guard names.count <= holder.count else { throw holder.damaged("there are more names than tables") }
        var found: [(name: String, top: Node)] = []
        var keys = TableKeys()
        for index in 0..<names.count {
            // Where a table was removed, its place is free.
            guard case .node(let place) = try holder.reference(index) else { continue }
            let table = try Node(top.file, at: place)
            guard keys.add(try TableReader.key(table), found.count) else {
                throw holder.damaged("two tables have one key")
            }
            found.append((try names.text(index) ?? "", table))
        }
        return try found.map { try RealmTable($0.name, $0.top, keys) }
    }

    /// Before all rows are read once more.
    package func rewind() { file.renewAllowances() }

    /// How many strings were read since then that are not UTF-8.
    package var repairedTextCount: Int { file.repairedTextCount }

    /// The object that a link holds, or leads to.
    package func row(_ link: RealmLink) throws -> RealmRow? {
        try file.takeElements(1)
        return try tables[link.table].row(ofKey: link.key)
    }

    /// The number that apps give to their schema; nil if no app did.
    package func schemaVersion() throws -> UInt64? {
        guard let table = tables.first(where: { $0.name == "metadata" }), table.clusterCount > 0,
            let column = table.columns.firstIndex(where: { $0.name == "version" }),
            case .plain(.int(let version)) = try table.row(0, ofCluster: 0).values[column]
        else { return nil }
        return UInt64(bitPattern: version)
    }
}
