import CausewayModel
import CausewayObjectStore
import CausewayStore

/// The rows of embedded objects, and of collections in mixed values, that go with what holds them, at any depth.
struct LostParts {
    private let catalog: RecordCatalog
    private let transaction: Transaction
    private var waiting: [Row] = []

    init(_ catalog: RecordCatalog, in transaction: Transaction) {
        self.catalog = catalog
        self.transaction = transaction
    }

    /// Adds what one value holds.
    mutating func add(_ value: Value, _ plan: ClassPlan, _ column: Int) {
        guard let part = catalog.part(value, plan, column, in: transaction),
            table(part.classNumber).exists(part.key)
        else { return }
        waiting.append(part)
    }

    /// Adds what a property of one row holds.
    mutating func add(column: Int, of row: Row) {
        let plan = catalog[row.classNumber]
        guard plan.mayHoldParts(column) else { return }
        let table = table(row.classNumber)
        let values =
            plan.schema.properties[column].collection == .none
            ? [table.value(row.key, column)] : table.listValues(row.key, column)
        for value in values { add(value, plan, column) }
    }

    /// Adds all that one row holds.
    mutating func add(partsOf row: Row) {
        waiting += catalog.parts(of: row, in: transaction) { table($0) }
    }

    /// Removes what is kept beside the rows. The rows themselves go with what holds them.
    ///
    /// - Parameter removed: a class whose rows have nothing beside them any more.
    func removeRecords(besides removed: Int?) throws(StoreFailure) {
        let parts = all
        for row in parts where row.classNumber != removed {
            let plan = catalog[row.classNumber]
            let table = table(row.classNumber)
            try ObjectStamps.remove(row.classNumber, row.key, in: transaction) { key in
                !parts.contains(Row(row.classNumber, key)) && table.exists(key)
            }
            for (column, _) in plan.parts {
                let place = PartTree.Place(row.classNumber, column, row.key)
                PartTree(in: transaction).remove(place)
                MarkTree(in: transaction).remove(place)
            }
            for column in plan.counterColumns {
                CounterRecord.remove(row.classNumber, column, row.key, in: transaction)
            }
        }
    }

    private var all: Set<Row> {
        var found: Set<Row> = []
        var waiting = waiting
        while let row = waiting.popLast() {
            guard found.insert(row).inserted else { continue }
            waiting += catalog.parts(of: row, in: transaction) { table($0) }
        }
        return found
    }

    private func table(_ classNumber: Int) -> Table { catalog.table(classNumber, in: transaction) }
}
