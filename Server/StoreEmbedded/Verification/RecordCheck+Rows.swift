import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Rule 4: stamps of rows.

extension RecordCheck {
    func checkRows(of checked: CheckedRecordClass) {
        let own = checkOwnStamps(of: checked)
        let runs = checkRuns(of: checked)
        guard checked.isTop else { return }
        var next = 0
        checked.table.forEachKey { key in
            while next < runs.count, runs[next].upperBound < key.rawValue { next += 1 }
            let isInRun = next < runs.count && runs[next].contains(key.rawValue)
            if !isInRun, !own.contains(key.rawValue) {
                report.note("Class '\(checked.name)', row \(key.rawValue), has no stamps.")
            }
            checkEmptyParts(of: checked, key)
            return true
        }
    }

    /// The rows with stamps of their own.
    private func checkOwnStamps(of checked: CheckedRecordClass) -> Set<Int64> {
        var rows: Set<Int64> = []
        scan(Layout.stamps, of: checked) { row, value in
            let what = "The entry of row \(row) of class '\(checked.name)' in '\(Layout.stamps)'"
            rows.insert(row)
            if checked.isTop, !checked.table.exists(ObjectKey(row)) { report.note("\(what) is of no object.") }
            checkStamps(Array(value), checked, what)
        }
        return rows
    }

    /// The runs of rows that share stamps, ascending.
    private func checkRuns(of checked: CheckedRecordClass) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        scan(Layout.births, of: checked) { last, value in
            let what = "The run that ends with row \(last) of class '\(checked.name)' in '\(Layout.births)'"
            // ByteWriter writes fixed numbers, whose order is the reader's to know.
            var reader = ByteReader(Array(value.prefix(8)))
            guard let fixed = try? reader.readFixed64() else { return report.note("\(what) cannot be read.") }
            let first = Int64(bitPattern: fixed)
            guard first <= last, first > runs.last?.upperBound ?? -1 else {
                return report.note("\(what) begins with row \(first), which is behind its end or in the run before it.")
            }
            runs.append(first...last)
            for row in [first, last] where !checked.table.exists(ObjectKey(row)) {
                report.note("\(what) begins or ends with row \(row), which is of no object.")
            }
            checkStamps(Array(value.dropFirst(8)), checked, what)
        }
        return runs
    }

    private func checkStamps(_ bytes: [UInt8], _ checked: CheckedRecordClass, _ what: String) {
        let stamps: ObjectStamps
        do throws(EncodingError) {
            var reader = ByteReader(bytes)
            stamps = try ObjectStamps(from: &reader)
            try reader.finish()
        } catch {
            return report.note("\(what) cannot be read.")
        }
        if stamps.life % 2 == 0 { report.note("\(what) is of a life that has ended.") }
        checkVersion(stamps.bornVersion, what)
        let count = checked.properties.count
        let later = stamps.later.map(\.column)
        let isOfColumns =
            stamps.written.isBelow(count) && stamps.defaults.isBelow(count) && later.allSatisfy { $0 < count }
        if !isOfColumns { report.note("\(what) names a column that the class does not have.") }
        if zip(later, later.dropFirst()).contains(where: { $0 >= $1 }) {
            report.note("\(what) names a column twice.")
        }
    }

    /// The entries of one class in a tree whose keys are a class number and a row.
    private func scan(
        _ tree: String, of checked: CheckedRecordClass, _ body: (Int64, UnsafeRawBufferPointer) -> Void
    ) {
        let prefix = UInt32(truncatingIfNeeded: checked.number)
        transaction.tree(tree).scan(from: Layout.bytes(prefix), upTo: Layout.bytes(prefix + 1)) { key, value in
            guard key.count == 12, let row: UInt64 = Layout.number(key, at: 4) else {
                report.note("A key of class '\(checked.name)' in '\(tree)' has \(key.count) bytes instead of 12.")
                return true
            }
            body(Int64(bitPattern: row), value)
            return true
        }
    }
}

extension PropertyNumbers {
    fileprivate func isBelow(_ count: Int) -> Bool {
        let words = words
        guard let last = words.last, last != 0 else { return true }
        return (words.count - 1) * 64 + (63 - last.leadingZeroBitCount) < count
    }
}
