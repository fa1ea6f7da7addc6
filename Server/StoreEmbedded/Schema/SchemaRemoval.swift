import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Removes one class or property in a write transaction.
///
/// The trees beside the tables name a class by its number and a property by its column. A class keeps its number, in
/// case it comes back. The columns after a removed property get a number one lower, and so does everything that names
/// them.
struct SchemaRemoval {
    private let transaction: Transaction
    private let catalog: RecordCatalog
    private let plan: ClassPlan
    /// Nil for the whole class.
    private let column: Int?

    /// - Throws: `schemaMismatch` for what cannot be removed.
    init(
        _ className: String, _ property: String?, _ catalog: RecordCatalog, _ transaction: Transaction
    ) throws(StoreFailure) {
        guard NestedCollection(className: className) == nil, let plan = catalog[className] else {
            throw Self.refusal("There is no class “\(className)”.")
        }
        self.transaction = transaction
        self.catalog = catalog
        self.plan = plan
        column = try property.map { name throws(StoreFailure) in
            guard let column = plan.columns[name] else {
                throw Self.refusal("“\(className)” has no property “\(name)”.")
            }
            guard column != plan.primaryKey else {
                throw Self.refusal("“\(className).\(name)” is the primary key: drop the class.")
            }
            return column
        }
        if column == nil { try requireUnlinked() }
    }

    private static func refusal(_ message: String) -> StoreFailure { StoreFailure(.schemaMismatch, message) }

    private func requireUnlinked() throws(StoreFailure) {
        var linking: [String] = []
        let number = table(plan.number).number
        for other in catalog.schema.classes where !other.name.isSame(as: plan.name) {
            for (place, property) in other.properties.enumerated() {
                let isLinking =
                    property.target?.isSame(as: plan.name) == true
                    || property.type == .mixed && holdsLink(to: number, other.name, place)
                if isLinking { linking.append("“\(other.name).\(property.name)”") }
            }
        }
        guard linking.isEmpty else {
            throw Self.refusal(
                "“\(plan.name)” is linked to by \(linking.prefix(10).joined(separator: ", ")). Drop these properties first, "
                    + "or set those that are mixed to something else.")
        }
    }

    private func holdsLink(to number: UInt32, _ className: String, _ column: Int) -> Bool {
        guard let table = transaction.table(className) else { return false }
        let isSingle = table.schema.properties[column].collection == .none
        var isFound = false
        table.forEachKey { key in
            let values = isSingle ? [table.value(key, column)] : table.listValues(key, column)
            isFound = values.contains { value in
                if case .anyObject(let object) = value { object.classNumber == number } else { false }
            }
            return !isFound
        }
        return isFound
    }

    // MARK: - What is lost

    var objectsLost: Int {
        let table = table(plan.number)
        guard let column else { return table.count }
        let isSingle = plan.schema.properties[column].collection == .none
        let zero = plan.zeroRow[column]
        var count = 0
        table.forEachKey { key in
            if isSingle ? table.value(key, column) != zero : table.listCount(key, column) > 0 { count += 1 }
            return true
        }
        return count
    }

    // MARK: - Beside the tables

    /// - Parameter version: to a writer that has not seen this version, the objects of a removed class are deleted.
    func removeRecords(at version: ServerVersion) throws(StoreFailure) {
        try removeRecords(of: parts())
        let declared = DeclaredTree(in: transaction)
        guard let column else {
            try forgetCreators()
            try ForgottenEnds.forgetAll(plan.number, at: version, lifeMax: try lifeMax(), in: transaction)
            for tree in [
                Layout.stamps, Layout.births, Layout.lists, Layout.counters, Layout.marked, Layout.folded, Layout.ends,
            ] {
                transaction.tree(tree).removeRange(from: prefix, upTo: prefixEnd)
            }
            renumber(Layout.marks, from: [], upTo: nil, classAt: 8) { _ in nil }
            Arrivals.forget(classNumber: plan.number, in: transaction)
            return declared.remove(plan.name)
        }
        for tree in [Layout.lists, Layout.counters, Layout.marked, Layout.folded] {
            renumber(tree, from: prefix, upTo: prefixEnd, classAt: 0, Self.closingUp(column))
        }
        renumber(Layout.marks, from: [], upTo: nil, classAt: 8, Self.closingUp(column))
        try removeStamps(of: column)
        declared.remove(plan.name, plan.schema.properties[column].name)
    }

    /// Must see the rows and their stamps.
    private func forgetCreators() throws(StoreFailure) {
        guard plan.schema.kind == .object else { return }
        var changes = CreatorChanges()
        try CreatorCensus.count(plan.number, table(plan.number), in: transaction, times: -1, into: &changes)
        CreatorTree(in: transaction).add(try changes.settled(in: transaction))
    }

    private var prefix: [UInt8] { Layout.bytes(UInt32(truncatingIfNeeded: plan.number)) }
    private var prefixEnd: [UInt8] { Layout.bytes(UInt32(truncatingIfNeeded: plan.number + 1)) }

    private static func closingUp(_ gone: Int) -> (Int) -> Int? {
        { column in column == gone ? nil : column > gone ? column - 1 : column }
    }

