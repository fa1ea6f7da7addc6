package import CausewayModel

extension Transaction {
    /// Adds the classes, properties and indexes that the wanted schema has and the stored one lacks. Removes nothing.
    ///
    /// Existing objects have zero, or null where it is allowed, in a new property. Afterwards the place of a property
    /// is the one in `schema`, not the one in the wanted schema. Throws `schemaConflict` with a list of all
    /// contradictions.
    package func extendSchema(_ wanted: Schema) throws(StoreError) {
        try throwDamage()
        var result = Catalog.Extension(catalog: catalog)
        // Most files are opened with the schema they have: find out without taking numbers.
        var trial = FixedTree.firstFree
        result = catalog.extended(by: wanted, nextNumber: &trial)
        guard result.conflicts.isEmpty else {
            throw StoreError(
                .schemaConflict,
                "The wanted schema contradicts the stored one: " + result.conflicts.joined(separator: " ")
                    + " Correct the classes, or use another file.",
                path: store.path)
        }
        guard result.isChanged else { return }
        takeNumbers { result = self.catalog.extended(by: wanted, nextNumber: &$0) }
        writer.put(FixedTree.catalog, CatalogKey.classes, result.catalog.encoded)
        replaceCatalog(result.catalog)
        for index in result.newIndexes { knownTable(index.className)?.fillIndex(index.column, index.kind) }
    }
}
