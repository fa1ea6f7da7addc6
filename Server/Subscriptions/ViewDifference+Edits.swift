import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore

// A changed list, set, map or text is told by what happened to it where all of this holds; otherwise whole:
//
// 1. The device certainly holds the object as it was at `start`: nothing of it is staged.
// 2. The record keeps what each commit since then did to the part, and the device has what its own operations came to.
// 3. That is shorter than the whole state.
// 4. The device understands it.
//
// What is told says no more than the state: values and texts that came and went in between are left out. A property
// that the caller may not read is told in neither form.

extension ViewDifference {
    /// What happened to parts of a touched object, and the other ones of the given columns.
    func changes(
        of row: Row, _ touched: TouchedRow, _ columns: PropertyNumbers
    ) throws(StoreFailure) -> (changes: [PartChange], whole: PropertyNumbers) {
        guard tellsEdits, claims == nil, !touched.edits.isEmpty,
            let properties = snapshot.schema[snapshot.className(row.classNumber)]?.properties
        else { return ([], columns) }
        var (changes, whole): ([PartChange], PropertyNumbers) = ([], columns)
        for (column, property) in properties.enumerated()
        where property.part != nil && columns.contains(column) && !touched.unkept.contains(column) {
            guard let edits = try edits(of: touched, column) else { continue }
            whole.remove(column)
            if !edits.isEmpty { changes.append(PartChange(property.name, edits)) }
        }
        changes.sort { $0.property.precedes($1.property) }
        return (changes, whole)
    }

    /// Nil where the whole state is shorter.
    ///
    /// - Complexity: that of what happened, however large the part is.
    private func edits(of touched: TouchedRow, _ column: Int) throws(StoreFailure) -> PartEdits? {
        var versions: [PartEdits.Version] = []
        var (sizeBytes, wholeBytes) = (0, 0)
        for reference in touched.edits where reference.columns.contains(column) {
            guard let kept = try snapshot.edits(reference, of: column) else { return nil }
            if !reference.byClient { sizeBytes += kept.sizeBytes }
            wholeBytes = kept.wholeBytes
            versions.append(PartEdits.Version(kept.edits, isOwn: reference.byClient))
        }
        guard sizeBytes < wholeBytes else { return nil }
        return PartEdits.told(versions)
    }
}
