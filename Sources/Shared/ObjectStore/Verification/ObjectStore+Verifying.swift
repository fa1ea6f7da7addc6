import CausewayStorage

extension ObjectStore {
    /// Reads the whole file and compares everything in it that says the same thing twice: pages with their checksums,
    /// indexes with columns, links with backlinks, collections with their chunks, counts with contents.
    ///
    /// Reads the newest version, while the file is in use. Damage is reported and not thrown, and ``Options/onDamage``
    /// is not called: what is found here may never be read otherwise. If pages are damaged, objects are not compared.
    ///
    /// - Parameter progress: told now and then how much is done, from 0 to 1.
    /// - Complexity: O(n) in the size of the file, and a few bytes of memory for each object.
    package func verify(_ progress: (Double) -> Void = { _ in }) throws(StoreError) -> VerificationReport {
        try refuseIfClosed()
        var report = VerificationReport()
        let pages = try storing { () throws(StorageError) in
            try storage.verify { done, total in progress(Double(done) / Double(max(total, 1)) / 2) }
        }
        report.pages = pages.pages
        for problem in pages.problems { report.note(problem) }
        guard report.isSound else { return report }
        let snapshot = try snapshot()
        try DamageReporting.throwing { () throws(StoreError) -> Void in
            let catalog: Catalog
            do throws(StoreError) {
                catalog = try self.catalog(in: snapshot)
            } catch {
                guard error.code == .damaged else { throw error }
                return report.note("The list of classes contradicts itself.")
            }
            let check = ContentCheck(catalog, snapshot, report)
            check.run { progress(0.5 + $0 / 2) }
            report = check.report
        }
        progress(1)
        return report
    }
}
