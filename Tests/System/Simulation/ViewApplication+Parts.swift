import CausewayOpLog
import CausewayWire

// What a device does with the parts of a change.

extension ViewApplication {
    /// To be called before anything else of the change is shown.
    func refuse(_ parts: [ViewChunk]) {
        for part in parts {
            refuse(
                part.refused.map {
                    RefusedOperation(
                        sequence: $0.sequence, operation: $0.operation, code: $0.failure.code.rawValue,
                        reason: $0.failure.message)
                })
        }
    }

    func show(_ parts: [ViewChunk]) throws {
        for part in parts {
            for change in part.entered { try enter(change.object, change.state) }
            for run in part.enteredRuns { try enter(run) }
            for change in part.updated { try update(change.object, change.state) }
            for leave in part.left { try self.leave(leave.object) }
            for end in part.deleted { try delete(end.object, life: end.life) }
        }
    }
}
