package import CausewayConversion
import CausewayModel
import CausewayObjectStore
package import CausewayStore
import Synchronization

// What the operator gives another type: a property, with all values that are stored of it. No session is open meanwhile.

extension StoreEmbedded {
    /// What `convert` would do. Nothing is changed.
    ///
    /// - Complexity: reads the property of every object of the class.
    /// - Throws: `schemaMismatch` for what cannot be converted.
    package func preview(_ wanted: PropertyConversion) throws(StoreFailure) -> ConversionReport {
        try read { transaction throws(StoreFailure) in
            try SchemaConversion(wanted, catalog(of: transaction), transaction).report()
        }
    }

    /// Gives a property another type, and converts all values by the mapping, in one transaction.
    ///
    /// The history goes, because it has the values as they were: every device is compared with the database when it
    /// connects next. Nobody has declared the new type yet.
    ///
    /// - Returns: what was done. If a value does not fit and the mapping says that this refuses all, nothing is.
    /// - Throws: `schemaMismatch` for what cannot be converted.
    package func convert(_ wanted: PropertyConversion) throws(StoreFailure) -> ConversionReport {
        try convert(wanted, .call)
    }

    func convert(_ wanted: PropertyConversion, _ writing: Writing) throws(StoreFailure) -> ConversionReport {
        let report = try change(as: writing) { transaction, before, meta throws(StoreFailure) in
            let conversion = try SchemaConversion(wanted, catalog(of: transaction), transaction)
            var report = conversion.report()
            guard conversion.accepts(report) else { return (report, false) }
            try forgetHistory(writing, in: transaction, &meta)
            try conversion.moveRecords()
            do throws(StoreError) {
                try conversion.convertTables(before: before)
            } catch {
                throw StoreFailure(error)
            }
            report.isConverted = true
            return (report, true)
        }
        if report.isConverted { declared.withLock { $0 = DeclaredSchemas() } }
        return report
    }
}
