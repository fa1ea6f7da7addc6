import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayStore

/// Holds the operations of one changeset against what its writer may do, before any of them is applied.
///
/// *Before* is the object as the server has it when the changeset comes; *after* is what the accepted operations of the
/// changeset make of it (`Draft`).
///
///     operation                         before                                after
///     create of what is not alive       -                                     create; its properties' write
///     create of what is alive           write; its properties' write          write
///     create of a further life          also delete                           also create
///     set, add, text, list, set, map    write; the property's write           write
///     delete                            delete                                -
///     what follows a further life       as above                              also create
///     anything on an embedded object    write of the object it is part of     -
///                                       and of the property that holds it
///
/// Which create makes a life, and which is a change of what is alive, follows the lives of the object operation by
/// operation, as merging will (`Lives`): a delete that comes before it in the changeset counts, and what the server
/// has forgotten.
///
/// Nobody takes what belongs to somebody else by holding it: a value that names an embedded object which another object
/// holds, or another property, is refused.
///
/// Of an object that its writer may not read, a refusal says what it would say if the object were not there.
///
/// What depends on a refused operation is refused with it, which is for `Verdicts` to see to.
///
/// A rule that looks through a link sees the other object as the operations that are not refused leave it. What is refused
/// changes what is seen, so all is judged again without it, until nothing more is refused. That may take as many passes as
/// there are operations, and they are bounded: in the last one nothing is permitted by what it sees of an object that the
/// changeset is about.
///
/// A rule that asks for the elements of a collection reads all of them for each operation. Once a pass has read
/// `elementsMax` of them, what is left of each object's operations is judged at once, and stands or falls together.
final class AccessJudge {
    let merging: Merging
    let rules: BoundRules
    private let operations: [Operation]
    /// Says what the writer had seen, and when it wrote.
    private let changeset: Changeset
    private let concealment: Concealment?
    /// What the changeset has creates of.
    private lazy var creates = Set(operations.lazy.filter(\.isCreate).map(\.target))
    private var records: [ObjectName: WorkingObject] = [:]
    private var drafts: [ObjectName: Draft] = [:]
    /// What this changeset gives embedded objects as their place.
    private var places: [ObjectName: Place] = [:]
    private var known: [Question: Bool] = [:]

    // Of one pass.
    private var isLastPass = false
    /// What was refused when it began.
    private var standing = Verdicts()
    /// What all that was not refused then makes of its objects; made when a rule first looks through a link.
    private var outcomes: [ObjectName: Draft]?
    /// Whether a rule saw one of them, since a judgement began and since the pass did.
    private var sees = false
    private var hasSeen = false
    /// How many elements of collections the pass has read for rules.
    var elementsRead = 0
    private let elementsMax: Int
    /// Rows cannot throw: what they met is thrown at the end of the pass.
    private var failure: StoreFailure?

    /// A refusal rarely takes another with it, and that hardly ever a third.
    static let passesMax = 8
    /// So many operations are judged once more, in all passes after the first together; one pass more there always is.
    static let judgedAgainMax = 4_000

    private var passes: Int { 1 + min(max(Self.judgedAgainMax / max(operations.count, 1), 1), Self.passesMax - 1) }

    struct Place: Hashable {
        var holder: ObjectName
        var column: Int
    }

    private struct Question: Hashable {
        var name: ObjectName
        var rule: BoundPredicate
    }

    /// Nil when there is nothing to refuse.
    init?(
        _ permissions: Permissions?, _ merging: Merging, _ operations: [Operation], of changeset: Changeset,
        _ concealment: Concealment?, elementsMax: Int
    ) {
        guard let rules = Self.rules(permissions, merging) else { return nil }
        self.merging = merging
        self.rules = rules
        self.operations = operations
        self.changeset = changeset
        self.concealment = concealment
        self.elementsMax = elementsMax
    }

    /// Nil when there is nothing to refuse.
    static func rules(_ permissions: Permissions?, _ merging: Merging) -> BoundRules? {
        guard let permissions else { return nil }
        let rules = permissions.bound(in: merging.catalog.schema)
        // Whoever may read everything learns nothing from what they hold.
        return !rules.permitsAllWrites || permissions.fingerprint != 0 ? rules : nil
    }

