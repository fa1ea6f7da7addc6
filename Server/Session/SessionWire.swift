import CausewayModel
import CausewayOperations
package import CausewayStore
package import CausewaySubscriptions
package import CausewayWire

// Conversions between the types of the record and the types of the wire.

extension SyncFailure {
    package init(_ failure: StoreFailure) {
        let code: Code =
            switch failure.code {
            case .permissionDenied: .permissionDenied
            case .schemaMismatch: .schemaMismatch
            case .sequenceGap: .sequenceGap
            case .operationInvalid: .operationInvalid
            case .objectUnknown: .objectUnknown
            case .refusalsUnread: .refusalsUnread
            case .queryInvalid: .queryInvalid
            case .outOfSpace: .serverOutOfSpace
            case .busy, .outcomeUnknown: .serverBusy
            case .closed: .serverEnding
            default: .serverFault
            }
        self.init(code, failure.message, retryAfterMilliseconds: failure.retryAfterMilliseconds)
        refused = failure.refusals.map { OperationRefusal($0) }
    }
}

extension OperationRefusal {
    init(_ refusal: Refusal) {
        self.init(
            sequence: refusal.sequence, operation: UInt64(refusal.operation), failure: SyncFailure(refusal.failure))
    }
}

extension Welcome {
    /// The most refusals that a welcome carries, however short their messages are.
    static let refusedMax = refusedBytesMax / refusedBytesEach

    /// The first refusals, as many as fit into a welcome.
    static func told(_ refusals: [Refusal]) -> [OperationRefusal] {
        var bytes = 0
        let fitting = refusals.prefix { refusal in
            bytes += refusedBytesEach + refusal.failure.message.utf8.count
            return bytes <= refusedBytesMax
        }
        return fitting.map { OperationRefusal($0) }
    }
}

extension QuerySet {
    package var texts: [QueryText] {
        queries.map { QueryText(className: $0.className, predicate: $0.predicate) }
    }
}

extension DigestQuestion {
    package init(_ question: ViewComparison.Question) {
        self.init(
            number: question.number, seed: question.seed, acknowledged: question.acknowledged, asks: question.asks)
    }
}

extension ViewChunk {
    /// - Parameter checkpoint: the checkpoint that the difference leads to. The chunk does not hold it, but resume
    ///   points do.
    package init(_ part: ViewDifference.Part, of difference: ViewDifference, to checkpoint: Checkpoint) {
        self.init(
            // After the last part everything is done. Most changes have one part, so no bytes are spent on saying so.
            objectsTotal: UInt64(difference.objectsTotal),
            objectsDone: part.isLast ? 0 : UInt64(difference.objectsDone),
            resume: part.isLast ? nil : part.reached.map { difference.resumePoint($0, to: checkpoint) },
            entered: part.entered,
            enteredRuns: part.enteredRuns,
            updated: part.updated,
            left: part.left.map { ObjectLeave($0.object, LeaveReason($0.reason)) },
            deleted: part.deleted.map { ObjectEnd($0.object, life: $0.life) },
            refused: part.refused.map { OperationRefusal($0) })
    }
}

extension ViewDifference {
    fileprivate func resumePoint(_ reached: Row, to checkpoint: Checkpoint) -> ResumePoint {
        let position = RowPosition(className: className(reached.classNumber), row: reached.key)
        return ResumePoint(checkpoint: checkpoint, reached: position)
    }

    package func checkpoint(epoch: UInt64, querySet: UInt64, permissions: UInt64) -> Checkpoint {
        Checkpoint(
            epoch: epoch, version: version, querySet: querySet, acknowledged: acknowledged, incarnation: incarnation,
            permissions: permissions, opening: opening)
    }
}

extension LeaveReason {
    init(_ reason: ViewDifference.Part.Reason) {
        self =
            switch reason {
            case .query: .query
            case .permission: .permission
            case .unsubscribed: .unsubscribed
            }
    }
}
