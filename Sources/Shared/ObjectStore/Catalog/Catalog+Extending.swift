import CausewayModel

extension Catalog {
    enum IndexKind {
        case values, words
    }

    /// What a wanted schema adds, or every way in which it contradicts the stored one.
    struct Extension {
        var catalog: Catalog
        var conflicts: [String] = []
        /// Indexes to fill: columns of existing classes that got an index, and new columns that came with one.
        var newIndexes: [(className: String, column: Int, kind: IndexKind)] = []
        var isChanged = false
    }

    func extended(by wanted: Schema, nextNumber: inout UInt32) -> Extension {
        var result = Extension(catalog: self)
        var records = classes
        for wantedClass in wanted.classes {
            result.conflicts += Self.missingTargets(wantedClass, wanted, schema)
            if let position = positions[wantedClass.name] {
                Self.extend(&records[position], by: wantedClass, &result, &nextNumber)
            } else {
                if let other = schema.someClass(spelledUnlike: wantedClass.name)
                    ?? wanted.someClass(spelledUnlike: wantedClass.name)
                {
                    result.conflicts.append(
                        "Class '\(wantedClass.name)' is called like class '\(other.name)', in other Unicode "
                            + "characters.")
                }
                result.conflicts += Self.contradictions(wantedClass)
                records.append(Self.record(for: wantedClass, &nextNumber))
                result.isChanged = true
            }
        }
        if result.isChanged, result.conflicts.isEmpty { result.catalog = Catalog(classes: records) }
        return result
    }

    // MARK: - New classes

    private static func take(_ nextNumber: inout UInt32) -> UInt32 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    private static func record(for wanted: ClassSchema, _ nextNumber: inout UInt32) -> ClassRecord {
        var record = ClassRecord(
            schema: wanted, table: take(&nextNumber), primaryKeys: take(&nextNumber), backlinks: take(&nextNumber),
            absent: take(&nextNumber), ghosts: take(&nextNumber), containers: take(&nextNumber), columns: [])
        record.columns = wanted.properties.map { column(for: $0, &nextNumber) }
        return record
    }

    static func column(for property: Property, _ nextNumber: inout UInt32) -> ColumnRecord {
        var record = ColumnRecord(
            id: take(&nextNumber), index: needsIndex(property) ? take(&nextNumber) : 0,
            list: property.collection != .none ? take(&nextNumber) : 0)
        if property.collection == .map { record.keys = take(&nextNumber) }
        if needsWords(property) { record.words = take(&nextNumber) }
        return record
    }

    /// The primary key has an index of its own, and lists have none.
    private static func needsIndex(_ property: Property) -> Bool {
        property.isIndexed && !property.isPrimaryKey && property.isField && property.type != .object
    }

    private static func needsWords(_ property: Property) -> Bool {
        property.isFullTextIndexed && !property.isPrimaryKey && property.collection == .none && property.type == .string
    }

    private static func contradictions(_ wanted: ClassSchema) -> [String] {
        var result: [String] = []
        var names: Set<String> = []
        for property in wanted.properties {
            let name = "'\(wanted.name).\(property.name)'"
            if !names.insert(property.name).inserted { result.append("Property \(name) is declared twice.") }
            if property.isText, property.type != .string || property.collection != .none || property.isOptional {
                result.append("Property \(name) is a text and no required string.")
            }
            if property.type == .object, property.target == nil {
                result.append("Property \(name) is a link and names no class.")
            }
            if property.isPrimaryKey,
                ![.int, .string, .objectId, .uuid].contains(property.type) || property.collection != .none
                    || property.isText || property.isCounter
            {
                result.append("Property \(name) cannot be a primary key: only Int, String, ObjectId and UUID can.")
            }
        }
        if wanted.properties.count(where: \.isPrimaryKey) > 1 {
            result.append("Class '\(wanted.name)' has more than one primary key.")
        }
        if wanted.kind == .embedded, wanted.primaryKeyIndex != nil {
            result.append("Class '\(wanted.name)' is embedded and cannot have a primary key.")
        }
        return result
    }

    private static func missingTargets(_ wanted: ClassSchema, _ all: Schema, _ stored: Schema) -> [String] {
        wanted.properties.compactMap { property in
            guard let target = property.target, all[target] == nil, stored[target] == nil else { return nil }
            return "Property '\(wanted.name).\(property.name)' links to class '\(target)', which does not exist."
        }
    }

    // MARK: - Known classes

    private static func extend(
        _ record: inout ClassRecord, by wanted: ClassSchema, _ result: inout Extension, _ nextNumber: inout UInt32
    ) {
        if record.schema.kind != wanted.kind {
            result.conflicts.append(
                "Class '\(wanted.name)' is stored as \(record.schema.kind) and wanted as \(wanted.kind).")
        }
        for property in wanted.properties {
            if let column = record.schema.index(of: property.name) {
                let stored = record.schema.properties[column]
                result.conflicts += differences(stored, property, wanted.name)
                if stored.deletionRule != property.deletionRule {
                    record.schema.properties[column].deletionRule = property.deletionRule
                    result.isChanged = true
                }
                if needsIndex(property), record.columns[column].index == 0 {
                    record.schema.properties[column].isIndexed = true
                    record.columns[column].index = take(&nextNumber)
                    result.newIndexes.append((wanted.name, column, .values))
                    result.isChanged = true
                }
                if needsWords(property), record.columns[column].words == 0 {
                    record.schema.properties[column].isFullTextIndexed = true
                    record.columns[column].words = take(&nextNumber)
                    result.newIndexes.append((wanted.name, column, .words))
                    result.isChanged = true
                }
            } else {
                if let other = record.schema.property(spelledUnlike: property.name) {
                    result.conflicts.append(
                        "Property '\(wanted.name).\(property.name)' is called like '\(other.name)', in other Unicode "
                            + "characters.")
                }
                if property.isPrimaryKey {
                    result.conflicts.append(
                        "Primary key '\(wanted.name).\(property.name)' cannot be added to a class that exists.")
                }
                record.schema.properties.append(property)
                let added = column(for: property, &nextNumber)
                // Existing objects have zero or null in the new column, and its index finds them by it. Neither has
                // words.
                if added.index != 0 { result.newIndexes.append((wanted.name, record.columns.count, .values)) }
                record.columns.append(added)
                result.isChanged = true
            }
        }
    }

    private static func differences(_ stored: Property, _ wanted: Property, _ className: String) -> [String] {
        var result: [String] = []
        func compare(_ what: String, _ stored: some Equatable, _ isSame: Bool, _ wanted: some Equatable) {
            if isSame { return }
            result.append(
                "Property '\(className).\(property)' is stored with \(what) \(stored) and wanted with \(wanted).")
        }
        let property = stored.name
        compare("type", stored.type, stored.type == wanted.type, wanted.type)
        compare("counter", stored.isCounter, stored.isCounter == wanted.isCounter, wanted.isCounter)
        compare("collection", stored.collection, stored.collection == wanted.collection, wanted.collection)
        compare("text", stored.isText, stored.isText == wanted.isText, wanted.isText)
        if stored.type != .object, stored.type != .mixed {
            compare("optional", stored.isOptional, stored.isOptional == wanted.isOptional, wanted.isOptional)
        }
        compare(
            "target", stored.target ?? "none", stored.target == wanted.target, wanted.target ?? "none")
        compare(
            "primary key", stored.isPrimaryKey, stored.isPrimaryKey == wanted.isPrimaryKey, wanted.isPrimaryKey)
        return result
    }
}
