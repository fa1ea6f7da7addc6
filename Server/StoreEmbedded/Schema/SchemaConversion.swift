import CausewayConversion
import CausewayModel
import CausewayObjectStore
import CausewayStore

/// Gives one property another type in a write transaction.
///
/// The property moves behind the others, because its column is a new one. Its number changes then, and so do the numbers
/// of the columns that were behind it. The stamps of its values stay: a conversion is no write. So an edit that a device
/// made before the value was written still loses against it, and a later one still wins.
struct SchemaConversion {
    private let transaction: Transaction
    private let catalog: RecordCatalog
    private let wanted: PropertyConversion
    private let mapping: PropertyMapping
    private let plan: ClassPlan
    private let column: Int

    /// - Throws: `schemaMismatch` for what cannot be converted.
    init(
        _ wanted: PropertyConversion, _ catalog: RecordCatalog, _ transaction: Transaction
    ) throws(StoreFailure) {
        do throws(PropertyMapping.Refusal) {
            mapping = try wanted.mapping(in: catalog.schema)
        } catch {
            throw StoreFailure(.schemaMismatch, error.message)
        }
        guard let plan = catalog[wanted.className], let column = plan.columns[wanted.property] else {
            preconditionFailure("“\(wanted.className).\(wanted.property)” is in the schema but has no column.")
        }
        (self.transaction, self.catalog, self.wanted) = (transaction, catalog, wanted)
        (self.plan, self.column) = (plan, column)
    }

    /// Looks at every value, and changes nothing.
    func report() -> ConversionReport {
        var report = ConversionReport(from: plan.schema.properties[column].words, to: mapping.property.words)
        let table = catalog.table(plan.number, in: transaction)
        table.forEachKey { key in
            report.objects += 1
            switch mapping.outcome(of: table.value(key, column)) {
            case .fits: break
            case .replaced(_, let reason), .refused(let reason): report.misfits[reason, default: 0] += 1
            }
            return true
        }
        return report
    }

    /// Whether what was found may be converted.
    func accepts(_ report: ConversionReport) -> Bool { wanted.misfits != .refuse || report.misfits.isEmpty }

    // MARK: - Beside the tables

    func moveRecords() throws(StoreFailure) {
        try lostParts().removeRecords(besides: nil)
        let columns = plan.schema.properties.indices
        try ClassRecords(of: plan.number, in: transaction)
            .renumber(columns) { number in
                number == column ? columns.upperBound - 1 : number > column ? number - 1 : number
            }
        try DeclaredTree(in: transaction).noteUndeclared(plan.name, wanted.property)
    }

    /// What a mixed value held goes with it.
    private func lostParts() -> LostParts {
        var parts = LostParts(catalog, in: transaction)
        guard plan.mayHoldParts(column) else { return parts }
        catalog.table(plan.number, in: transaction)
            .forEachKey { key in
                parts.add(column: column, of: Row(plan.number, key))
                return true
            }
        return parts
    }

    // MARK: - The tables

    /// - Parameter before: the state that the write began on.
    func convertTables(before: Transaction) throws(StoreError) {
        guard let schema = try? wanted.applied(to: transaction.schema) else {
            preconditionFailure("“\(plan.name).\(wanted.property)” could be converted, and cannot any more.")
        }
        try transaction.restructure(to: schema, before: before)
        RecordCatalog.number(transaction.schema, in: transaction)
        guard let old = before.table(plan.name), let new = transaction.table(plan.name),
            let target = new.schema.index(of: mapping.property.name), target == new.schema.properties.count - 1
        else { preconditionFailure("“\(plan.name)” has not the columns that it was given.") }
        old.forEachKey { key in
            switch mapping.outcome(of: old.value(key, column)) {
            case .fits(let value), .replaced(let value, _): new.set(key, target, value)
            case .refused: preconditionFailure("A value was converted that does not fit.")
            }
            return true
        }
    }
}
