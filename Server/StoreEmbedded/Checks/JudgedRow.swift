import CausewayModel
import CausewayObjectStore
import CausewayQuery
import CausewayStore

/// An object as a rule sees it.
struct JudgedRow: RowSource {
    let judge: AccessJudge
    let object: JudgedObject
    let moment: Moment

    enum Moment {
        case before
        /// After what was judged of the changeset so far.
        case after
        /// For an object that a link of the judged one leads to: after all of the changeset.
        case afterAll
    }

    private var draft: ObjectDraft? {
        switch moment {
        case .before: nil
        case .after: object.draft
        case .afterAll: object.outcome
        }
    }

    func value(of property: Int, in className: String) -> Value {
        let plan = object.plan
        guard plan.name.isSame(as: className), plan.schema.properties.indices.contains(property) else { return .null }
        if property == plan.primaryKey { return object.name.key.value ?? .null }
        guard let draft else { return recorded(property, plan) }
        if let edits = draft.edits(of: property) { return judge.text(property, of: object, isNew: draft.isNew, edits) }
        return draft.value(of: property) { draft.isNew ? plan.zeroRow[property] : recorded(property, plan) }
    }

    private func recorded(_ property: Int, _ plan: ClassPlan) -> Value {
        guard let key = object.row else { return plan.zeroRow[property] }
        return judge.merging.linked(judge.merging.table(plan.number).value(key, property), plan, property)
    }

    func elements(of number: Int, in className: String) -> [Value] {
        let plan = object.plan
        // The complement of a property's number stands for the keys of a map.
        let areKeys = number < 0
        let column = areKeys ? ~number : number
        guard plan.name.isSame(as: className), plan.schema.properties.indices.contains(column) else { return [] }
        let added = draft?.added(to: column, keys: areKeys) ?? []
        judge.elementsRead += added.count
        guard draft?.isNew != true, let key = object.row else { return added }
        let table = judge.merging.table(plan.number)
        let recorded =
            areKeys
            ? table.mapKeys(key, column).map(Value.string)
            : table.listValues(key, column).map { judge.merging.linked($0, plan, column) }
        judge.elementsRead += recorded.count
        return recorded + added
    }

    func object(at link: Value, in target: String) -> JudgedRow? {
        guard case .link(let key) = link, let number = judge.merging.catalog.number(target) else { return nil }
        let linked = judge.linked(ObjectName(number, key))
        if moment == .before {
            return linked.row.map { _ in JudgedRow(judge: judge, object: linked, moment: .before) }
        }
        return judge.existsAfterAll(linked) ? JudgedRow(judge: judge, object: linked, moment: .afterAll) : nil
    }
}
