import CausewayModel
import CausewayObjectStore
import CausewayQuery
import CausewayStore

/// A class, and what a writer may do with its objects.
final class JudgedClass {
    let plan: ClassPlan
    /// Nil for embedded classes, whose objects are part of others.
    let rules: BoundRules.OfClass?

    /// What a rule is about.
    enum Rule: Hashable {
        case read
        case write
        case delete
        case property(Int)
    }

    private var numbers: [BoundPredicate: Int] = [:]
    private var numbersByPlace: [Rule: Int] = [:]

    init(_ plan: ClassPlan, _ rules: BoundRules.OfClass?) {
        self.plan = plan
        self.rules = rules
    }

    /// Nil where everything is permitted.
    func rule(_ place: Rule) -> BoundPredicate? {
        switch place {
        case .read: rules?.read
        case .write: rules?.write
        case .delete: rules?.delete
        case .property(let column): rules?.writable[column]
        }
    }

    /// Equal rules have one number, so that each is asked once. A predicate is hashed once for its place.
    func number(of rule: BoundPredicate, at place: Rule) -> Int {
        if let known = numbersByPlace[place] { return known }
        let number = numbers[rule] ?? numbers.count
        numbers[rule] = number
        numbersByPlace[place] = number
        return number
    }
}

/// An object that a judged changeset is about, or that a rule reaches. Each object that the changeset is about has one,
/// so that an operation costs one lookup.
final class JudgedObject {
    let name: ObjectName
    let judged: JudgedClass
    /// Its row when the changeset comes; nil when it is not alive.
    let row: ObjectKey?
    /// Whether the changeset has a create of it.
    var hasCreate = false
    /// Loaded when it is first asked for.
    var record: WorkingObject?
    /// The answers of rules about it as the changeset finds it, by the rules' numbers.
    var answers: [Int: Bool] = [:]

    // Of one pass.
    /// What the operations accepted so far make of it; nil while it is as it was found.
    var draft: ObjectDraft?
    /// What all operations that were not refused when the pass began make of it.
    var outcome: ObjectDraft?
    /// The places of operations that stand or fall together.
    var together: [Int] = []
    /// For an object that is created, the places of all operations on it.
    var made: [Int] = []

    init(_ name: ObjectName, _ judged: JudgedClass, row: ObjectKey?) {
        self.name = name
        self.judged = judged
        self.row = row
    }

    var plan: ClassPlan { judged.plan }
    var rules: BoundRules.OfClass? { judged.rules }
    /// Whether it is not a part of another object.
    var isTop: Bool { plan.schema.kind != .embedded }

    func forgetPass() {
        draft = nil
        outcome = nil
        together = []
        made = []
    }
}
