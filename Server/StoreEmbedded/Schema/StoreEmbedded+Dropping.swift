import CausewayModel
package import CausewayObjectStore
import CausewayOperations
package import CausewayStore

// What the operator removes from the schema: a class with all of its objects, or a property with all of its values.
// No session is open meanwhile.

extension StoreEmbedded {
    /// All classes and properties of the database in a folder, each class before its properties. The server may run or
    /// not.
    package static func schemaElements(folder: String) throws(StoreFailure) -> [SchemaElement] {
        try readingFile(in: folder) { transaction throws(StoreFailure) in try schemaElements(in: transaction) }
    }

    package func schemaElements() throws(StoreFailure) -> [SchemaElement] {
        try read { transaction throws(StoreFailure) in try Self.schemaElements(in: transaction) }
    }

    package static func schemaElements(in transaction: Transaction) throws(StoreFailure) -> [SchemaElement] {
        let declared = DeclaredTree(in: transaction)
        var elements: [SchemaElement] = []
        for table in transaction.tables where table.nestedKind == nil {
            func element(_ property: Property?) throws(StoreFailure) -> SchemaElement {
                let known = try declared.element(table.schema.name, property?.name)
                return SchemaElement(
                    className: table.schema.name, kind: table.schema.kind, form: property,
                    addedBy: known?.user, added: known?.added ?? 0,
                    declared: known?.declared ?? 0, objects: table.count)
            }
            elements.append(try element(nil))
            for property in table.schema.properties { elements.append(try element(property)) }
        }
        return elements
    }

    /// How many objects `drop` would affect: those of the class, or those in which the property holds something.
    package func objectsLost(with className: String, property: String? = nil) throws(StoreFailure) -> Int {
        try read { transaction throws(StoreFailure) in
            try SchemaRemoval(className, property, catalog(of: transaction), transaction).objectsLost
        }
    }

    /// Removes a class or a property from the schema, with all that is in it.
    ///
    /// A class that others link to, and a primary key, are refused. The history goes too, because it names what is
    /// gone: every device is compared with the database when it connects next, and drops what is not here any more. To
    /// writers that have not seen the removal, the objects of a class are deleted.
    ///
    /// - Throws: `schemaMismatch` for what cannot be removed.
    package func drop(_ className: String, property: String? = nil) throws(StoreFailure) {
        try drop(className, property, .call)
    }

    func drop(_ className: String, _ property: String?, _ writing: Writing) throws(StoreFailure) {
        try change(as: writing) { transaction, before, meta throws(StoreFailure) in
            let removal = try SchemaRemoval(className, property, catalog(of: transaction), transaction)
            try forgetHistory(writing, in: transaction, &meta)
            try removal.removeRecords(at: meta.version)
            do throws(StoreError) {
                try removal.removeFromTables(before: before)
            } catch {
                throw StoreFailure(error)
            }
            return ((), true)
        }
    }

    /// Runs `body` in the write transaction, as `write` does, with the state that the write began on.
    func change<Outcome>(
        as writing: Writing,
        _ body: (_ transaction: Transaction, _ before: Transaction, inout Meta) throws(StoreFailure) ->
            (outcome: Outcome, commits: Bool)
    ) throws(StoreFailure) -> Outcome {
        try write(as: writing) { transaction, meta throws(StoreFailure) in
            let before: Transaction
            do throws(StoreError) {
                before = try store.read()
            } catch {
                throw StoreFailure(error)
            }
            defer { before.end() }
            return try body(transaction, before, &meta)
        }
    }

    /// Removes the history, and makes a version that no history leads to.
    func forgetHistory(_ writing: Writing, in transaction: Transaction, _ meta: inout Meta) throws(StoreFailure) {
        var nothing = options
        nothing.historyVersionsMax = 0
        try HistoryTree(in: transaction).trim(nothing, versionsMax: .max, &meta)
        let last = meta.version
        meta.version = ServerVersion(last.rawValue + 1)
        meta.historyStart = meta.version
        meta.oldestTime = 0
        try continueLineage(after: last, writing, meta, in: transaction)
    }
}