    func judge(_ verdicts: inout Verdicts) throws(StoreFailure) {
        for pass in 1...passes {
            if !verdicts.isEmpty { verdicts.spread(over: operations) }
            standing = verdicts
            isLastPass = pass == passes
            drafts = [:]
            places = [:]
            outcomes = nil
            hasSeen = false
            elementsRead = 0
            try judgeOnce(&verdicts)
            if let failure { throw failure }
            if !hasSeen || verdicts.count == standing.count { return }
        }
    }

    private func judgeOnce(_ verdicts: inout Verdicts) throws(StoreFailure) {
        var gathered: [ObjectName: [Int]] = [:]
        var created: [ObjectName: [Int]] = [:]
        var embedded: [Int] = []
        for (index, operation) in operations.enumerated() where !verdicts.isRefused(index) {
            guard let plan = merging.catalog[operation.target.className] else { continue }
            let name = ObjectName(plan.number, operation.target.key)
            if let failure = taking(operation, plan, by: name) {
                verdicts.refuse(index, told(failure, of: name))
                continue
            }
            guard plan.schema.kind != .embedded, let rules = rules[plan.name] else {
                embedded.append(index)
                continue
            }
            if row(name) != nil {
                if let failure = touching(name, plan, rules, operation) {
                    verdicts.refuse(index, told(failure, of: name))
                } else if operation.isOfText || elementsRead > elementsMax {
                    gathered[name, default: []].append(index)
                } else if let failure = try changing(name, plan, rules, operation) {
                    verdicts.refuse(index, told(failure, of: name))
                }
            } else if created[name] != nil || operation.isAboutLife {
                created[name, default: []].append(index)
            }
        }
        for (name, indices) in gathered.sorted(by: { $0.key < $1.key }) { try changing(name, indices, &verdicts) }
        for (name, indices) in created.sorted(by: { $0.key < $1.key }) { try making(name, indices, &verdicts) }
        // All that get a place have it now, so that what was found for one holds for those in it.
        var ascent = Ascent<Part>()
        for index in embedded {
            if let failure = changingPart(operations[index], &ascent) { verdicts.refuse(index, failure) }
        }
    }

    /// What the writer hears of a refusal: of an object that they may not read what they would hear if it were not there.
    private func told(_ failure: StoreFailure, of name: ObjectName) -> StoreFailure {
        let plan = merging.catalog[name.classNumber]
        guard let key = row(name) else { return failure }
        let isReadable =
            if let rules = rules[plan.name] { holds(rules.read, name) } else {
                concealment?.isVisible(Row(name.classNumber, key)) ?? true
            }
        if isReadable { return failure }
        return creates.contains(ObjectReference(plan.name, name.key))
            ? Self.refusal("create", plan) : ExistenceCheck.failure(plan, mayHide: true)
    }

    // MARK: - Objects that are alive

    /// What the object before it says of an operation.
    private func touching(
        _ name: ObjectName, _ plan: ClassPlan, _ rules: BoundRules.OfClass, _ operation: Operation
    ) -> StoreFailure? {
        if case .delete = operation {
            guard holds(rules.delete, name) else { return Self.refusal("delete", plan) }
        } else {
            guard holds(rules.write, name) else { return Self.refusal("change", plan) }
        }
        for column in operation.columns(plan) {
            guard let rule = rules.writable[column], !holds(rule, name) else { continue }
            return Self.refusal("set", plan, column)
        }
        return nil
    }

    /// What the object after it says of an operation.
    private func changing(
        _ name: ObjectName, _ plan: ClassPlan, _ rules: BoundRules.OfClass, _ operation: Operation
    ) throws(StoreFailure) -> StoreFailure? {
        // Out of the dictionary, so that nothing of it is copied when it grows.
        let known = drafts.removeValue(forKey: name)
        let isFirst = known == nil
        var draft = known ?? Draft(isNew: false)
        let mark = draft.mark(before: operation, plan)
        let effect = try draw(operation, into: &draft, name, plan)
        guard effect != .newLife || holds(rules.delete, name) else {
            draft.takeBack(to: mark)
            drafts[name] = isFirst ? nil : draft
            return Self.refusal("replace", plan)
        }
        let isNew = draft.isNew
        drafts[name] = draft
        // What has no effect makes nothing, and what is deleted is nothing.
        if effect == .none || effect == .end { return nil }
        if isPermitted(name, isNew: isNew, rules) { return nil }
        drafts[name] = nil
        draft.takeBack(to: mark)
        drafts[name] = isFirst ? nil : draft
        return Self.goneTooFar(plan)
    }

