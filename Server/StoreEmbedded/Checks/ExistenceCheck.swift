import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Finds operations on objects that this database has never had.
///
/// A change of a deleted object is an outcome of merging: the delete wins. A change of an object, or embedded object,
/// that nobody ever made here is not. It comes from a client whose create was refused, or that saw the object in a
/// database that was since restored from an older copy. If applied it would vanish, so it is refused, and its writer
/// keeps it [I7].
///
/// If the writer is older than a forgotten tombstone, its change may be one that this tombstone beats (RULES.md, F2).
///
/// For a writer who may not read every object of the class there is no difference. What does not exist is known to them
/// only if they could read it before it was deleted (`Concealment`).
struct ExistenceCheck {
    private let merging: Merging
    private let operations: [Operation]
    /// Says what the writer had seen.
    private let changeset: Changeset
    private let concealment: Concealment?
    /// What the changeset itself creates, gathered once it matters.
    private var created: Set<ObjectReference>?
    private var known: ObjectReference?
    /// The object that was found missing last: a run of operations may be about it.
    private var unknown: (target: ObjectReference, failure: StoreFailure)?
    /// By class: millions of operations may be refused with one of these.
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

    /// - Parameter mayHide: whether the reason may also be that the writer may not read it.
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
