import CausewayOperations
import CausewayQuery
import CausewayStore

// Objects that are created.

extension AccessJudge {
    /// A new object is judged as the whole changeset makes it, its collections too.
    func making(_ object: JudgedObject, _ verdicts: inout Verdicts) throws(StoreFailure) {
        let (plan, indices) = (object.plan, object.made)
        guard let rules = object.rules, indices.contains(where: { operations[$0].isCreate }) else { return }
        while true {
            var draft = ObjectDraft(isNew: true)
            for index in indices where !verdicts.isRefused(index) {
                _ = try draw(operations[index], step(index).column, into: &draft, object)
            }
            object.draft = draft
            let made = JudgedRow(judge: self, object: object, moment: .after)
            guard meets(rules.create, made) else {
                return refuseCreates(indices, Self.refusal("create", plan), &verdicts)
            }
            if rules.writable.isEmpty { return }
            // A refusal changes what is judged: judge once more without it. Within a round a property has one answer.
            var isSettled = true
            var answers: [Int: Bool] = [:]
            for index in indices where !verdicts.isRefused(index) {
                for column in operations[index].columns(plan, withoutZeros: true) {
                    guard let rule = rules.writable[column] else { continue }
                    let answer = answers[column] ?? meets(rule, made)
                    answers[column] = answer
                    if answer { continue }
                    // Where objects may be hidden, the answer is the same as for a hidden object with this key.
                    let isOpen = rules.read == .constant(true) || !operations[index].isCreate
                    let failure = isOpen ? Self.refusal("set", plan, column) : Self.refusal("create", plan)
                    if operations[index].isCreate { return refuseCreates(indices, failure, &verdicts) }
                    verdicts.refuse(index, failure)
                    isSettled = false
                }
            }
            if isSettled { return }
        }
    }

    private func refuseCreates(_ indices: [Int], _ failure: StoreFailure, _ verdicts: inout Verdicts) {
        for index in indices where operations[index].isCreate { verdicts.refuse(index, failure) }
    }
}
