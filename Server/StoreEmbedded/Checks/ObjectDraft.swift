import CausewayModel
import CausewayOperations

/// What the operations of a changeset make of one object, as far as rules can ask.
///
/// Elements that are removed from a collection count as still there: a rule about them is answered as before.
struct ObjectDraft {
    /// Whether nothing of this life is in the record.
    private(set) var isNew: Bool
    /// Whether the changeset has a create of it.
    private(set) var isCreated = false
    /// How far its lives have come; nil while no operation was about them.
    var lives: Lives?
    private var fields: [Int: FieldValue] = [:]
    /// For counters: what is added to the value above, or to the one in the record.
    private var sums: [Int: Int64] = [:]
    private var elements: [Int: [Value]] = [:]
    private var keys: [Int: [Value]] = [:]
    private var edits: [Int: [TextOperation]] = [:]

    init(isNew: Bool) {
        self.isNew = isNew
    }

    /// What an operation may change in a draft, so that it can be taken back without a copy of everything gathered.
    enum Mark {
        /// Before a create or a delete.
        case whole(ObjectDraft)
        /// Before another operation, which is about one column.
        case column(Int, field: FieldValue?, sum: Int64?, elements: Int?, keys: Int?, edits: Int?)
    }

    /// - Parameter column: the one that the operation is about; nil for a create or a delete.
    func mark(before column: Int?) -> Mark {
        guard let column else { return .whole(self) }
        return .column(
            column, field: fields[column], sum: sums[column], elements: elements[column]?.count,
            keys: keys[column]?.count, edits: edits[column]?.count)
    }

    mutating func takeBack(to mark: Mark) {
        switch mark {
        case .whole(let draft):
            self = draft
        case .column(let column, let field, let sum, let elementCount, let keyCount, let editCount):
            fields[column] = field
            sums[column] = sum
            Self.cut(&elements, column, to: elementCount)
            Self.cut(&keys, column, to: keyCount)
            Self.cut(&edits, column, to: editCount)
        }
    }

    private static func cut<Element>(_ gathered: inout [Int: [Element]], _ column: Int, to count: Int?) {
        guard let count else { return gathered[column] = nil }
        if let more = gathered[column]?.count { gathered[column]?.removeLast(more - count) }
    }

    /// Begins another life.
    mutating func begin() {
        isNew = true
        fields = [:]
        sums = [:]
        elements = [:]
        keys = [:]
        edits = [:]
    }

    /// Adds an operation to the draft.
    ///
    /// - Parameters:
    ///   - column: the one that the operation is about; nil for a create or a delete.
    ///   - loses: whether what the record holds in a column is stronger.
    mutating func take(
        _ operation: Operation, _ column: Int?, _ plan: ClassPlan, where loses: (FieldValue, Int) -> Bool
    ) {
        if case .create(_, _, let fields) = operation {
            isCreated = true
            for field in fields {
                if let column = plan.columns[field.property] { take(field, column, loses) }
            }
            return
        }
        guard let column else { return }
        switch operation {
        case .set(_, let field): take(field, column, loses)
        case .add(_, _, let addition): sums[column, default: 0] &+= addition.amount
        case .list(_, _, .insert(_, _, _, let value)), .list(_, _, .set(_, let value)):
            elements[column, default: []].append(value)
        case .keyed(_, _, .put(let key, let value)):
            let isMap = plan.schema.properties[column].collection == .map
            elements[column, default: []].append(isMap ? value : key)
            if isMap { keys[column, default: []].append(key) }
        case .text(_, _, let edit): edits[column, default: []].append(edit)
        case .create, .delete, .list, .keyed: break
        }
    }

    private mutating func take(_ field: FieldValue, _ column: Int, _ loses: (FieldValue, Int) -> Bool) {
        if let taken = fields[column] {
            // Both are of one changeset, so of one stamp.
            if field.isDefault, !taken.isDefault { return }
        } else if !isNew, loses(field, column) {
            return
        }
        fields[column] = field
        sums[column] = nil
    }

    /// What a column holds, where `recorded` is what the record holds.
    func value(of column: Int, recorded: () -> Value) -> Value {
        let value = fields[column]?.value ?? recorded()
        guard let sum = sums[column], case .int(let number) = value else { return value }
        return .int(number &+ sum)
    }

    /// The edits of a text.
    func edits(of column: Int) -> [TextOperation]? { edits[column] }

    func added(to column: Int, keys areKeys: Bool) -> [Value] {
        (areKeys ? keys[column] : elements[column]) ?? []
    }
}
