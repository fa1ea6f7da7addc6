import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayStore

// Objects that are alive, and what operations make of any object.

extension AccessJudge {
    /// Judges an operation by the rules of the object before it; nil when it is permitted.
    func touching(
        _ object: JudgedObject, _ rules: BoundRules.OfClass, _ operation: Operation, _ column: Int?
    ) -> StoreFailure? {
        if case .delete = operation {
            return holds(.delete, object) ? nil : Self.refusal("delete", object.plan)
        }
        guard holds(.write, object) else { return Self.refusal("change", object.plan) }
        if rules.writable.isEmpty { return nil }
        for column in column.map({ [$0] }) ?? operation.columns(object.plan) where !holds(.property(column), object) {
            return Self.refusal("set", object.plan, column)
        }
        return nil
    }

    /// Judges an operation by the rules of the object after it; nil when it is permitted.
    func changing(
        _ object: JudgedObject, _ rules: BoundRules.OfClass, _ operation: Operation, _ column: Int?
    ) throws(StoreFailure) -> StoreFailure? {
        // Taken out of the object, so that nothing of it is copied when it grows.
        let known = object.draft.take()
        let isFirst = known == nil
        var draft = known ?? ObjectDraft(isNew: false)
        let mark = draft.mark(before: column)
        let effect = try draw(operation, column, into: &draft, object)
        guard effect != .newLife || holds(.delete, object) else {
            draft.takeBack(to: mark)
            object.draft = isFirst ? nil : draft
            return Self.refusal("replace", object.plan)
        }
        object.draft = draft
        // An operation without effect makes nothing, and a deleted object is nothing.
        if effect == .none || effect == .end { return nil }
        if isPermitted(object, isNew: draft.isNew, rules) { return nil }
        object.draft = nil
        draft.takeBack(to: mark)
        object.draft = isFirst ? nil : draft
        return Self.goneTooFar(object.plan)
    }

    /// Judges operations that stand or fall together by the object after them. These are all edits of its texts, which
    /// come after its other changes, and all operations once too many elements were read.
    func changingTogether(_ object: JudgedObject, _ verdicts: inout Verdicts) throws(StoreFailure) {
        guard let rules = object.rules else { return }
        let draft = object.draft
        var next = draft ?? ObjectDraft(isNew: false)
        var failure: StoreFailure?
        for index in object.together {
            let effect = try draw(operations[index], step(index).column, into: &next, object)
            if effect == .newLife, !holds(.delete, object) { failure = Self.refusal("replace", object.plan) }
        }
        object.draft = next
        if failure == nil {
            if let lives = next.lives, !lives.isAlive { return }
            if isPermitted(object, isNew: next.isNew, rules) { return }
        }
        object.draft = draft
        let told = told(failure ?? Self.goneTooFar(object.plan), of: object)
        for index in object.together { verdicts.refuse(index, told) }
    }

    private func isPermitted(_ object: JudgedObject, isNew: Bool, _ rules: BoundRules.OfClass) -> Bool {
        let after = JudgedRow(judge: self, object: object, moment: .after)
        return meets(rules.write, after) && (!isNew || meets(rules.create, after))
    }

    private static func goneTooFar(_ plan: ClassPlan) -> StoreFailure {
        StoreFailure(
            .permissionDenied,
            "The change would make a “\(plan.name)” of the object that this user may not change. Leave what decides "
                + "about it, or ask the operator for the permission.")
    }
}

extension AccessJudge {
    /// The effect of an operation, as far as the lives of its object decide it.
    enum Effect {
        case none
        case change
        case newLife
        case end
    }

    /// - Parameter column: the one that the operation is about, unless it is a create or a delete.
    func draw(
        _ operation: Operation, _ column: Int?, into draft: inout ObjectDraft, _ object: JudgedObject
    ) throws(StoreFailure) -> Effect {
        // One-way objects have neither lives nor stamps: replacing one is a write.
        guard object.plan.schema.kind == .object, operation.isAboutLife else {
            if let lives = draft.lives, !lives.isAlive { return .none }
            return try take(operation, column, into: &draft, object) ? .change : .none
        }
        let before: Lives
        if let lives = draft.lives { before = lives } else { before = Lives(try record(of: object)) }
        var lives = before
        let hasEffect = try lives.join(operation, base: changeset.seen(operation.target), in: merging)
        draft.lives = lives
        guard hasEffect else {
            // The delete wins. The create of an object that is not here is judged all the same.
            if draft.isNew, !lives.isAlive { _ = try take(operation, column, into: &draft, object) }
            return .none
        }
        guard lives.isAlive else { return .end }
        let isNewLife = lives.life > before.life
        // Nothing of an earlier life remains.
        if isNewLife { draft.begin() }
        _ = try take(operation, column, into: &draft, object)
        return isNewLife ? .newLife : .change
    }

    /// Takes what merging will keep: a value that loses to the one in the record decides nothing.
    ///
    /// A create of the same changeset makes the object at least as old as what follows it there (RULES.md, O2).
    ///
    /// - Returns: false when the operation is older than the object that it is about.
    private func take(
        _ operation: Operation, _ column: Int?, into draft: inout ObjectDraft, _ object: JudgedObject
    ) throws(StoreFailure) -> Bool {
        let plan = object.plan
        guard plan.schema.kind != .asymmetric, !draft.isNew else {
            draft.take(operation, column, plan) { _, _ in false }
            return true
        }
        let record = try record(of: object)
        if !operation.isAboutLife, !draft.isCreated, changeset.stamp < record.state.born { return false }
        draft.take(operation, column, plan) { field, column in
            let (standing, isDefault) = record.standing(of: column)
            return field.isDefault == isDefault ? changeset.stamp < standing : field.isDefault
        }
        return true
    }

    /// The object as the changesets before this one have left it. Merging continues with what was loaded here.
    private func record(of object: JudgedObject) throws(StoreFailure) -> WorkingObject {
        if let known = object.record { return known }
        let record = try merging.prepared(object.name)
        object.record = record
        return record
    }
}
