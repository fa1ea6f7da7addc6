import CausewayAdmin
import CausewayBrowsing
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayObjectStore

/// A change of one object of a file.
struct FileEdit: Sendable {
    private let edit: ObjectEdit
    private let members: [JSON.Member]
    /// The state that was looked at; nil for any.
    private let expected: String?
    /// Names the request, so that it takes effect once; nil where the caller does not say.
    private let idempotencyKey: String?

    init(_ edit: ObjectEdit) throws(AdminError) {
        self.edit = edit
        let tag = edit.request.head.header("if-match")
        expected = tag == "*" ? nil : tag
        idempotencyKey = edit.request.head.header("idempotency-key")
        guard (idempotencyKey?.utf8.count ?? 0) <= FileReceipts.keyBytesMax else {
            throw AdminError(.requestInvalid, "Idempotency-Key has at most \(FileReceipts.keyBytesMax) bytes.")
        }
        guard edit.kind != .delete else {
            members = []
            return
        }
        let json: JSON
        do throws(JSONReader.Failure) {
            json = try JSONReader.read(edit.request.body)
        } catch {
            throw AdminError(.requestInvalid, "The body is not JSON: at byte \(error.offset), \(error.reason).")
        }
        guard let members = json.members else {
            throw AdminError(
                .requestInvalid, "The body is \(json.kind). Expected is an object with the properties.")
        }
        self.members = members
    }

    /// The answer, as the data API gives it.
    func answer(in file: BrowsedFile) async throws(AdminError) -> HTTPAnswer {
        let (key, version) = try await file.change { transaction throws(AdminError) in
            do {
                if let idempotencyKey, let known = file.receipts[idempotencyKey] { return known }
                return try perform(in: transaction)
            } catch let failure as FileFailure {
                throw AdminError(.valueInvalid, failure.description)
            } catch let error as StoreError {
                throw AdminError(error)
            } catch let error as AdminError {
                throw error
            } catch {
                throw AdminError(.serverFault, "\(error)")
            }
        } committed: { key in
            if let idempotencyKey { file.receipts.keep(key, for: idempotencyKey) }
        }
        return .json(status: edit.kind == .create ? 201 : 200) { json in
            json.object { json in
                json.field("version", version)
                json.field("class", edit.className)
                json.name("key")
                json.raw(key)
                json.field("created", edit.kind == .create)
            }
        }
    }

    /// - Returns: the key of the object, as JSON.
    private func perform(in transaction: Transaction) throws -> [UInt8] {
        let state = BrowsedState(of: transaction)
        let table = try state.table(edit.className)
        let filling = ObjectFilling(transaction, .fail, linksNameRows: true)
        guard let imported = filling.imported(edit.className) else {
            throw AdminError(.classUnknown, "There is no class “\(edit.className.prefix(80))”.")
        }
        try checkNames(table.schema)
        guard edit.kind != .create else { return Self.name(of: try create(imported, filling), in: table) }
        let object = try state.object(edit.className, edit.key)
        try checkState(of: object, in: state)
        let key = Self.name(of: object.key, in: table)
        switch edit.kind {
        case .delete: table.delete(object.key)
        default: try patch(object.key, imported, filling)
        }
        return key
    }

    private static func name(of key: ObjectKey, in table: Table) -> [UInt8] {
        var json = JSONWriter()
        if let primaryKey = table.primaryKey(of: key), table.schema.primaryKeyIndex != nil {
            json.write(primaryKey)
        } else {
            json.write(key.rawValue)
        }
        return json.bytes
    }

    // MARK: - What is changed

    private func create(_ imported: ImportedClass, _ filling: ObjectFilling) throws -> ObjectKey {
        let row = try filling.row(of: members, imported)
        var primaryKey: PrimaryKey?
        if let column = imported.table.schema.primaryKeyIndex {
            let key = try filling.primaryKey(members, imported, column)
            guard imported.table.key(for: key) == nil else {
                throw AdminError(.objectExists, "There is an object with this key already. Change that one.")
            }
            primaryKey = key
        }
        let key = try imported.table.create(primaryKey, row: row)
        try filling.fill(members, key, imported, .all, depth: 0)
        return key
    }

    private func patch(_ key: ObjectKey, _ imported: ImportedClass, _ filling: ObjectFilling) throws {
        let table = imported.table
        for member in members {
            let column = try imported.column(member.name)
            let property = table.schema.properties[column]
            if property.isPrimaryKey {
                guard try filling.primaryKey(members, imported, column) == table.primaryKey(of: key) else {
                    throw AdminError(
                        .valueInvalid, "The primary key of an object cannot change. Create another object.")
                }
            } else if property.isCounter, let amount = member.value["$increment"] {
                guard member.value.members?.count == 1, let number = amount.int else {
                    throw AdminError(.valueInvalid, "$increment of “\(property.name)” takes a whole number.")
                }
                table.add(number, to: key, column)
            } else if property.isPlain, property.collection == .none {
                table.set(key, column, try filling.plainValue(member.value, table, column))
            } else {
                try filling.fill([member], key, imported, .all, depth: 0)
            }
        }
    }

    // MARK: - What is checked

    private func checkNames(_ schema: ClassSchema) throws(AdminError) {
        for member in members where schema.index(of: member.name.string) == nil {
            throw AdminError(
                .valueInvalid,
                "“\(schema.name)” has no property “\(member.name.string.prefix(80))”. Correct the name.")
        }
    }

    private func checkState(of object: BrowsedObject, in state: BrowsedState) throws(AdminError) {
        guard let expected else { return }
        var json = JSONWriter()
        try state.write(object, to: &json)
        guard ObjectTag.text(of: json.bytes) == expected else {
            throw AdminError(
                .preconditionFailed, "The object was changed since it was read. Read it again, and decide anew.")
        }
    }
}