    /// What the object after them says of operations that stand or fall together: all edits of its texts, which come after
    /// its other changes, and whatever there is once too much was read.
    private func changing(
        _ name: ObjectName, _ indices: [Int], _ verdicts: inout Verdicts
    ) throws(StoreFailure) {
        let plan = merging.catalog[name.classNumber]
        guard let rules = rules[plan.name] else { return }
        let draft = drafts[name]
        var next = draft ?? Draft(isNew: false)
        var failure: StoreFailure?
        for index in indices {
            let effect = try draw(operations[index], into: &next, name, plan)
            if effect == .newLife, !holds(rules.delete, name) { failure = Self.refusal("replace", plan) }
        }
        drafts[name] = next
        if failure == nil {
            if let lives = next.lives, !lives.isAlive { return }
            if isPermitted(name, isNew: next.isNew, rules) { return }
        }
        drafts[name] = draft
        let told = told(failure ?? Self.goneTooFar(plan), of: name)
        for index in indices { verdicts.refuse(index, told) }
    }

    private func isPermitted(_ name: ObjectName, isNew: Bool, _ rules: BoundRules.OfClass) -> Bool {
        let after = JudgedRow(judge: self, name: name, moment: .after)
        return meets(rules.write, after) && (!isNew || meets(rules.create, after))
    }

    /// Whether a rule is met afterwards.
    private func meets(_ rule: BoundPredicate, _ row: JudgedRow) -> Bool {
        sees = false
        let answer = rule.matches(row)
        hasSeen = hasSeen || sees
        return answer && !(sees && isLastPass)
    }

    private static func goneTooFar(_ plan: ClassPlan) -> StoreFailure {
        StoreFailure(
            .permissionDenied,
            "The change would make a “\(plan.name)” of the object that this user may not change. Leave what decides "
                + "about it, or ask the operator for the permission.")
    }

    /// What an operation does, as far as the lives of its object decide about that.
    private enum Effect {
        case none
        case change
        case newLife
        case end
    }

    private func draw(
        _ operation: Operation, into draft: inout Draft, _ name: ObjectName, _ plan: ClassPlan
    ) throws(StoreFailure) -> Effect {
        // One-way objects have neither lives nor stamps: one that replaces another is a write.
        guard plan.schema.kind == .object, operation.isAboutLife else {
            if let lives = draft.lives, !lives.isAlive { return .none }
            return try take(operation, into: &draft, name, plan) ? .change : .none
        }
        let before: Lives
        if let lives = draft.lives { before = lives } else { before = Lives(try record(of: name)) }
        var lives = before
        let hasEffect = try lives.join(operation, base: changeset.seen(operation.target), in: merging)
        draft.lives = lives
        guard hasEffect else {
            // It was stronger that the object has ended. Of one that is not here, the create is judged all the same.
            if draft.isNew, !lives.isAlive { _ = try take(operation, into: &draft, name, plan) }
            return .none
        }
        guard lives.isAlive else { return .end }
        let isNewLife = lives.life > before.life
        // Nothing of an earlier life remains.
        if isNewLife { draft.begin() }
        _ = try take(operation, into: &draft, name, plan)
        return isNewLife ? .newLife : .change
    }

    /// Takes what merging will let stand: a value that loses to the one in the record decides nothing.
    ///
    /// - Returns: false when the operation is older than the object that it is about.
    private func take(
        _ operation: Operation, into draft: inout Draft, _ name: ObjectName, _ plan: ClassPlan
    ) throws(StoreFailure) -> Bool {
        guard plan.schema.kind != .asymmetric, !draft.isNew else {
            draft.take(operation, plan) { _, _ in false }
            return true
        }
        let record = try record(of: name)
        if !operation.isAboutLife, changeset.stamp < record.state.born { return false }
        draft.take(operation, plan) { field, column in
            let (standing, isDefault) = record.standing(of: column)
            return field.isDefault == isDefault ? changeset.stamp < standing : field.isDefault
        }
        return true
    }

