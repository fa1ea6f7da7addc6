package import CausewayModel

/// A table of a Realm file: a class, or something that Realm keeps beside the classes.
package final class RealmTable {
    private static let classPrefix = "class_"

    package let name: String
    package let kind: ClassKind
    package let columns: [RealmColumn]
    /// The place of the column that names objects.
    package let primaryKey: Int?
    /// How many objects are gone, or were never there, and are still linked to.
    package let tombstoneCount: Int
    private let file: FileBytes
    private let tree: ClusterTree
    /// The clusters that were opened last, by their places: one to read rows in order, and one to find them by their keys. A table
    /// that links to itself needs both at once.
    private var read: Opened?
    private var found: Opened?

    private typealias Opened = (place: Int, cluster: Cluster)

    init(_ name: String, _ top: Node, _ tables: TableKeys) throws {
        let reader = TableReader(top, tables)
        self.name = name
        file = top.file
        kind = try reader.kind()
        tree = try ClusterTree(try reader.clusters())
        tombstoneCount = try reader.tombstones().map { try ClusterTree($0).rowCount } ?? 0
        let (key, columns) = (try reader.primaryKey(), try reader.columns())
        primaryKey = key.flatMap { key in columns.firstIndex { $0.key == key } }
        self.columns = columns
        guard key == nil || primaryKey != nil else { throw top.damaged("a primary key is no column") }
    }

    /// Nil for what Realm keeps beside the classes.
    package var className: String? {
        name.hasPrefix(Self.classPrefix) ? String(name.dropFirst(Self.classPrefix.count)) : nil
    }

    package var rowCount: Int { tree.rowCount }

    // MARK: - Rows

    /// How many groups of rows there are. Rows of later ones have larger keys.
    package var clusterCount: Int { tree.clusters.count }

    package func rowCount(ofCluster place: Int) -> Int { tree.clusters[place].count }

    package func row(_ index: Int, ofCluster place: Int) throws -> RealmRow {
        try row(index, cluster(place, &read))
    }

    /// The row of a key, if there is one.
    package func row(ofKey key: Int64) throws -> RealmRow? {
        guard let (cluster, index) = try find(key) else { return nil }
        return try row(index, cluster)
    }

    /// The value that names an object; nil if there is no such object.
    package func primaryKey(ofKey key: Int64) throws -> Value? {
        guard let primaryKey, let (cluster, index) = try find(key),
            case .plain(let value) = try cluster.value(index, columns[primaryKey])
        else { return nil }
        return value
    }

    package func hasRow(ofKey key: Int64) throws -> Bool { try find(key) != nil }

    private func row(_ index: Int, _ cluster: Cluster) throws -> RealmRow {
        var sharedBytes = 0
        let values = try columns.map { column in
            let value = try cluster.value(index, column)
            if column.isEnumerated {
                sharedBytes += value.contentBytes
                try file.checkShared(sharedBytes)
            } else {
                try file.takeContent(value)
            }
            return value
        }
        return RealmRow(key: try cluster.key(index), values: values)
    }

    private func find(_ key: Int64) throws -> (Cluster, Int)? {
        try file.takeSteps()
        guard let place = tree.place(ofKey: key) else { return nil }
        let cluster = try cluster(place, &found)
        return try cluster.index(ofKey: key).map { (cluster, $0) }
    }

    private func cluster(_ place: Int, _ opened: inout Opened?) throws -> Cluster {
        if let opened, opened.place == place { return opened.cluster }
        let cluster = try Cluster(file, tree.clusters[place])
        opened = (place, cluster)
        return cluster
    }
}
