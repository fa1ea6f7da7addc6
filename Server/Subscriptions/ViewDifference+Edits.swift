import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore

// A changed list, set, map or text is told by what happened to it where all of this holds; otherwise whole:
//
// 1. The device certainly holds the object as it was at `start`: nothing of it is staged.
// 2. The record keeps what each commit since then did to the part, and the device has what its own operations came to.
// 3. That is shorter than the whole state, and within the bounds below.
// 4. The device understands it.
//
// What is told says no more of what the part holds than the state: values and texts that came and went in between are
// left out. A property
// that the caller may not read is told in neither form.

extension ViewDifference {
    /// What happened to parts of a touched object, and the other ones of the given columns.
    func changes(
        of row: Row, _ touched: TouchedRow, _ columns: PropertyNumbers, in part: inout Part
    ) throws(StoreFailure) -> (changes: [PartChange], whole: PropertyNumbers) {
        guard tellsEdits, claims == nil, !touched.edits.isEmpty,
            let properties = snapshot.schema[snapshot.className(row.classNumber)]?.properties
        else { return ([], columns) }
        var (changes, whole): ([PartChange], PropertyNumbers) = ([], columns)
        for (column, property) in properties.enumerated()
        where property.part != nil && columns.contains(column) && !touched.unkept.contains(column) {
            guard let edits = try edits(of: touched, column, in: &part) else { continue }
            whole.remove(column)
            if !edits.isEmpty { changes.append(PartChange(property.name, edits)) }
        }
        changes.sort { $0.property.precedes($1.property) }
        return (changes, whole)
    }

    /// Nil where the whole state is shorter, or where it takes more than `editsMax` operations.
    ///
    /// - Complexity: that of what happened, up to the bound, however large the part is.
    private func edits(of touched: TouchedRow, _ column: Int, in part: inout Part) throws(StoreFailure) -> PartEdits? {
        var versions: [PartEdits.Version] = []
        var (sizeBytes, weight, wholeBytes) = (0, 0, Int.max)
        // From the newest back: the first one says how long the whole state is, and nothing older is read in vain.
        for reference in touched.edits.reversed() where reference.columns.contains(column) {
            guard let kept = try snapshot.edits(reference, of: column) else { return nil }
            if wholeBytes == .max { wholeBytes = kept.wholeBytes }
            sizeBytes += kept.sizeBytes
            weight += kept.edits.elementCount
            guard sizeBytes < wholeBytes, weight <= Self.editsMax, part.editsWeight + weight <= Self.editsOfPartMax
            else {
                return nil
            }
            versions.append(PartEdits.Version(kept.edits, isOwn: reference.byClient))
        }
        part.editsWeight += weight
        return PartEdits.told(versions.reversed())
    }

    /// The most operations, and elements that a clear names, that one list, set, map or text is told by.
    private static let editsMax = 4_096
    /// The most of all in one part of a change, which is one message: far below what a reader takes, and one object, with
    /// all that is embedded in it, is never cut.
    private static let editsOfPartMax = 65_536
}
