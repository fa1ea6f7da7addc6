import CausewayModel
package import CausewayOperations

/// What became of the operations of an upload, for those who watch the server.
package struct CommitTally: Hashable, Sendable {
    /// Operations that were applied, whether or not they had an effect.
    package var merged = 0
    /// What was refused, by class and code, in the order in which it was met.
    package var refused: [RefusedOperations] = []

    package init() {}

    package var refusedCount: Int { refused.reduce(0) { $0 + $1.count } }

    /// Adds the operations of a changeset.
    ///
    /// - Parameter created: how many objects of runs were created before them.
    package mutating func add(_ operations: [Operation], _ verdicts: Verdicts, created: Int) {
        merged += created + operations.count - verdicts.count
        for (target, code) in verdicts.targetsAndCodes(of: operations) { refuse(target.className, code) }
    }

    private mutating func refuse(_ className: String, _ code: StoreFailure.Code) {
        // There are few, and neighbours are mostly of one kind.
        let place = refused.lastIndex { $0.code == code && $0.className.isSame(as: className) }
        if let place {
            refused[place].count += 1
        } else if refused.count < Self.kindsMax {
            refused.append(RefusedOperations(className: className, code: code, count: 1))
        } else {
            refused[refused.count - 1].count += 1
        }
    }

    /// Kinds that are told apart in one upload; the rest counts as the last of them.
    package static let kindsMax = 16
}

package struct RefusedOperations: Hashable, Sendable {
    package var className: String
    package var code: StoreFailure.Code
    package var count: Int
}
