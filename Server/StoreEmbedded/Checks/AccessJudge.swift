import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayStore

/// Judges the operations of one changeset by what its writer may do, before any of them is applied.
///
/// *Before* is the object as the server has it when the changeset comes; *after* is what the accepted operations of the
/// changeset make of it (`ObjectDraft`).
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
/// Which create begins a life, and which changes a living object, follows from the lives of the object, operation by
/// operation, as in merging (`Lives`). An earlier delete in the changeset counts, and so do tombstones that the server
/// has forgotten.
///
/// Nobody takes over an embedded object by holding it: a value is refused if it names an embedded object that another
/// object, or another property, holds.
///
/// For an object that its writer may not read, a refusal says what it would say if the object did not exist.
///
/// `Verdicts` refuses what depends on a refused operation.
///
/// A rule that looks through a link sees the other object as the operations that are not refused leave it. A refusal
/// changes what is seen, so everything is judged again without the refused operation, until nothing more is refused.
/// That may take as many passes as there are operations, so passes are bounded. In the last one nothing is permitted by
/// what a rule sees of an object that the changeset is about.
///
/// A rule about the elements of a collection reads all of them for each operation. Once a pass has read `elementsMax`
/// of them, the rest of each object's operations is judged at once, and stands or falls together.
final class AccessJudge {
    let merging: Merging
    let rules: BoundRules
    let operations: [Operation]
    /// Says what the writer had seen, and when it wrote.
    let changeset: Changeset
    private let concealment: Concealment?
    /// What each operation is about; nil where its class is unknown, so that it was refused before.
    private lazy var steps: [Step?] = makeSteps()
    private var objects: [ObjectName: JudgedObject] = [:]
    private var classes: [Int: JudgedClass] = [:]
    /// The places that this changeset gives embedded objects.
    var places: [ObjectName: Place] = [:]

    // Of one pass.
    private var isLastPass = false
    /// What was refused when the pass began.
    private var standing = Verdicts()
    /// Whether the outcomes of objects are drawn; they are when a rule first looks through a link.
    private var hasOutcomes = false
    /// Whether a rule saw one of the outcomes: since a judgement began, and since the pass began.
    private var sees = false
    private var hasSeen = false
    /// How many elements of collections the pass has read for rules.
    var elementsRead = 0
    private let elementsMax: Int
    /// Rows cannot throw: their failure is thrown at the end of the pass.
    private var failure: StoreFailure?

    /// One refusal rarely causes another, and hardly ever a third.
    static let passesMax = 8
    /// How many operations are judged again in all passes after the first together; one more pass is always made.
    static let judgedAgainMax = 4_000

    private var passes: Int { 1 + min(max(Self.judgedAgainMax / max(operations.count, 1), 1), Self.passesMax - 1) }

    struct Place: Hashable {
        var holder: ObjectName
        var column: Int
    }

    /// What an operation is about: an object and, unless it is a create or a delete, one of its columns.
    struct Step {
        let object: JudgedObject
        let column: Int?
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
        // Only a caller who may not read everything could learn something by holding an embedded object.
        return !rules.permitsAllWrites || permissions.fingerprint != 0 ? rules : nil
    }

    func judge(_ verdicts: inout Verdicts) throws(StoreFailure) {
        for pass in 1...passes {
            if !verdicts.isEmpty { verdicts.spread(over: operations) }
            standing = verdicts
            isLastPass = pass == passes
            for object in objects.values { object.forgetPass() }
            places = [:]
            hasOutcomes = false
            hasSeen = false
            elementsRead = 0
            try judgeOnce(&verdicts)
            if let failure { throw failure }
            if !hasSeen || verdicts.count == standing.count { return }
        }
    }

    private func judgeOnce(_ verdicts: inout Verdicts) throws(StoreFailure) {
        var together: [JudgedObject] = []
        var made: [JudgedObject] = []
        var embedded: [Int] = []
        for (index, operation) in operations.enumerated() where !verdicts.isRefused(index) {
            guard let step = steps[index] else { continue }
            let object = step.object
            if let failure = taking(operation, by: object) {
                verdicts.refuse(index, told(failure, of: object))
                continue
            }
            guard object.isTop, let rules = object.rules else {
                embedded.append(index)
                continue
            }
            if object.row != nil {
                if let failure = touching(object, rules, operation, step.column) {
                    verdicts.refuse(index, told(failure, of: object))
                } else if operation.isOfText || elementsRead > elementsMax {
                    if object.together.isEmpty { together.append(object) }
                    object.together.append(index)
                } else if let failure = try changing(object, rules, operation, step.column) {
                    verdicts.refuse(index, told(failure, of: object))
                }
            } else if !object.made.isEmpty || operation.isAboutLife {
                if object.made.isEmpty { made.append(object) }
                object.made.append(index)
            }
        }
        for object in together.sorted(by: { $0.name < $1.name }) { try changingTogether(object, &verdicts) }
        for object in made.sorted(by: { $0.name < $1.name }) { try making(object, &verdicts) }
        // All parts that get a place have it now, so what is found for one holds for those inside of it.
        var ascent = Ascent<Part>()
        for index in embedded {
            if let failure = changingPart(step(index).object, &ascent) { verdicts.refuse(index, failure) }
        }
    }

