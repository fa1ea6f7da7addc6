import CausewayModel
import CausewayObjectStore

/// One change of a write that can be taken back.
enum UndoableChange {
    /// One value, such as a string, a number or a link.
    case value(UndoRow, column: Int, before: Value, after: Value)
    case addition(UndoRow, column: Int, Int64)
    /// Of a list or a text.
    case part(UndoRow, UndoPart, UndoPartChange)
    /// Of a set or a map.
    case keyed(UndoRow, column: Int, [KeyedChange])

    var row: UndoRow {
        switch self {
        case .value(let row, _, _, _), .addition(let row, _, _), .part(let row, _, _), .keyed(let row, _, _): row
        }
    }
}

/// What a write did to a list or text, by the names of the elements.
struct UndoPartChange {
    /// Elements that a write removed, with what they were.
    struct Removal {
        enum Content {
            case values([Value])
            case text(String)
        }

        var names: Range<Int>
        var content: Content
    }

    /// Ascending.
    var inserted: [Range<Int>] = []
    /// Ascending by names.
    var removed: [Removal] = []
    /// Their names are in `removed` and `inserted`, too.
    var exchanges: [UndoExchange] = []

    var isEmpty: Bool { inserted.isEmpty && removed.isEmpty }

    /// All names that it mentions, in no order.
    var names: [Range<Int>] { inserted + removed.map(\.names) }

    func removal(of name: Int) -> (removal: Removal, index: Int)? {
        var (low, high) = (0, removed.count)
        while low < high {
            let middle = (low + high) / 2
            if removed[middle].names.upperBound <= name { low = middle + 1 } else { high = middle }
        }
        guard low < removed.count, removed[low].names.contains(name) else { return nil }
        return (removed[low], name - removed[low].names.lowerBound)
    }
}

/// What a row held before a write deleted it.
struct UndoRowContent {
    enum Content {
        case value(Value)
        /// Of a list or a set.
        case elements([Value])
        case entries([(key: String, value: Value)])
    }

    let row: UndoRow
    /// By column.
    let contents: [Content]

    /// Nil if it takes more than is left of a budget.
    ///
    /// - Parameter key: the one that the row had in the table.
    init?(_ row: UndoRow, key: ObjectKey, of table: Table, _ budget: inout UndoBudget) {
        self.row = row
        var contents: [Content] = []
        for (column, property) in table.schema.properties.enumerated() {
            switch property.collection {
            case .none:
                let value = table.value(key, column)
                budget.take(value.undoBytes)
                contents.append(.value(value))
            case .list, .set:
                contents.append(.elements(table.values(key, column, in: 0..<table.listCount(key, column), &budget)))
            case .map:
                let values = table.values(key, column, in: 0..<table.listCount(key, column), &budget)
                let names = Table.keys(of: column)
                let keys = table.values(key, names, in: 0..<table.listCount(key, names), &budget)
                contents.append(
                    .entries(
                        zip(keys, values).map { name, value in
                            if case .string(let name) = name { (name, value) } else { ("", value) }
                        }))
            }
            if budget.isOverdrawn { return nil }
        }
        budget.take(64)
        self.contents = contents
    }
}

/// How many bytes a step may still take.
struct UndoBudget {
    private(set) var left: Int

    init(_ bytes: Int) {
        left = bytes
    }

    var isOverdrawn: Bool { left < 0 }

    mutating func take(_ bytes: Int) { left -= bytes }
}

extension Table {
    /// Some elements, as far as a budget reaches.
    func values(_ key: ObjectKey, _ column: Int, in places: Range<Int>, _ budget: inout UndoBudget) -> [Value] {
        var values: [Value] = []
        for place in places {
            if budget.isOverdrawn { break }
            let value = listValue(key, column, place)
            budget.take(value.undoBytes)
            values.append(value)
        }
        return values
    }
}

/// A row by its class and key.
struct UndoRowName: Hashable {
    var className: String
    var key: ObjectKey
}

/// What one write did.
struct UndoableWrite {
    /// The commit that it became.
    var version: UInt64 = 0
    /// Rows that it made, also those of embedded objects and of collections in mixed values.
    var created: [UndoRow] = []
    /// Rows that it deleted, the same.
    var deleted: [UndoRowName: UndoRowContent] = [:]
    var changes: [UndoableChange] = []
    /// Why it cannot be taken back; nil if it can.
    var problem: String?
    /// How many rows it made, changed and deleted.
    var rows = 0
    /// Roughly what it takes in memory.
    var bytes = 0

    var isEmpty: Bool { created.isEmpty && deleted.isEmpty && changes.isEmpty && problem == nil }
}

/// What undo takes back at once.
struct UndoStep {
    var name: String?
    /// In the order in which they committed.
    private(set) var writes: [UndoableWrite] = []
    /// How many rows all writes made, changed and deleted.
    private(set) var rows = 0
    /// Roughly what it takes in memory.
    private(set) var bytes = 0

    init(name: String?) {
        self.name = name
    }

    mutating func append(_ write: UndoableWrite) {
        writes.append(write)
        rows += write.rows
        bytes += write.bytes
    }

    mutating func removeAll() {
        self = UndoStep(name: name)
    }
}

extension KeyedChange {
    var undoBytes: Int { key.undoBytes + (before?.undoBytes ?? 0) + (after?.undoBytes ?? 0) }
}

extension Value {
    var undoBytes: Int {
        switch self {
        case .string(let text): 40 + text.utf8.count
        case .bytes(let bytes): 40 + bytes.count
        default: 40
        }
    }
}