    /// Gives the entries of the class their new columns; nil removes an entry.
    ///
    /// - Parameter offset: where the class number is in the key. The column follows it.
    private func renumber(
        _ name: String, from: [UInt8], upTo: [UInt8]?, classAt offset: Int, _ newColumn: (Int) -> Int?
    ) {
        let tree = transaction.tree(name)
        var old: [[UInt8]] = []
        var new: [(key: [UInt8], value: [UInt8])] = []
        tree.scan(from: from, upTo: upTo) { bytes, value in
            guard let number: UInt32 = Layout.number(bytes, at: offset), Int(number) == plan.number,
                let column: UInt32 = Layout.number(bytes, at: offset + 4)
            else { return true }
            let moved = newColumn(Int(column))
            if moved == Int(column) { return true }
            var key = Array(bytes)
            old.append(key)
            if let moved {
                key.replaceSubrange(offset + 4..<offset + 8, with: Layout.bytes(UInt32(moved)))
                new.append((key, Array(value)))
            }
            return true
        }
        for key in old { tree.remove(key) }
        for (key, value) in new { tree.put(key, value) }
    }

    private func removeStamps(of column: Int) throws(StoreFailure) {
        let columns = plan.schema.properties.indices
        for (tree, skipped) in [(Layout.stamps, 0), (Layout.births, MemoryLayout<UInt64>.size)] {
            for (key, value) in entries(of: tree) {
                var stamps = try Self.stamps(in: value, at: skipped, tree)
                stamps.remove(column, of: columns)
                var writer = ByteWriter()
                writer.write(raw: Array(value[..<skipped]))
                stamps.write(to: &writer)
                transaction.tree(tree).put(key, writer.bytes)
            }
        }
    }

    /// The greatest life of any object of the class, deleted ones included.
    private func lifeMax() throws(StoreFailure) -> UInt32 {
        var life: UInt32 = 0
        for (tree, skipped) in [(Layout.stamps, 0), (Layout.births, MemoryLayout<UInt64>.size)] {
            for (_, value) in entries(of: tree) {
                life = max(life, try Self.stamps(in: value, at: skipped, tree).life)
            }
        }
        for (_, value) in entries(of: Layout.ends) {
            // A deletion has the number after that of the life it ends.
            let ended = try End.load(encoded: value).life
            life = max(life, ended - min(1, ended))
        }
        return life
    }

    private func entries(of tree: String) -> [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        transaction.tree(tree).scan(from: prefix, upTo: prefixEnd) { key, value in
            entries.append((Array(key), Array(value)))
            return true
        }
        return entries
    }

    private static func stamps(in value: [UInt8], at offset: Int, _ tree: String) throws(StoreFailure) -> ObjectStamps {
        do {
            var reader = ByteReader(Array(value.dropFirst(offset)))
            return try ObjectStamps(from: &reader)
        } catch {
            throw StoreFailure(damaged: tree, error)
        }
    }

    // MARK: - Embedded objects

    /// The rows of embedded objects that are deleted with what is removed, at any depth.
    private func parts() -> Set<Row> {
        var found: Set<Row> = []
        var waiting: [Row] = []
        let table = table(plan.number)
        table.forEachKey { key in
            let row = Row(plan.number, key)
            if let column { waiting += parts(in: column, of: row) } else { waiting += parts(of: row) }
            return true
        }
        while let row = waiting.popLast() {
            guard found.insert(row).inserted else { continue }
            waiting += parts(of: row)
        }
        return found
    }

    private func parts(of row: Row) -> [Row] {
        catalog.parts(of: row, in: transaction) { table($0) }
    }

    private func parts(in column: Int, of row: Row) -> [Row] {
        guard plan.mayHoldParts(column) else { return [] }
        let table = table(plan.number)
        let values =
            plan.schema.properties[column].collection == .none
            ? [table.value(row.key, column)] : table.listValues(row.key, column)
        return values.compactMap { catalog.part($0, plan, column, in: transaction) }
            .filter { self.table($0.classNumber).exists($0.key) }
    }

    private func removeRecords(of parts: Set<Row>) throws(StoreFailure) {
        for row in parts where row.classNumber != plan.number || column != nil {
            let plan = catalog[row.classNumber]
            let table = table(row.classNumber)
            try ObjectStamps.remove(row.classNumber, row.key, in: transaction) { key in
                !parts.contains(Row(row.classNumber, key)) && table.exists(key)
            }
            for (column, _) in plan.parts {
                let place = PartTree.Place(row.classNumber, column, row.key)
                PartTree(in: transaction).remove(place)
                MarkTree(in: transaction).remove(place)
            }
            for column in plan.counterColumns {
                CounterRecord.remove(row.classNumber, column, row.key, in: transaction)
            }
        }
    }

    // MARK: - The tables

    /// - Parameter before: the state that the write began on.
    func removeFromTables(before: Transaction) throws(StoreError) {
        guard let column else { return transaction.removeClass(plan.name) }
        var wanted = plan.schema
        wanted.properties.remove(at: column)
        let others = transaction.schema.classes.filter { !$0.name.isSame(as: plan.name) }
        try transaction.restructure(to: Schema(others + [wanted]), before: before)
    }

    private func table(_ classNumber: Int) -> Table {
        guard let table = transaction.table(catalog[classNumber].name) else {
            preconditionFailure("The class \(catalog[classNumber].name) has a number but no table.")
        }
        return table
    }
}

extension ObjectStamps {
    /// Removes a column, as if the class had never had it.
    fileprivate mutating func remove(_ column: Int, of columns: Range<Int>) {
        func closed(_ numbers: PropertyNumbers) -> PropertyNumbers {
            var result = PropertyNumbers()
            for number in columns where number != column && numbers.contains(number) {
                result.insert(number > column ? number - 1 : number)
            }
            return result
        }
        written = closed(written)
        defaults = closed(defaults)
        later = later.compactMap { entry in
            var entry = entry
            if entry.column == column { return nil }
            if entry.column > column { entry.column -= 1 }
            return entry
        }
    }
}
