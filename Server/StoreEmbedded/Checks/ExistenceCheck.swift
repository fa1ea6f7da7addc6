import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Finds operations about objects that this database has never had.
///
/// A change of a deleted object is an outcome of merging: the delete was stronger. A change of an object that nobody
/// ever made here is not, of an embedded one neither. It comes from a client whose creation of it was refused, or that has
/// seen it in a database that was restored from an older copy since. Applied it would vanish, so it is refused, and its
/// writer keeps it [I7].
///
/// A writer that is older than an end which was forgotten may mean what that end was stronger than (RULES.md, F2).
///
/// To a writer who may not read every object of the class that all is one: what is not here is known to them only if they
/// could read it before it ended (`Concealment`).
struct ExistenceCheck {
    private let merging: Merging
    private let operations: [Operation]
    /// Says what the writer had seen.
    private let changeset: Changeset
    private let concealment: Concealment?
    /// What the changeset itself creates, gathered once it matters.
    private var created: Set<ObjectReference>?
    private var known: ObjectReference?
    /// The object found missing last: a run of operations may be about one.
    private var unknown: (target: ObjectReference, failure: StoreFailure)?
    /// By class: millions may be refused for one of these.
    private var failures: [Int: StoreFailure] = [:]

    init(_ merging: Merging, _ operations: [Operation], of changeset: Changeset, _ concealment: Concealment?) {
        self.concealment = concealment
        self.merging = merging
        self.operations = operations
        self.changeset = changeset
    }

    mutating func failure(of operation: Operation) throws(StoreFailure) -> StoreFailure? {
        let target = operation.target
        if case .create = operation {
            known = target
            return nil
        }
        if known == target { return nil }
        if let unknown, unknown.target == target { return unknown.failure }
        guard let plan = merging.catalog[target.className], plan.schema.kind != .asymmetric else { return nil }
        guard try isExpected(target, plan) else {
            let failure = failures[plan.number] ?? Self.failure(plan, mayHide: concealment?.mayHide(plan) ?? false)
            failures[plan.number] = failure
            unknown = (target, failure)
            return failure
        }
        known = target
        return nil
    }

    private mutating func isExpected(_ target: ObjectReference, _ plan: ClassPlan) throws(StoreFailure) -> Bool {
        if merging.table(plan.number).key(for: target.key) != nil { return true }
        let name = ObjectName(plan.number, target.key)
        if let concealment, concealment.mayHide(plan) {
            return creates(target) ? true : try concealment.isKnown(name)
        }
        if try End.load(name, in: merging.transaction) != nil { return true }
        if creates(target) { return true }
        return try !merging.forgotten(plan.number).areKnown(to: changeset.seen(target))
    }

    /// - Parameter mayHide: whether it may as well be that the writer may not read it.
    static func failure(_ plan: ClassPlan, mayHide: Bool) -> StoreFailure {
        let rest = mayHide ? "that this user may read" : "and never had it"
        return StoreFailure(
            .objectUnknown,
            plan.schema.kind == .embedded
                ? "The server has no embedded object or collection “\(plan.name)” of this place \(rest). Change the object "
                    + "that it is in again, or wait until the device that made it has sent it."
                : "The server has no object “\(plan.name)” of this primary key \(rest). Create it again, or wait until the "
                    + "device that made it has sent it.")
    }

    private mutating func creates(_ target: ObjectReference) -> Bool {
        if created == nil {
            created = Set(
                operations.lazy.compactMap { if case .create(let target, _, _) = $0 { target } else { nil } })
        }
        return created?.contains(target) ?? false
    }
}