    func step(_ index: Int) -> Step {
        guard let step = steps[index] else { preconditionFailure("An operation is judged whose class is unknown.") }
        return step
    }

    /// What the writer hears of a refusal. For an object that they may not read it is what they would hear if it did
    /// not exist.
    func told(_ failure: StoreFailure, of object: JudgedObject) -> StoreFailure {
        guard let row = object.row else { return failure }
        let isReadable =
            if object.rules != nil { holds(.read, object) } else {
                concealment?.isVisible(Row(object.name.classNumber, row)) ?? true
            }
        if isReadable { return failure }
        return object.hasCreate
            ? Self.refusal("create", object.plan) : ExistenceCheck.failure(object.plan, mayHide: true)
    }

    /// Whether a rule is met after the changeset.
    func meets(_ rule: BoundPredicate, _ row: JudgedRow) -> Bool {
        sees = false
        let answer = rule.matches(row)
        hasSeen = hasSeen || sees
        return answer && !(sees && isLastPass)
    }

    /// Whether the object meets a rule as the changeset finds it.
    func holds(_ place: JudgedClass.Rule, _ object: JudgedObject) -> Bool {
        guard let rule = object.judged.rule(place) else { return true }
        if case .constant(let answer) = rule { return answer }
        let number = object.judged.number(of: rule, at: place)
        if let answer = object.answers[number] { return answer }
        let answer = rule.matches(JudgedRow(judge: self, object: object, moment: .before))
        object.answers[number] = answer
        return answer
    }

    // MARK: - For rows

    /// An object that an operation is about, or that holds a part which an operation is about. It is kept.
    func object(_ name: ObjectName) -> JudgedObject {
        if let known = objects[name] { return known }
        let object = unknown(name)
        objects[name] = object
        return object
    }

    /// An object that a rule reaches by a link. It is kept only if an operation is about it: a rule may read a list of
    /// millions of links for every operation.
    func linked(_ name: ObjectName) -> JudgedObject { objects[name] ?? unknown(name) }

    private func unknown(_ name: ObjectName) -> JudgedObject {
        let plan = merging.catalog[name.classNumber]
        let judged = classes[plan.number] ?? JudgedClass(plan, rules[plan.name])
        classes[plan.number] = judged
        return JudgedObject(name, judged, row: merging.table(plan.number).key(for: name.key))
    }

    private func makeSteps() -> [Step?] {
        var (plan, last): (ClassPlan?, JudgedObject?) = (nil, nil)
        var (className, property, column): (String, String, Int?) = ("", "", nil)
        return operations.map { operation in
            let target = operation.target
            if plan == nil || !target.className.isSame(as: className) {
                (plan, className, property, column) = (merging.catalog[target.className], target.className, "", nil)
                last = nil
            }
            guard let plan else { return nil }
            let object =
                if let last, last.name.key == target.key { last } else { object(ObjectName(plan.number, target.key)) }
            last = object
            if operation.isCreate { object.hasCreate = true }
            guard let named = operation.property else { return Step(object: object, column: nil) }
            if !named.isSame(as: property) { (property, column) = (named, plan.columns[named]) }
            return Step(object: object, column: column)
        }
    }

    /// Whether an object that a link leads to exists when all operations have had their effect.
    func existsAfterAll(_ object: JudgedObject) -> Bool {
        if !hasOutcomes { drawOutcomes() }
        guard let outcome = object.outcome else { return object.row != nil }
        sees = true
        return outcome.lives?.isAlive ?? (outcome.isCreated || object.row != nil)
    }

    private func drawOutcomes() {
        hasOutcomes = true
        do throws(StoreFailure) {
            for (index, operation) in operations.enumerated() where !standing.isRefused(index) {
                guard let step = steps[index] else { continue }
                let object = step.object
                // Taken out of the object, so that nothing of it is copied when it grows.
                var draft = object.outcome.take() ?? ObjectDraft(isNew: object.row == nil)
                _ = try draw(operation, step.column, into: &draft, object)
                object.outcome = draft
            }
        } catch {
            failure = error
        }
    }

    /// A text of the record with edits on top of it.
    func text(_ column: Int, of object: JudgedObject, isNew: Bool, _ edits: [TextOperation]) -> Value {
        var text = TextState()
        if !isNew, let key = object.row {
            let place = PartTree.Place(object.name.classNumber, column, key)
            do {
                let table = merging.table(object.name.classNumber)
                if case .text(let loaded) = try PartTree(in: merging.transaction).load(.text, at: place, table) {
                    text = loaded
                }
            } catch {
                failure = error
            }
        }
        for edit in edits { _ = text.join(edit) }
        return .string(text.string)
    }

    /// A refusal that says no more than the writer knows: which class, and which property.
    static func refusal(_ verb: String, _ plan: ClassPlan, _ column: Int? = nil) -> StoreFailure {
        let what = column.map { ".\(plan.schema.properties[$0].name)" } ?? ""
        return StoreFailure(
            .permissionDenied,
            "This user may not \(verb) “\(plan.name)\(what)” of this object. Ask the operator for the permission, or change "
                + "another.")
    }
}
