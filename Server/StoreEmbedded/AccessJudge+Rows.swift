import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayStore

/// What the operations of a changeset make of one object, as far as rules can ask.
///
/// What they take out of a collection counts as still there: a rule that asks for it is then answered as before.
struct Draft {
    /// Nothing of this life is in the record.
    private(set) var isNew: Bool
    /// The changeset has a create of it.
    private(set) var isCreated = false
    /// How far its lives have come; nil while no operation was about them.
    var lives: Lives?
    private var fields: [Int: FieldValue] = [:]
    /// Of counters: what is added to the value above, or to that in the record.
    private var sums: [Int: Int64] = [:]
    private var elements: [Int: [Value]] = [:]
    private var keys: [Int: [Value]] = [:]
    private var edits: [Int: [TextOperation]] = [:]

    init(isNew: Bool) {
        self.isNew = isNew
    }

    /// What an operation may change of a draft, so that it can be taken back without a copy of all that was gathered.
    enum Mark {
        /// Before a create or a delete.
        case whole(Draft)
        /// Before another operation, which is about one column.
        case column(Int, field: FieldValue?, sum: Int64?, elements: Int?, keys: Int?, edits: Int?)
    }

    func mark(before operation: Operation, _ plan: ClassPlan) -> Mark {
        guard !operation.isAboutLife, let column = operation.columns(plan).first else { return .whole(self) }
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

    /// Another life begins.
    mutating func begin() {
        isNew = true
        fields = [:]
        sums = [:]
        elements = [:]
        keys = [:]
        edits = [:]
    }

    /// - Parameter loses: whether what the record holds in a column is stronger.
    mutating func take(_ operation: Operation, _ plan: ClassPlan, where loses: (FieldValue, Int) -> Bool) {
        switch operation {
        case .create(_, _, let fields):
            isCreated = true
            for field in fields { take(field, plan, loses) }
        case .set(_, let field): take(field, plan, loses)
        case .add(_, let property, let addition):
            if let column = plan.columns[property] { sums[column, default: 0] &+= addition.amount }
        case .list(_, let property, .insert(_, _, _, let value)), .list(_, let property, .set(_, let value)):
            if let column = plan.columns[property] { elements[column, default: []].append(value) }
        case .keyed(_, let property, .put(let key, let value)):
            guard let column = plan.columns[property] else { return }
            let isMap = plan.schema.properties[column].collection == .map
            elements[column, default: []].append(isMap ? value : key)
            if isMap { keys[column, default: []].append(key) }
        case .text(_, let property, let edit):
            if let column = plan.columns[property] { edits[column, default: []].append(edit) }
        case .delete, .list, .keyed: break
        }
    }

    private mutating func take(_ field: FieldValue, _ plan: ClassPlan, _ loses: (FieldValue, Int) -> Bool) {
        guard let column = plan.columns[field.property] else { return }
        if let taken = fields[column] {
            // Of one changeset, so of one stamp.
            if field.isDefault, !taken.isDefault { return }
        } else if !isNew, loses(field, column) {
            return
        }
        fields[column] = field
        sums[column] = nil
    }

    /// What a column holds, if the record holds this.
    func value(of column: Int, recorded: () -> Value) -> Value {
        let value = fields[column]?.value ?? recorded()
        guard let sum = sums[column], case .int(let number) = value else { return value }
        return .int(number &+ sum)
    }

    /// Of a text.
    func edits(of column: Int) -> [TextOperation]? { edits[column] }

    func added(to column: Int, keys areKeys: Bool) -> [Value] {
        (areKeys ? keys[column] : elements[column]) ?? []
    }
}

/// An object as a rule sees it.
struct JudgedRow: RowSource {
    let judge: AccessJudge
    let name: ObjectName
    let moment: Moment

    enum Moment {
        case before
        /// As far as the changeset was judged.
        case after
        /// Of an object that a link of the judged one leads to: when all of the changeset has had its effect.
        case afterAll
    }

