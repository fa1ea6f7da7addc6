import CausewayLimits
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Whether a user's clients may create what a changeset creates, by the operator's limit on the objects of a user.
///
/// Every create counts as a new object, although some merge with an object that is there: to know which, the server would
/// have to do the work first. So the limit is never exceeded. What the changeset deletes does not make room for what it
/// creates, because a delete may be refused.
struct ObjectQuota {
    private let objectsMax: Int
    private let user: String
    /// When the batch begins.
    private let objects: Int

    /// Nil where there is no limit.
    init?(of user: String, objectsMax: Int?, in transaction: Transaction) {
        guard let objectsMax else { return nil }
        self.objectsMax = objectsMax
        self.user = user
        objects = CreatorTree(in: transaction).objects(of: user)
    }

    /// Why a changeset has to wait; nil when it has not.
    ///
    /// - Parameter merging: what the batch has done before.
    func shortage(
        of changeset: Changeset, after merging: Merging?, _ catalog: RecordCatalog
    ) throws(StoreFailure) -> StoreFailure? {
        let change = try merging?.changeOfObjects(of: user) ?? 0
        let objects = objects + change
        guard changeset.operationCount > objectsMax - objects else { return nil }
        let created = changeset.objectsCreated(catalog)
        guard created > 0, created > objectsMax - objects else { return nil }
        return StoreFailure(
            LimitReached(
                .objectsOfUser, value: objectsMax, subject: user, waitMilliseconds: StorageShortage.waitMilliseconds),
            "This user's devices have created \(objects) of the \(objectsMax) objects that there may be of one user "
                + "(limits.objectsOfUser), and this transaction creates \(created). Transactions that create nothing are "
                + "taken, and nothing that is unsent is lost. Delete what is not needed on another device, or have the "
                + "operator raise the limit.")
    }
}

extension Changeset {
    /// How many of its operations create an object of a top-level class.
    fileprivate func objectsCreated(_ catalog: RecordCatalog) -> Int {
        func counts(_ className: String) -> Bool { catalog[className]?.schema.kind == .object }
        let inColumns = creations.reduce(0) { $0 + (counts($1.className) ? $1.count : 0) }
        return others.reduce(inColumns) { $0 + ($1.isCreate && counts($1.target.className) ? 1 : 0) }
    }
}
