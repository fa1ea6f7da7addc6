import CausewayModel
import CausewayQuery
import CausewayStorage

/// Compares everything that a snapshot stores of its objects in more than one place. FORMAT.md has the rules.
///
/// 1. Which rows are there comes first: everything else is compared with that.
/// 2. Every entry of an index or among primary keys is looked up in its column, and every row among the entries.
/// 3. Links and words are too many for that: for each row two sums are made, one of what the columns say and one of what
///    the trees say, and the rows whose sums differ are named.
final class ContentCheck {
    let catalog: Catalog
    let reader: any StorageReader
    var report: VerificationReport
    var classes: [CheckedClass] = []
    var classesByName: [String: CheckedClass] = [:]
    var classesByNumber: [UInt32: CheckedClass] = [:]
    let buffer = KeyBuffer()
    var words = TextWords()
    /// How many long values belong to a column.
    var longValues = 0

    init(_ catalog: Catalog, _ reader: any StorageReader, _ report: VerificationReport) {
        self.catalog = catalog
        self.reader = reader
        self.report = report
    }

    func run(_ progress: (Double) -> Void) {
        checkNumbers()
        for record in catalog.classes { findRows(of: record) }
        let steps = Double(max(1, classes.reduce(0) { $0 + $1.record.columns.count + 2 }))
        var done = 0.0
        func advance() {
            done += 1
            progress(done / steps)
        }
        for checked in classes {
            checkPrimaryKeys(of: checked)
            advance()
            for column in checked.record.columns.indices {
                checkColumn(column, of: checked)
                advance()
            }
        }
        // Every link of every class must have been met.
        for checked in classes {
            checkBacklinks(of: checked)
            advance()
        }
        checkChangeRecords()
        if reader.count(tree: FixedTree.longValues, from: [], upTo: nil) != longValues {
            report.note("Some long values belong to no column.")
        }
        if let damage = reader.damage { report.note("The file cannot be read: \(damage.message)") }
    }

    // MARK: - The catalog

    /// Checks that a number names one tree or column.
    private func checkNumbers() {
        var seen: Set<UInt32> = [0]
        let next = reader.get(FixedTree.catalog, CatalogKey.nextNumber).map { $0.readUInt32() } ?? FixedTree.firstFree
        func note(_ number: UInt32, _ what: String) {
            if !seen.insert(number).inserted { report.note("Number \(number), \(what), is given out twice.") }
            if number < FixedTree.firstFree || number >= next {
                report.note("Number \(number), \(what), was never given out.")
            }
        }
        for record in catalog.classes {
            let name = record.schema.name
            for (number, what) in [
                (record.table, "the table"), (record.primaryKeys, "the primary keys"),
                (record.backlinks, "the backlinks"), (record.absent, "the bits of absent rows"),
                (record.ghosts, "the bits of ghosts"), (record.containers, "the container ids"),
            ] { note(number, "\(what) of class '\(name)'") }
            for (column, property) in zip(record.columns, record.schema.properties) {
                note(column.id, "the column '\(name).\(property.name)'")
                for (tree, what) in [
                    (column.index, "index"), (column.words, "words"), (column.list, "list"), (column.keys, "keys"),
                ] where tree != 0 { note(tree, "the \(what) of '\(name).\(property.name)'") }
            }
        }
        reader.scan(tree: FixedTree.catalog, from: [3], upTo: [4], reversed: false) { key, value in
            note(value.readUInt32(), "the tree '\(String(decoding: key.dropFirst(), as: UTF8.self))'")
            return true
        }
    }

    // MARK: - Rows

    private func findRows(of record: Catalog.ClassRecord) {
        let counters = reader.get(FixedTree.catalog, CatalogKey.counters(table: record.table))
        var nextKey = counters?.count == 16 ? counters?.loadUnaligned(as: Int64.self) ?? 0 : 0
        let count = counters?.count == 16 ? counters?.loadUnaligned(fromByteOffset: 8, as: Int.self) ?? 0 : 0
        if let counters, counters.count != 16 || !(0...Int64(UInt32.max) * Int64(slotsPerLeaf)).contains(nextKey) {
            report.note("The counters of class '\(record.schema.name)' cannot be.")
            nextKey = 0
        }
        let checked = CheckedClass(record, nextKey: nextKey)
        classes.append(checked)
        classesByName[record.schema.name] = checked
        classesByNumber[record.table] = checked
        var absent = CheckedColumn(record.absent, .bits, isNull: false, reader)
        var ghosts = CheckedColumn(record.ghosts, .bits, isNull: false, reader)
        let dead = deadLeaves(of: checked)
        var alive = 0
        for number in LiveLeaves(upTo: checked.leafCount, without: dead) {
            let slots = SlotBitmap(first: checked.slotCount(number))
            let notHere = SlotBitmap(bits: absent.leaf(number))
            let ghost = SlotBitmap(bits: ghosts.leaf(number))
            if !notHere.subtracting(slots).isEmpty || !ghost.subtracting(slots).isEmpty {
                report.note("Leaf \(number) of class '\(checked.name)' has bits behind its last row.")
            }
            if !ghost.subtracting(notHere).isEmpty {
                report.note("Leaf \(number) of class '\(checked.name)' has a row that is an object and a ghost.")
            }
            checked.addLeaf(number, alive: slots.subtracting(notHere), ghosts: slots.intersection(ghost))
            alive += slots.subtracting(notHere).count
        }
        for number in absent.unsound.union(ghosts.unsound).sorted() {
            report.note("Leaf \(number) of the rows of class '\(checked.name)' contradicts itself.")
        }
        if alive != count {
            report.note("Class '\(checked.name)' counts \(count) objects and has \(alive).")
        }
        report.objects += alive
    }

    private func deadLeaves(of checked: CheckedClass) -> LeafRanges {
        let key = CatalogKey.deadLeaves(table: checked.record.table)
        guard let bytes = reader.get(FixedTree.catalog, key) else { return LeafRanges() }
        do throws(RecordReader.Damage) {
            return try LeafRanges(encoded: bytes, limit: Int(checked.nextKey) / slotsPerLeaf)
        } catch {
            report.note("The list of dead leaves of class '\(checked.name)' contradicts itself.")
            return LeafRanges()
        }
    }

    // MARK: - The record of changes

    private func checkChangeRecords() {
        var isSound = true
        reader.scan(tree: FixedTree.changes, from: [], upTo: nil, reversed: false) { key, value in
            let isRecord = key.count == 8 && key.readUInt64(at: 0) <= reader.version
            if !isRecord || (try? ChangeRecord(encoded: value)) == nil { isSound = false }
            return true
        }
        if !isSound { report.note("The record of recent changes contradicts itself.") }
    }
}