    private var draft: Draft? { judge.draft(of: name, moment) }

    func value(of property: Int, in className: String) -> Value {
        let plan = judge.merging.catalog[name.classNumber]
        guard plan.name.isSame(as: className), plan.schema.properties.indices.contains(property) else { return .null }
        if property == plan.primaryKey { return name.key.value ?? .null }
        guard let draft else { return recorded(property, plan) }
        if let edits = draft.edits(of: property) { return judge.text(property, of: name, isNew: draft.isNew, edits) }
        return draft.value(of: property) { draft.isNew ? plan.zeroRow[property] : recorded(property, plan) }
    }

    private func recorded(_ property: Int, _ plan: ClassPlan) -> Value {
        guard let key = judge.row(name) else { return plan.zeroRow[property] }
        return judge.merging.linked(judge.merging.table(name.classNumber).value(key, property), plan, property)
    }

    func elements(of number: Int, in className: String) -> [Value] {
        let plan = judge.merging.catalog[name.classNumber]
        // The complement of a property's number stands for the keys of a map.
        let areKeys = number < 0
        let column = areKeys ? ~number : number
        guard plan.name.isSame(as: className), plan.schema.properties.indices.contains(column) else { return [] }
        let added = draft?.added(to: column, keys: areKeys) ?? []
        judge.elementsRead += added.count
        guard draft?.isNew != true, let key = judge.row(name) else { return added }
        let table = judge.merging.table(name.classNumber)
        let recorded =
            areKeys
            ? table.mapKeys(key, column).map(Value.string)
            : table.listValues(key, column).map { judge.merging.linked($0, plan, column) }
        judge.elementsRead += recorded.count
        return recorded + added
    }

    func object(at link: Value, in target: String) -> JudgedRow? {
        guard case .link(let key) = link, let number = judge.merging.catalog.number(target) else { return nil }
        let object = ObjectName(number, key)
        if moment == .before {
            return judge.row(object).map { _ in JudgedRow(judge: judge, name: object, moment: .before) }
        }
        return judge.existsAfterAll(object) ? JudgedRow(judge: judge, name: object, moment: .afterAll) : nil
    }
}

extension Operation {
    var isCreate: Bool {
        if case .create = self { true } else { false }
    }

    var isOfText: Bool {
        if case .text = self { true } else { false }
    }

    /// A create or a delete.
    var isAboutLife: Bool {
        switch self {
        case .create, .delete: true
        case .set, .list, .keyed, .add, .text: false
        }
    }

    /// The columns it writes, without the primary key.
    ///
    /// - Parameter withoutZeros: whether what a new object holds anyway does not count.
    func columns(_ plan: ClassPlan, withoutZeros: Bool = false) -> [Int] {
        switch self {
        case .create(_, _, let fields):
            fields.compactMap { field in
                guard let column = plan.columns[field.property], column != plan.primaryKey else { return nil }
                return withoutZeros && field.value == plan.zeroRow[column] ? nil : column
            }
        case .set(_, let field): [plan.columns[field.property]].compactMap { $0 }
        case .list(_, let property, _), .keyed(_, let property, _), .add(_, let property, _),
            .text(_, let property, _):
            [plan.columns[property]].compactMap { $0 }
        case .delete: []
        }
    }

    /// The values it puts somewhere, by column.
    func values(_ plan: ClassPlan) -> [(column: Int, value: Value)] {
        let named: [(String, Value)] =
            switch self {
            case .create(_, _, let fields): fields.map { ($0.property, $0.value) }
            case .set(_, let field): [(field.property, field.value)]
            case .list(_, let property, .insert(_, _, _, let value)), .list(_, let property, .set(_, let value)):
                [(property, value)]
            case .keyed(_, let property, .put(_, let value)): [(property, value)]
            case .delete, .list, .keyed, .add, .text: []
            }
        return named.compactMap { name, value in plan.columns[name].map { ($0, value) } }
    }
}
