import CausewayModel
import CausewayObjectStore

/// One change of a write that can be undone, with what is needed to notice that others have changed the same since.
enum UndoableChange {
    case created(UndoTarget)
    case deleted(UndoTarget)
    /// One value, such as a string, a number or a link.
    case value(UndoTarget, property: String, before: Value, after: Value)
    case addition(UndoTarget, property: String, Int64)
    case list(UndoTarget, property: String, SequenceChange<Value>)
    case text(UndoTarget, property: String, SequenceChange<Unicode.Scalar>)
    case set(UndoTarget, property: String, added: [Value], removed: [Value])
    case entry(UndoTarget, property: String, key: String, before: Value?, after: Value?)
}

/// A row, as it was named when the write committed.
struct UndoTarget: Hashable {
    var className: String
    var key: ObjectKey
}

/// What a row held before it was deleted.
struct UndoRow {
    enum Content {
        case value(Value)
        /// Of a list or a set.
        case elements([Value])
        case entries([(key: String, value: Value)])
    }

    /// By property names.
    var contents: [String: Content]

    init(_ key: ObjectKey, of table: Table) {
        contents = [:]
        for (column, property) in table.schema.properties.enumerated() where !property.isPrimaryKey {
            contents[property.name] =
                switch property.collection {
                case .none: .value(table.value(key, column))
                case .list, .set: .elements(table.listValues(key, column))
                case .map: .entries(Array(zip(table.mapKeys(key, column), table.listValues(key, column))))
                }
        }
    }
}

/// What undo takes back in one step.
struct UndoStep {
    var name: String?
    /// In the order in which the writes made them. Those of one write have no order.
    var writes: [[UndoableChange]] = []
    /// The deleted rows, also those of embedded objects and of collections in mixed values.
    var rows: [UndoTarget: UndoRow] = [:]
    /// The primary keys of everything that the changes name.
    var primaryKeys: [UndoTarget: PrimaryKey] = [:]

    var isEmpty: Bool { writes.allSatisfy(\.isEmpty) }
}
