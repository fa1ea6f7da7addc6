import CausewayModel
import CausewayObjectStore

/// One change of a write that can be taken back.
enum UndoableChange {
    /// One value, such as a string, a number or a link.
    case value(UndoRow, column: Int, before: Value, after: Value)
    case addition(UndoRow, column: Int, Int64)
    case part(UndoRow, UndoPart, UndoPartChange)
}

/// What a write did to a list, set, map or text, by the names of the elements.
struct UndoPartChange {
    /// Elements that a write removed, with what they were.
    struct Removal {
        enum Content {
            case values([Value])
            case entries([(key: String, value: Value)])
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

    init(_ row: UndoRow, of table: Table) {
        self.row = row
        let key = row.key
        contents = table.schema.properties.enumerated().map { column, property in
            switch property.collection {
            case .none: .value(table.value(key, column))
            case .list, .set: .elements(table.listValues(key, column))
            case .map: .entries(Array(zip(table.mapKeys(key, column), table.listValues(key, column))))
            }
        }
    }

    /// Roughly what it takes in memory.
    var bytes: Int {
        contents.reduce(64) { sum, content in
            switch content {
            case .value(let value): sum + value.undoBytes
            case .elements(let values): values.reduce(sum) { $0 + $1.undoBytes }
            case .entries(let entries): entries.reduce(sum) { $0 + $1.key.utf8.count + $1.value.undoBytes }
            }
        }
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
    /// Roughly what it takes in memory.
    var bytes = 0

    var isEmpty: Bool { created.isEmpty && deleted.isEmpty && changes.isEmpty && problem == nil }
}

/// What undo takes back at once.
struct UndoStep {
    var name: String?
    /// In the order in which they committed.
    var writes: [UndoableWrite] = []

    var bytes: Int { writes.reduce(0) { $0 + $1.bytes } }
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
