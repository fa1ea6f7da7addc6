import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Compares what one version of a record says of the same thing in different places.
///
/// 1. Every class of the schema has a number, and no number is given out twice.
/// 2. The history has each version from its start to the newest one. Its size is the sum of its records.
/// 3. Images and edits belong to an entry of the history that names them, and each named one is there.
/// 4. Every row that devices write has stamps: its own, or those of a run of rows. Runs do not overlap, begin and end
///    with a row that is there, and name columns of their class.
/// 5. What is kept beside a list, set, map or text shows what the column shows, and the column of each belongs to a row.
/// 6. What is kept of a counter belongs to a row and a counter.
/// 7. No object has a tombstone while it is alive.
/// 8. A mark that waits has an entry in `marked`, and the other way around.
/// 9. Refusals belong to a client, and to a changeset that was received of it.
/// 10. No entry names a version that was not made yet.
/// 11. The runs of the server follow each other.
/// 12. The order of receipts has each receipt once, without gaps.
/// 13. Each arrival is noted at its object, which is of a one-way class, and none is behind the newest one.
/// 14. Positions are texts under a name.
/// 15. The number of objects of a user is that of the rows which clients of the user created.
/// 16. Those who are shut out are there under their own names.
///
/// Rows of embedded classes are exempt where a one-way object may hold them: those have neither stamps nor states, and
/// their rows go with what held them.
final class RecordCheck {
    let transaction: Transaction
    let meta: Meta
    var report = RecordReport()
    private(set) var classes: [Int: CheckedRecordClass] = [:]
    /// The numbers of dropped classes too.
    private var numbers: Set<Int> = []

    init(_ transaction: Transaction) {
        self.transaction = transaction
        meta = Meta(in: transaction)
    }

    func run(_ progress: (Double) -> Void) {
        (report.epoch, report.version) = (meta.epoch, meta.version)
        // A file that no server has opened holds objects alone.
        guard meta.epoch != 0 || meta.version != .zero else { return }
        report.classes = transaction.tables.filter { $0.nestedKind == nil }
            .map { RecordReport.ClassCount(name: $0.schema.name, objects: $0.count) }
            .sorted { $0.name < $1.name }
        checkMeta()
        checkClasses()
        let steps = [
            checkClients, checkHistory, checkEnds, checkForgotten, checkMarks, checkRefusals, checkReceipts,
            checkArrivals, checkPositions, checkCreators, checkShutOuts,
        ]
        let total = Double(steps.count + classes.count)
        for (done, step) in steps.enumerated() {
            step()
            progress(Double(done + 1) / total)
        }
        for (done, number) in classes.keys.sorted().enumerated() {
            if let checked = classes[number] { checkRows(of: checked) }
            progress(Double(steps.count + done + 1) / total)
        }
        checkPlaces()
    }

    // MARK: - The record as a whole

    private func checkMeta() {
        if meta.epoch == 0, meta.version != .zero { report.note("The record has versions and no epoch.") }
        if meta.historyStart > meta.version {
            report.note(
                "The history begins after version \(meta.historyStart.rawValue), and the newest is \(meta.version.rawValue)."
            )
        }
        let lineage: Lineage
        do throws(StoreFailure) {
            lineage = try Lineage.load(in: transaction)
        } catch {
            return report.note("The list of the server's runs cannot be read.")
        }
        for (earlier, later) in zip(lineage.runs, lineage.runs.dropFirst()) where earlier.begin >= later.begin {
            report.note(
                "A run of the server begins at version \(later.begin.rawValue), and the one before it at "
                    + "\(earlier.begin.rawValue).")
        }
        if let last = lineage.runs.last, last.begin >= meta.version {
            report.note(
                "The newest run of the server begins at version \(last.begin.rawValue), and the newest version is "
                    + "\(meta.version.rawValue).")
        }
    }

    private func checkClasses() {
        var byName: ExactDictionary<Int> = [:]
        transaction.tree(Layout.classes).scan { key, value in
            let name = String(decoding: key, as: UTF8.self)
            guard value.count == 4, let number: UInt32 = Layout.number(value) else {
                report.note("The number of class '\(name)' cannot be read.")
                return true
            }
            if !numbers.insert(Int(number)).inserted { report.note("Class '\(name)' has the number of another class.") }
            byName[name] = Int(number)
            return true
        }
        for table in transaction.tables {
            guard let number = byName[table.schema.name] else {
                report.note("Class '\(table.schema.name)' has no number.")
                continue
            }
            classes[number] = CheckedRecordClass(number: number, table: table)
        }
    }

    // MARK: - What the rules share

    /// The class that a key names at an offset; nil, and a problem, when there is none.
    func checkedClass(_ key: UnsafeRawBufferPointer, at offset: Int = 0, _ tree: String) -> CheckedRecordClass? {
        guard let number: UInt32 = Layout.number(key, at: offset) else {
            report.note("A key of the tree '\(tree)' is too short.")
            return nil
        }
        if let checked = classes[Int(number)] { return checked }
        report.note("The tree '\(tree)' names class number \(number), which no class has.")
        return nil
    }

    /// Whether a class has or had the number.
    func isKnown(_ classNumber: Int) -> Bool { numbers.contains(classNumber) }

    func checkVersion(_ version: ServerVersion, _ what: @autoclosure () -> String) {
        guard version > meta.version else { return }
        report.note("\(what()) names version \(version.rawValue), and the newest is \(meta.version.rawValue).")
    }
}

/// A class of the record, and what its columns may hold.
final class CheckedRecordClass {
    let number: Int
    let table: Table
    /// By column.
    let parts: [ObjectState.Kind?]

    init(number: Int, table: Table) {
        self.number = number
        self.table = table
        parts = table.schema.properties.map(\.part)
    }

    var name: String { table.schema.name }
    var properties: [Property] { table.schema.properties }
    /// Whether devices write its rows as objects of their own.
    var isTop: Bool { table.schema.kind == .object }
    var isEmbedded: Bool { table.schema.kind == .embedded }

    func name(of column: Int) -> String {
        properties.indices.contains(column) ? "\(name).\(properties[column].name)" : "\(name), column \(column)"
    }
}
