import CausewayModel
import CausewayObjectStore
import CausewayStore

/// Removes one class or property in a write transaction.
///
/// The trees beside the tables name a class by its number and a property by its column. A class keeps its number, in
/// case it comes back. The columns after a removed property get a number one lower, and so does everything that names
/// them.
struct SchemaRemoval {
    private let transaction: Transaction
    private let catalog: RecordCatalog
    private let plan: ClassPlan
    /// Nil for the whole class.
    private let column: Int?

    /// - Throws: `schemaMismatch` for what cannot be removed.
    init(
        _ className: String, _ property: String?, _ catalog: RecordCatalog, _ transaction: Transaction
    ) throws(StoreFailure) {
        guard NestedCollection(className: className) == nil, let plan = catalog[className] else {
            throw Self.refusal("There is no class “\(className)”.")
        }
        self.transaction = transaction
        self.catalog = catalog
        self.plan = plan
        column = try property.map { name throws(StoreFailure) in
            guard let column = plan.columns[name] else {
                throw Self.refusal("“\(className)” has no property “\(name)”.")
            }
            guard column != plan.primaryKey else {
                throw Self.refusal("“\(className).\(name)” is the primary key: drop the class.")
            }
            return column
        }
        if column == nil { try requireUnlinked() }
    }

    private static func refusal(_ message: String) -> StoreFailure { StoreFailure(.schemaMismatch, message) }

    private func requireUnlinked() throws(StoreFailure) {
        var linking: [String] = []
        let number = table(plan.number).number
        for other in catalog.schema.classes where !other.name.isSame(as: plan.name) {
            for (place, property) in other.properties.enumerated() {
                let isLinking =
                    property.target?.isSame(as: plan.name) == true
                    || property.type == .mixed && holdsLink(to: number, other.name, place)
                if isLinking { linking.append("“\(other.name).\(property.name)”") }
            }
        }
        guard linking.isEmpty else {
            throw Self.refusal(
                "“\(plan.name)” is linked to by \(linking.prefix(10).joined(separator: ", ")). Drop these properties first, "
                    + "or set those that are mixed to something else.")
        }
    }

    private func holdsLink(to number: UInt32, _ className: String, _ column: Int) -> Bool {
        guard let table = transaction.table(className) else { return false }
        let isSingle = table.schema.properties[column].collection == .none
        var isFound = false
        table.forEachKey { key in
            let values = isSingle ? [table.value(key, column)] : table.listValues(key, column)
            isFound = values.contains { value in
                if case .anyObject(let object) = value { object.classNumber == number } else { false }
            }
            return !isFound
        }
        return isFound
    }

    // MARK: - What is lost

    var objectsLost: Int {
        let table = table(plan.number)
        guard let column else { return table.count }
        let isSingle = plan.schema.properties[column].collection == .none
        let zero = plan.zeroRow[column]
        var count = 0
        table.forEachKey { key in
            if isSingle ? table.value(key, column) != zero : table.listCount(key, column) > 0 { count += 1 }
            return true
        }
        return count
    }

    // MARK: - Beside the tables

    /// - Parameter version: to a writer that has not seen this version, the objects of a removed class are deleted.
    func removeRecords(at version: ServerVersion) throws(StoreFailure) {
        try lostParts().removeRecords(besides: column == nil ? plan.number : nil)
        let declared = DeclaredTree(in: transaction)
        let records = ClassRecords(of: plan.number, in: transaction)
        guard let column else {
            try forgetCreators()
            try ForgottenEnds.forgetAll(plan.number, at: version, lifeMax: try records.lifeMax(), in: transaction)
            records.removeAll()
            Arrivals.forget(classNumber: plan.number, in: transaction)
            return declared.remove(plan.name)
        }
        try records.renumber(plan.schema.properties.indices) { number in
            number == column ? nil : number > column ? number - 1 : number
        }
        declared.remove(plan.name, plan.schema.properties[column].name)
    }

    /// Must see the rows and their stamps.
    private func forgetCreators() throws(StoreFailure) {
        guard plan.schema.kind == .object else { return }
        var changes = CreatorChanges()
        try CreatorCensus.count(plan.number, table(plan.number), in: transaction, times: -1, into: &changes)
        CreatorTree(in: transaction).add(try changes.settled(in: transaction))
    }

    private func lostParts() -> LostParts {
        var parts = LostParts(catalog, in: transaction)
        table(plan.number).forEachKey { key in
            let row = Row(plan.number, key)
            if let column { parts.add(column: column, of: row) } else { parts.add(partsOf: row) }
            return true
        }
        return parts
    }

    // MARK: - The tables

    /// - Parameter before: the state that the write began on.
    func removeFromTables(before: Transaction) throws(StoreError) {
        guard let column else { return transaction.removeClass(plan.name) }
        var wanted = plan.schema
        wanted.properties.remove(at: column)
        let others = transaction.schema.classes.filter { !$0.name.isSame(as: plan.name) }
        try transaction.restructure(to: Schema(others + [wanted]), before: before)
    }

    private func table(_ classNumber: Int) -> Table { catalog.table(classNumber, in: transaction) }
}
