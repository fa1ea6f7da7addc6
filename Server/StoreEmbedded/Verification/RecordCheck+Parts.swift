import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Rules 5 and 6: what is kept of lists, sets, maps, texts and counters.

extension RecordCheck {
    /// The trees whose keys are a class number, a column and a row, class by class.
    func checkPlaces() {
        forEachPlace(Layout.lists) { place, value in
            checkState(place, Array(value))
        }
        forEachPlace(Layout.counters) { place, value in
            let what = "The entry of \(place.name), row \(place.row.rawValue), in '\(Layout.counters)'"
            if !place.isOfCounter { report.note("\(what) is of no counter.") }
            do throws(EncodingError) {
                var reader = ByteReader(Array(value))
                _ = try reader.readSigned()
                checkVersion(ServerVersion(try reader.readVarint()), what)
            } catch {
                report.note("\(what) cannot be read.")
            }
        }
        forEachPlace(Layout.folded) { place, value in
            let what = "The entry of \(place.name), row \(place.row.rawValue), in '\(Layout.folded)'"
            guard value.count == 8, let version: UInt64 = Layout.number(value) else {
                return report.note("\(what) cannot be read.")
            }
            if place.kind == nil { report.note("\(what) is of no list and no text.") }
            checkVersion(ServerVersion(version), what)
        }
        for tree in Self.treesByClass { checkClassNumbers(in: tree) }
    }

    /// The trees whose keys begin with the number of a class that is there.
    private static let treesByClass = [
        Layout.stamps, Layout.births, Layout.lists, Layout.counters, Layout.folded, Layout.marked,
    ]

    /// Looks for entries of classes that are not there, with one step for each class that is met.
    private func checkClassNumbers(in tree: String) {
        var from: [UInt8] = []
        while true {
            var met: UInt32?
            transaction.tree(tree).scan(from: from) { key, _ in
                met = Layout.number(key)
                if met == nil { report.note("A key of the tree '\(tree)' is too short.") }
                return false
            }
            guard let number = met else { return }
            if classes[Int(number)] == nil {
                report.note("The tree '\(tree)' names class number \(number), which no class has.")
            }
            guard number < UInt32.max else { return }
            from = Layout.bytes(number + 1)
        }
    }

    /// A column of a row.
    struct CheckedPlace {
        var checked: CheckedRecordClass
        var column: Int
        var row: ObjectKey

        var name: String { "'\(checked.name(of: column))'" }
        var kind: ObjectState.Kind? { checked.parts.indices.contains(column) ? checked.parts[column] : nil }
        var isOfCounter: Bool {
            checked.properties.indices.contains(column) && checked.properties[column].isCounter
        }
    }

    private func forEachPlace(_ tree: String, _ body: (CheckedPlace, UnsafeRawBufferPointer) -> Void) {
        for (number, checked) in classes.sorted(by: { $0.key < $1.key }) {
            let prefix = UInt32(truncatingIfNeeded: number)
            transaction.tree(tree).scan(from: Layout.bytes(prefix), upTo: Layout.bytes(prefix + 1)) { key, value in
                guard key.count == 16, let column: UInt32 = Layout.number(key, at: 4),
                    let row: UInt64 = Layout.number(key, at: 8)
                else {
                    report.note("A key of class '\(checked.name)' in '\(tree)' has \(key.count) bytes instead of 16.")
                    return true
                }
                let place = CheckedPlace(
                    checked: checked, column: Int(column), row: ObjectKey(Int64(bitPattern: row)))
                if checked.isTop, !checked.table.exists(place.row) {
                    report.note("The entry of \(place.name), row \(place.row.rawValue), in '\(tree)' is of no object.")
                    return true
                }
                body(place, value)
                return true
            }
        }
    }

    // MARK: - Collections and texts

    private func checkState(_ place: CheckedPlace, _ bytes: [UInt8]) {
        guard let kind = place.kind else {
            return report.note(
                "The entry of \(place.name), row \(place.row.rawValue), in '\(Layout.lists)' is of no list, set, map or text."
            )
        }
        guard place.checked.table.exists(place.row) else { return }
        let table = place.checked.table
        let content: ObjectState.Content
        do throws(StoreFailure) {
            let inTree = PartTree.Place(place.checked.number, place.column, place.row)
            content = try PartTree(in: transaction).content(kind, bytes, at: inTree, table)
        } catch {
            return report.note("What is kept of \(place.name), row \(place.row.rawValue), cannot be read.")
        }
        if !shows(content, at: place) {
            report.note("\(place.name), row \(place.row.rawValue), does not show what is kept beside it.")
        }
        if case .list(let list) = content, !list.isOrderOfTree {
            report.note("What is kept of \(place.name), row \(place.row.rawValue), is in another order than its tree.")
        }
    }

    private func shows(_ content: ObjectState.Content, at place: CheckedPlace) -> Bool {
        let (table, row, column) = (place.checked.table, place.row, place.column)
        switch content {
        case .list(let list):
            return table.listValues(row, column).map { travelling($0, place) } == list.visible.map(\.value)
        case .keyed(let entries):
            let values = table.listValues(row, column).map { travelling($0, place) }
            guard place.checked.properties[column].collection == .map else {
                return Set(values) == Set(entries.visible.map(\.key)) && values.count == entries.visible.count
            }
            let names = table.mapKeys(row, column).map { Value.string($0) }
            let shown = Dictionary(zip(names, values)) { first, _ in first }
            return shown.count == values.count && values.count == entries.visible.count
                && entries.visible.allSatisfy { shown[$0.key] == $0.value }
        case .text(let text):
            // The runs were read over the string of the column, and say of each stretch of it how long it is.
            return table.value(row, column) == .string(text.string)
        }
    }

    /// A stored value as devices write it: a link by the primary key of its target.
    private func travelling(_ value: Value, _ place: CheckedPlace) -> Value {
        guard case .object(let target) = value else { return transaction.travelling(value) }
        let name = place.checked.properties[place.column].target
        return name.flatMap { transaction.table($0)?.primaryKey(of: target) }.map { .link($0) } ?? value
    }

    /// A row whose collection or text holds something must have a state for it.
    func checkEmptyParts(of checked: CheckedRecordClass, _ row: ObjectKey) {
        for (column, kind) in checked.parts.enumerated() {
            guard let kind else { continue }
            let holds =
                kind == .text
                ? !checked.table.value(row, column).isEmptyText : checked.table.listCount(row, column) > 0
            guard holds, transaction.tree(Layout.lists).get(Layout.list(checked.number, column, row)) == nil else {
                continue
            }
            report.note(
                "Nothing is kept beside '\(checked.name(of: column))', row \(row.rawValue), which holds something.")
        }
    }
}

extension Value {
    fileprivate var isEmptyText: Bool {
        if case .string(let text) = self { text.isEmpty } else { true }
    }
}
