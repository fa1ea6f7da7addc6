import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Calls of back ends: what is decided in the transaction that would apply them.

extension StoreEmbedded {
    /// What is known of a call before it is applied: that it was applied already, or why it cannot be.
    func known(
        of call: CallTerms, base: ServerVersion, at meta: Meta, in transaction: Transaction
    ) throws(StoreFailure) -> (receipt: CallReceipt?, failure: StoreFailure?) {
        if let wanted = call.receipt, let receipt = try ReceiptTree(in: transaction).receipt(wanted.key) {
            guard receipt.fingerprint == wanted.fingerprint else { return (nil, .callKeyReused) }
            return (receipt, nil)
        }
        var touched: History?
        for expectation in call.expectations {
            switch expectation {
            case .life(let object, let life):
                guard try holds(object, life, in: transaction) else { return (nil, .changedMeanwhile(object)) }
            case .untouched(let object):
                if touched == nil { touched = try Self.history(after: base, at: meta, in: transaction) }
                guard let touched, !touched.touches(object, catalog(of: transaction), in: transaction) else {
                    return (nil, .changedMeanwhile(object))
                }
            }
        }
        return (nil, nil)
    }

    /// Nil where too much has happened to look at it here, because commits wait, or where it is forgotten already.
    private static func history(
        after base: ServerVersion, at meta: Meta, in transaction: Transaction
    ) throws(StoreFailure) -> History? {
        guard base >= meta.historyStart else { return nil }
        do throws(StoreFailure) {
            return try HistoryTree(in: transaction)
                .gather(after: base, through: meta.version, for: .nobody, Pace(objectsMax: touchedMax) { true })
        } catch {
            guard error.code == .interrupted else { throw error }
            return nil
        }
    }

    /// How many objects that were touched since its base are looked at for a call.
    static let touchedMax = 20_000

    private func holds(
        _ object: ObjectReference, _ life: UInt32, in transaction: Transaction
    ) throws(StoreFailure) -> Bool {
        guard let plan = catalog(of: transaction)[object.className], let table = transaction.table(plan.name) else {
            return false
        }
        guard let row = table.key(for: object.key) else { return life % 2 == 0 }
        return try ObjectStamps.load(plan.number, row, in: transaction).life == life
    }

    /// The failure of a call of which some operations are refused: nothing of it is applied.
    func refused(_ verdicts: Verdicts, of operations: [Operation]) -> StoreFailure {
        let refusals = verdicts.refusals(of: operations, sequence: 0, atMost: Self.refusalsOfCallMax)
        guard let first = refusals.first else { preconditionFailure("A call without refusals is applied.") }
        return StoreFailure(first.failure.code, first.failure.message, refusals: refusals)
    }

    /// How many refusals a call is told.
    static let refusalsOfCallMax = 100
}

extension UploadBatch {
    /// Whether it is a call with a key that finds everything as it asks for: it makes no version, and leaves a receipt.
    var changesNothing: Bool { call?.receipt != nil && changesets.allSatisfy(\.operations.isEmpty) }

    /// The changesets as they are, or for a call numbered behind the last one.
    func numbered(after committed: UInt64) -> [Changeset] {
        guard call != nil else { return changesets }
        return changesets.enumerated().map { index, changeset in
            var changeset = changeset
            changeset.sequence = committed + UInt64(index) + 1
            return changeset
        }
    }
}

extension StoreFailure {
    fileprivate static func changedMeanwhile(_ object: ObjectReference) -> StoreFailure {
        StoreFailure(
            .conflict,
            "An object of “\(object.className.prefix(80))” was changed, created or deleted while the request ran. Read it "
                + "again, and repeat the request.")
    }
}

extension History {
    fileprivate func touches(
        _ object: ObjectReference, _ catalog: RecordCatalog, in transaction: Transaction
    ) -> Bool {
        guard let plan = catalog[object.className] else { return true }
        let name = ObjectName(plan.number, object.key)
        if touched.contains(where: { $0.name == name || $0.root == name }) { return true }
        guard let row = transaction.table(plan.name)?.key(for: object.key) else { return false }
        return births.contains { $0.classNumber == plan.number && $0.keys.contains(row) }
    }
}
