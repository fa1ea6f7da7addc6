import CausewayJSON
import CausewayModel
import CausewayRealmFile

/// The content of a Realm file in the JSON of the sample files, without the links back.
final class SampleRendering {
    private static let depthMax = 100

    private let file: RealmFile
    /// How many embedded objects hold the one that is written.
    private var depth = 0

    init(file: RealmFile) {
        self.file = file
    }

    func classes() throws -> [JSON] {
        try file.tables.filter { $0.className != nil }.map { try json($0) }
    }

    private func json(_ table: RealmTable) throws -> JSON {
        var members = [
            JSON.Member("class", .string(table.className ?? "")),
            JSON.Member("kind", .string(Self.kind(table.kind))),
            JSON.Member("primaryKey", table.primaryKey.map { .string(table.columns[$0].name) } ?? .null),
            JSON.Member(
                "properties", .array(table.columns.enumerated().map { property($1, isKey: $0 == table.primaryKey) })),
            JSON.Member("rowCount", .number("\(table.rowCount)")),
        ]
        if table.tombstoneCount > 0 { members.append(JSON.Member("tombstones", .number("\(table.tombstoneCount)"))) }
        if table.kind != .embedded { members.append(JSON.Member("rows", .array(try rows(table)))) }
        return .object(members)
    }

    private static func kind(_ kind: ClassKind) -> String {
        switch kind {
        case .object: "topLevel"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }

    private func property(_ column: RealmColumn, isKey: Bool) -> JSON {
        let type =
            switch column.propertyType {
            case .data: "binary"
            case .date: "timestamp"
            case .object: "link"
            default: "\(column.propertyType)"
            }
        var members = [
            JSON.Member("name", .string(column.name)), JSON.Member("type", .string(type)),
            JSON.Member("nullable", .bool(column.isNullable)),
            JSON.Member("collection", .string(column.collection == .map ? "dictionary" : "\(column.collection)")),
        ]
        if let target = column.target {
            members.append(JSON.Member("target", .string(file.tables[target].className ?? "")))
        }
        if column.isFullTextIndexed {
            members.append(JSON.Member("index", .string("fulltext")))
        } else if column.isIndexed, !isKey {
            members.append(JSON.Member("index", .string("general")))
        }
        if column.isEnumerated { members.append(JSON.Member("enumerated", .bool(true))) }
        return .object(members)
    }

    private func rows(_ table: RealmTable) throws -> [JSON] {
        try (0..<table.clusterCount).flatMap { cluster in
            try (0..<table.rowCount(ofCluster: cluster)).map { try json(table.row($0, ofCluster: cluster), table) }
        }
    }

    private func json(_ row: RealmRow, _ table: RealmTable) throws -> JSON {
        .object([
            JSON.Member("key", .number("\(row.key)")),
            JSON.Member(
                "values",
                .object(try zip(table.columns, row.values).map { JSON.Member($0.name, try json($1, $0)) })),
        ])
    }

    private func json(_ value: RealmValue, _ column: RealmColumn) throws -> JSON {
        switch value {
        case .plain(let value):
            return column.propertyType == .mixed ? SampleValue.mixed(value) : SampleValue.json(value)
        case .link(let link):
            return column.propertyType == .mixed ? SampleValue.object("link", try json(link)) : try json(link)
        case .list(let elements):
            let isNested = column.propertyType == .mixed && column.collection == .none
            let array = JSON.array(try elements.map { try element($0, column) })
            return isNested ? SampleValue.object("list", array) : array
        case .dictionary(let entries):
            let isNested = column.propertyType == .mixed && column.collection == .none
            let object = JSON.object(try entries.map { JSON.Member($0.name, try element($0.value, column)) })
            return isNested ? SampleValue.object("dictionary", object) : object
        }
    }

    /// An element of a collection. One inside of a mixed value says what it is.
    private func element(_ value: RealmValue, _ column: RealmColumn) throws -> JSON {
        switch value {
        case .list(let elements):
            SampleValue.object("list", .array(try elements.map { try element($0, column) }))
        case .dictionary(let entries):
            SampleValue.object(
                "dictionary", .object(try entries.map { JSON.Member($0.name, try element($0.value, column)) }))
        default: try json(value, column)
        }
    }

    private func json(_ link: RealmLink) throws -> JSON {
        let table = file.tables[link.table]
        guard table.kind != .embedded else {
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.depthMax else {
                throw RealmFileFailure("Embedded objects nest more than \(Self.depthMax) levels deep.")
            }
            return try file.row(link).map { try json($0, table) } ?? .null
        }
        let name = JSON.Member("class", .string(table.className ?? ""))
        guard table.primaryKey != nil else { return .object([name, JSON.Member("key", .number("\(link.key)"))]) }
        guard let key = try table.primaryKey(ofKey: link.key) else { return .string("no object") }
        return .object([name, JSON.Member("pk", SampleValue.json(key))])
    }
}
