import CausewayModel
import CausewayObjectStore
import CausewayStore

/// What is embedded in a one-way object, at any depth, before the object goes or lets go of some of it: the rows of embedded
/// classes go by themselves, and their stamps have to follow.
struct HeldParts {
    private let parts: [Row]
    private let catalog: RecordCatalog
    private let transaction: Transaction

    init(of row: Row, _ catalog: RecordCatalog, in transaction: Transaction) {
        self.catalog = catalog
        self.transaction = transaction
        func table(_ classNumber: Int) -> Table { catalog.table(classNumber, in: transaction) }
        var found: [Row] = []
        var waiting = catalog.parts(of: row, in: transaction, table)
        var seen = Set(waiting)
        while let part = waiting.popLast() {
            found.append(part)
            waiting += catalog.parts(of: part, in: transaction, table).filter { seen.insert($0).inserted }
        }
        parts = found
    }

    func table(_ classNumber: Int) -> Table { catalog.table(classNumber, in: transaction) }

    /// Removes the stamps of those that are not there any more.
    func forgetGone() throws(StoreFailure) {
        for part in parts {
            let table = table(part.classNumber)
            guard !table.exists(part.key) else { continue }
            try ObjectStamps.remove(part.classNumber, part.key, in: transaction) { table.exists($0) }
        }
    }
}