    /// As the changesets before this one have left it.
    private func record(of name: ObjectName) throws(StoreFailure) -> WorkingObject {
        if let known = merging.objects[name] ?? records[name] { return known }
        let loaded = try merging.recorded(name)
        records[name] = loaded
        return loaded
    }

    private func holds(_ rule: BoundPredicate, _ name: ObjectName) -> Bool {
        if case .constant(let answer) = rule { return answer }
        let question = Question(name: name, rule: rule)
        if let answer = known[question] { return answer }
        let answer = rule.matches(JudgedRow(judge: self, name: name, moment: .before))
        known[question] = answer
        return answer
    }

    // MARK: - Objects that come into being

    /// A new object is judged as the whole changeset makes it, its collections too.
    private func making(
        _ name: ObjectName, _ indices: [Int], _ verdicts: inout Verdicts
    ) throws(StoreFailure) {
        let plan = merging.catalog[name.classNumber]
        guard let rules = rules[plan.name], indices.contains(where: { operations[$0].isCreate }) else { return }
        while true {
            var draft = Draft(isNew: true)
            for index in indices where !verdicts.isRefused(index) {
                _ = try draw(operations[index], into: &draft, name, plan)
            }
            drafts[name] = draft
            let made = JudgedRow(judge: self, name: name, moment: .after)
            guard meets(rules.create, made) else {
                return refuseCreates(indices, Self.refusal("create", plan), &verdicts)
            }
            // What is refused changes what is judged: once more without it. Within a round a property has one answer.
            var isSettled = true
            var answers: [Int: Bool] = [:]
            for index in indices where !verdicts.isRefused(index) {
                for column in operations[index].columns(plan, withoutZeros: true) {
                    guard let rule = rules.writable[column] else { continue }
                    let answer = answers[column] ?? meets(rule, made)
                    answers[column] = answer
                    if answer { continue }
                    // Where objects may be hidden the answer is the one that a hidden one of this key would bring.
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

    // MARK: - Parts of objects

    /// An embedded object on the way up, or the top that it comes to.
    private enum Part: Hashable {
        case part(ObjectName)
        case property(Place)
        /// Nothing holds it, so it ends with the changeset.
        case unplaced
    }

    private func changingPart(_ operation: Operation, _ ascent: inout Ascent<Part>) -> StoreFailure? {
        guard let plan = merging.catalog[operation.target.className] else { return nil }
        let name = ObjectName(plan.number, operation.target.key)
        let top = ascent.top(of: .part(name)) { part in
            guard case .part(let name) = part, let place = place(of: name) else { return .top(.unplaced) }
            return merging.catalog[place.holder.classNumber].schema.kind == .embedded
                ? .part(.part(place.holder)) : .top(.property(place))
        }
        switch top {
        case .property(let place):
            let holder = merging.catalog[place.holder.classNumber]
            guard let rules = rules[holder.name], row(place.holder) != nil else { return nil }
            guard holds(rules.write, place.holder) else {
                return told(Self.refusal("change", holder), of: firstHere(name, in: place.holder))
            }
            guard let rule = rules.writable[place.column], !holds(rule, place.holder) else { return nil }
            return told(Self.refusal("set", holder, place.column), of: firstHere(name, in: place.holder))
        case .unplaced, .part:
            return nil
        case nil:
            return StoreFailure(.permissionDenied, "The embedded object of “\(plan.name)” lies too deep in others.")
        }
    }

    /// Of a part and what it is in, the first that is here: it answers for those that are not.
    private func firstHere(_ name: ObjectName, in top: ObjectName) -> ObjectName {
        var name = name
        while row(name) == nil, name != top, let place = place(of: name) { name = place.holder }
        return name
    }

    /// What holds an embedded object in the record; else what this changeset lets hold it.
    private func place(of name: ObjectName) -> Place? {
        recordedPlaces(of: name).first ?? places[name]
    }

    private func recordedPlaces(of name: ObjectName) -> [Place] {
        let table = merging.table(name.classNumber)
        guard let key = table.keyOrGhost(for: name.key) else { return [] }
        var found: [Place] = []
        for (origin, column) in merging.catalog.holders(of: name.classNumber) {
            let holders = merging.table(origin)
            for row in table.backlinks(to: key, from: holders, column) {
                guard let holder = holders.primaryKey(of: row) else { continue }
                found.append(Place(holder: ObjectName(origin, holder), column: column))
            }
        }
        return found
    }

    /// The operation gives an embedded object a place, and it has another already.
    private func taking(_ operation: Operation, _ plan: ClassPlan, by holder: ObjectName) -> StoreFailure? {
        for (column, value) in operation.values(plan) {
            guard let part = part(value, plan, column) else { continue }
            let place = Place(holder: holder, column: column)
            guard recordedPlaces(of: part).allSatisfy({ $0 == place }) else {
                return StoreFailure(
                    .permissionDenied,
                    "“\(plan.name).\(plan.schema.properties[column].name)” is given an embedded object that is part of "
                        + "another. Give it a copy.")
            }
            if places[part] == nil { places[part] = place }
        }
        return nil
    }

    private func part(_ value: Value, _ plan: ClassPlan, _ column: Int) -> ObjectName? {
        switch value {
        case .link(let key):
            plan.isEmbedded(column) ? plan.targets[column].map { ObjectName($0, key) } : nil
        case .anyLink(let link) where NestedCollection(className: link.className) != nil:
            merging.catalog.number(link.className).map { ObjectName($0, link.key) }
        default: nil
        }
    }

    // MARK: - For rows

    func row(_ name: ObjectName) -> ObjectKey? {
        merging.table(name.classNumber).key(for: name.key)
    }

    /// Nil for one as it is in the record.
    func draft(of name: ObjectName, _ moment: JudgedRow.Moment) -> Draft? {
        switch moment {
        case .before: nil
        case .after: drafts[name]
        case .afterAll: outcomes?[name]
        }
    }

    /// Whether an object that a link leads to is there, when all operations have had their effect.
    func existsAfterAll(_ name: ObjectName) -> Bool {
        let made = outcomes ?? draw()
        outcomes = made
        guard let draft = made[name] else { return row(name) != nil }
        sees = true
        return draft.lives?.isAlive ?? (draft.isCreated || row(name) != nil)
    }

    private func draw() -> [ObjectName: Draft] {
        var drawn: [ObjectName: Draft] = [:]
        do throws(StoreFailure) {
            for (index, operation) in operations.enumerated() where !standing.isRefused(index) {
                guard let plan = merging.catalog[operation.target.className] else { continue }
                let name = ObjectName(plan.number, operation.target.key)
                // Out of the dictionary, so that nothing of it is copied when it grows.
                var draft = drawn.removeValue(forKey: name) ?? Draft(isNew: row(name) == nil)
                _ = try draw(operation, into: &draft, name, plan)
                drawn[name] = draft
            }
        } catch {
            failure = error
        }
        return drawn
    }

    /// A text of the record with edits on top of it.
    func text(_ column: Int, of name: ObjectName, isNew: Bool, _ edits: [TextOperation]) -> Value {
        var text = TextState()
        if !isNew, let key = row(name) {
            do {
                text = try TextTree.load(
                    name.classNumber, column, key, merging.table(name.classNumber), in: merging.transaction)
            } catch {
                failure = error
            }
        }
        for edit in edits { _ = text.join(edit) }
        return .string(text.string)
    }

    /// Says no more than the writer knows: which class, and which property.
    private static func refusal(_ verb: String, _ plan: ClassPlan, _ column: Int? = nil) -> StoreFailure {
        let what = column.map { ".\(plan.schema.properties[$0].name)" } ?? ""
        return StoreFailure(
            .permissionDenied,
            "This user may not \(verb) “\(plan.name)\(what)” of this object. Ask the operator for the permission, or change "
                + "another.")
    }
}
