import CausewayModel
import CausewayRealmFile

/// What the classes of a Realm file become.
struct RealmMapping {
    let schema: Schema
    /// For each table, which of its columns are imported.
    let taken: [[Bool]]
    /// What is not imported, in words.
    let leftOut: [String]
    /// How many embedded objects the file has, held or not.
    let embeddedCount: Int

    init(_ file: RealmFile) throws {
        var (classes, leftOut): ([ClassSchema], [String]) = ([], [])
        var takenColumns: [[Bool]] = []
        for table in file.tables {
            guard let name = table.className else {
                leftOut.append("table '\(table.name)', which holds no objects of an app")
                takenColumns.append([])
                continue
            }
            guard !name.isEmpty, NestedCollection(className: name) == nil else {
                throw FileFailure("The Realm file has a class '\(name)', and no class can be called so.")
            }
            let taken = table.columns.map { $0.target.map { file.tables[$0].className != nil } ?? true }
            for (column, isTaken) in zip(table.columns, taken) where !isTaken {
                leftOut.append("property '\(name).\(column.name)', which links to a table that is no class")
            }
            if table.tombstoneCount > 0 {
                leftOut.append("\(table.tombstoneCount) tombstones of class '\(name)': links to them are null")
            }
            takenColumns.append(taken)
            classes.append(Self.schema(name, table, taken, file))
        }
        schema = Schema(classes)
        taken = takenColumns
        self.leftOut = leftOut
        embeddedCount = file.tables.reduce(0) {
            $1.kind == .embedded && $1.className != nil ? $0 + $1.rowCount : $0
        }
        for (left, right) in zip(schema.classes, schema.classes.dropFirst()) where left.name.isSame(as: right.name) {
            throw FileFailure("The Realm file has the class '\(left.name)' twice: it is damaged.")
        }
    }

    private static func schema(_ name: String, _ table: RealmTable, _ taken: [Bool], _ file: RealmFile) -> ClassSchema {
        ClassSchema(
            name: name, kind: table.kind,
            properties: table.columns.indices.filter { taken[$0] }.map { index in
                property(table.columns[index], isPrimaryKey: index == table.primaryKey, file)
            })
    }

    private static func property(_ column: RealmColumn, isPrimaryKey: Bool, _ file: RealmFile) -> Property {
        Property(
            name: column.name, type: column.propertyType, collection: column.collection,
            isOptional: isOptional(column), isPrimaryKey: isPrimaryKey,
            isIndexed: column.isIndexed && !isPrimaryKey && !column.isFullTextIndexed,
            isFullTextIndexed: column.isFullTextIndexed,
            target: column.target.flatMap { file.tables[$0].className })
    }

    /// Single links and those of a dictionary may be null, those of a list or a set never are. A mixed value always may be.
    private static func isOptional(_ column: RealmColumn) -> Bool {
        switch column.propertyType {
        case .object: column.collection == .none || column.collection == .map
        case .mixed: true
        default: column.isNullable
        }
    }
}
