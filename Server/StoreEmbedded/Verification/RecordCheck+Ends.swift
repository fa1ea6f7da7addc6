import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Rules 7 and 8: tombstones, and what may be forgotten.

extension RecordCheck {
    func checkEnds() {
        transaction.tree(Layout.ends).scan { key, value in
            guard let checked = checkedClass(key, Layout.ends) else { return true }
            let what = "A tombstone of class '\(checked.name)'"
            let (end, primaryKey): (End, PrimaryKey)
            do {
                var reader = ByteReader(Array(key.dropFirst(4)))
                primaryKey = try reader.readPrimaryKey()
                try reader.finish()
                end = try End.load(encoded: Array(value))
            } catch {
                report.note("\(what) cannot be read.")
                return true
            }
            if end.life % 2 == 1 { report.note("\(what) is of a life that has not ended.") }
            if end.met < end.version {
                report.note(
                    "\(what) was met in version \(end.met.rawValue), before version \(end.version.rawValue) made it.")
            }
            checkVersion(max(end.met, end.version), what)
            if checked.isTop, let row = checked.table.key(for: primaryKey) {
                report.note("\(what) is of row \(row.rawValue), which is alive.")
            }
            return true
        }
    }

    func checkForgotten() {
        transaction.tree(Layout.forgotten).scan { key, value in
            guard key.count == 4, let number: UInt32 = Layout.number(key), isKnown(Int(number)) else {
                report.note("The tree '\(Layout.forgotten)' names a class that was never there.")
                return true
            }
            do throws(StoreFailure) {
                let forgotten = try ForgottenEnds.load(Int(number), in: transaction)
                checkVersion(forgotten.version, "What was forgotten of class number \(number)")
            } catch {
                report.note("What was forgotten of class number \(number) cannot be read.")
            }
            return true
        }
    }

    /// Each mark stands for one place, so equal numbers and a partner for each mark make the two trees agree.
    func checkMarks() {
        let marked = transaction.tree(Layout.marked)
        var marks = 0
        transaction.tree(Layout.marks).scan { key, _ in
            guard key.count == 24, let version: UInt64 = Layout.number(key) else {
                report.note("A key of the tree '\(Layout.marks)' has \(key.count) bytes instead of 24.")
                return true
            }
            marks += 1
            checkVersion(ServerVersion(version), "A mark")
            guard let checked = checkedClass(key, at: 8, Layout.marks) else { return true }
            let column = Int((Layout.number(key, at: 12) as UInt32?) ?? 0)
            if !checked.parts.indices.contains(column) || checked.parts[column] == nil {
                report.note("A mark is of '\(checked.name(of: column))', which is no list, set, map or text.")
            }
            if marked.get(Array(key.dropFirst(8))) == nil {
                report.note("A mark of '\(checked.name(of: column))' is not noted in '\(Layout.marked)'.")
            }
            return true
        }
        let noted = marked.count
        if noted != marks { report.note("\(noted) places are noted as marked, and there are \(marks) marks.") }
    }
}
