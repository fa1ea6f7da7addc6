import CausewayJSON
import CausewayModel
import CausewayObjectStore

// Values from their JSON forms. Messages name the property and what is expected, and no values but those of keys.

extension ObjectFilling {
    /// A value that is no link and holds no other objects.
    func plainValue(_ json: JSON, _ table: Table, _ column: Int) throws -> Value {
        let type = table.schema.properties[column].type
        if case .null = json {
            guard table.accepts(.null, column: column) else {
                throw unexpected(ValueReader.form(of: type), table, column)
            }
            return .null
        }
        do throws(ValueReader.Failure) {
            return try ValueReader.value(json, type)
        } catch {
            throw unexpected(error.expected, table, column)
        }
    }

    /// A value of a property, or an element of one; nil for a link to an object that is missing.
    func value(_ json: JSON, _ table: Table, _ column: Int, depth: Int) throws -> Value? {
        let property = table.schema.properties[column]
        if case .null = json { return try plainValue(json, table, column) }
        switch property.type {
        case .object:
            guard let target = property.target.flatMap({ imported($0) }) else { return .null }
            return target.table.schema.kind == .embedded
                ? try embedded(json, target, table, column, depth: depth + 1)
                : try link(json, table, column).map { .object($0.key) }
        case .mixed: return try mixed(json, table, column, depth: depth)
        default: return try plainValue(json, table, column)
        }
    }

    /// Missing links are left out.
    func elements(_ json: JSON, _ table: Table, _ column: Int, depth: Int) throws -> [Value] {
        guard let elements = json.elements else { throw unexpected("an array", table, column) }
        return try elements.compactMap { try value($0, table, column, depth: depth) }
    }

    func entries(
        _ json: JSON, _ table: Table, _ column: Int, depth: Int
    ) throws -> [(key: String, value: Value)] {
        guard let members = Self.untagged(json) else {
            throw unexpected(#"an object, or {"$map": {…}} for names that begin with $"#, table, column)
        }
        return try members.map { ($0.name.string, try value($0.value, table, column, depth: depth) ?? .null) }
    }

    /// The members of a map or an embedded object; nil if it is none.
    private static func untagged(_ json: JSON) -> [JSON.Member]? {
        guard let members = json.members, members.first?.name.string.isTag == true else { return json.members }
        return members.count == 1 ? json["$map"]?.members : nil
    }

    func unexpected(_ expected: String, _ table: Table, _ column: Int) -> FileFailure {
        FileFailure("\(Self.path(table, column)) has another form than its type. Expected: \(expected).")
    }

    private static func path(_ table: Table, _ column: Int) -> String {
        NestedCollection(className: table.name) == nil
            ? "'\(table.name).\(table.schema.properties[column].name)'" : "A collection inside of a mixed value"
    }

    private func refuse(deeperThan depth: Int, _ table: Table, _ column: Int) throws {
        guard depth > ObjectLine.depthMax else { return }
        throw FileFailure(
            "\(Self.path(table, column)) nests more than \(ObjectLine.depthMax) levels deep. Keep deeper data in objects of its "
                + "own.")
    }

    // MARK: - What a value holds

    private func embedded(
        _ json: JSON, _ target: ImportedClass, _ table: Table, _ column: Int, depth: Int
    ) throws -> Value {
        try refuse(deeperThan: depth, table, column)
        guard let members = Self.untagged(json) else {
            throw unexpected("an object of class '\(target.name)', or null where that is allowed", table, column)
        }
        let key = try target.table.create(try container(), row: row(of: members, target))
        try fill(members, key, target, .all, depth: depth)
        return .object(key)
    }

    private func mixed(_ json: JSON, _ table: Table, _ column: Int, depth: Int) throws -> Value? {
        if json.elements != nil { return try nested(.list, json, table, column, depth: depth + 1) }
        if let members = json.members {
            let tag = members.first?.name.string
            if tag?.isTag != true || tag == "$map" {
                return try nested(.map, json, table, column, depth: depth + 1)
            }
            if json["$ref"] != nil {
                return try link(json, table, column).map { .anyObject(ClassedKey($0.table.number, $0.key)) }
            }
        }
        return try plainValue(json, table, column)
    }

    private func nested(
        _ kind: NestedCollection, _ json: JSON, _ table: Table, _ column: Int, depth: Int
    ) throws -> Value {
        try refuse(deeperThan: depth, table, column)
        guard table.schema.properties[column].collection != .set, let rows = transaction.nestedTable(kind) else {
            throw unexpected("a value that is no list and no map, because sets hold none", table, column)
        }
        let key = try rows.create(try container())
        switch kind {
        case .list:
            rows.listReplace(
                key, NestedCollection.column, try elements(json, rows, NestedCollection.column, depth: depth))
        case .map:
            rows.mapReplace(
                key, NestedCollection.column, try entries(json, rows, NestedCollection.column, depth: depth))
        }
        return .anyObject(ClassedKey(rows.number, key))
    }

    // MARK: - Links

    private var numberName: String { linksNameRows ? "$row" : "$number" }

    /// The object that a link names; nil if it is missing and that is allowed.
    private func link(_ json: JSON, _ table: Table, _ column: Int) throws -> (table: Table, key: ObjectKey)? {
        let wanted = table.schema.properties[column].target
        guard let name = json["$ref"]?.string, json.members?.count == 2, let id = json["$id"] ?? json[numberName] else {
            throw unexpected(
                #"{"$ref": "the class", "$id": its primary key}, or "\#(numberName)" without one"#, table, column)
        }
        if let wanted, !wanted.isSame(as: name) {
            throw unexpected("a link to class '\(wanted)'", table, column)
        }
        guard let target = imported(name) else { return try missing(name, id, table, column) }
        guard target.table.schema.kind == .object else {
            throw unexpected("a link to a class of objects that stand alone", table, column)
        }
        guard let key = try key(json, target, table, column) else { return try missing(name, id, table, column) }
        return (target.table, key)
    }

    private func key(
        _ json: JSON, _ target: ImportedClass, _ table: Table, _ column: Int
    ) throws -> ObjectKey? {
        guard let place = target.table.schema.primaryKeyIndex else {
            guard let number = json[numberName]?.int else {
                let words = linksNameRows ? "its row" : "the number of its line"
                throw unexpected(#"{"$ref": "\#(target.name)", "\#(numberName)": \#(words)}"#, table, column)
            }
            guard linksNameRows else { return target.numbers.row(of: number) }
            return target.table.exists(ObjectKey(number)) ? ObjectKey(number) : nil
        }
        guard let id = json["$id"] else {
            throw unexpected(#"{"$ref": "\#(target.name)", "$id": its primary key}"#, table, column)
        }
        do throws(ValueReader.Failure) {
            return target.table.key(for: try ValueReader.key(id, target.table.schema.properties[place]))
        } catch {
            throw unexpected(error.expected, table, column)
        }
    }

    private func missing(
        _ name: String, _ id: JSON, _ table: Table, _ column: Int
    ) throws -> (table: Table, key: ObjectKey)? {
        if missingLinks == .null {
            missingLinkCount += 1
            return nil
        }
        var writer = JSONWriter()
        writer.write(id)
        let words = String(decoding: writer.bytes, as: UTF8.self).prefix(100)
        guard !linksNameRows else {
            throw FileFailure(
                "There is no object \(words) of class '\(name.prefix(100))'. Create it first, or name another.")
        }
        throw FileFailure(
            "\(Self.path(table, column)) links to \(words) of class '\(name.prefix(100))', which is neither in the export nor in "
                + "the file. Export that object too, or import with --missing-links null.")
    }
}
