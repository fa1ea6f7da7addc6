import CausewayObjectStore
package import CausewayOpLog
package import CausewaySync
import CausewayWire

extension SyncedFile {
    /// The result of a piece of work.
    package struct Outcome {
        /// For the conversation; nil if it does not wait for this work. If such work failed, it is done again after the
        /// next hello.
        package var event: Conversation.Event?
        /// What went to the quarantine.
        package var refused: [QuarantinedChange] = []
        /// Why the work failed, if the conversation does not wait for it.
        package var failure: (any Error)?
    }

    /// Does a piece of work for the conversation. Blocks for the disk.
    ///
    /// - Parameters:
    ///   - work: the action of an errand `file`.
    ///   - applying: called instead of ``apply(_:)``, and calls that itself.
    package func perform(
        _ work: Conversation.Action, applying: (([ViewChange]) throws -> Applied)? = nil
    ) -> Outcome {
        do {
            switch work {
            case .dropOneWay(let through):
                return doing { try dropOneWay(through: through) }
            case .queriesRefused(let version, let failure):
                return doing { try refuseQueries(version, failure.message) }
            case .setAside(let refused):
                return setAside(refused)
            case .refill(let committed):
                return Outcome(event: try refilled(after: committed))
            case .digest(let attempt, let question):
                return Outcome(event: .digested(attempt, number: question.number, try digests(question)))
            case .spill(let parts, let from):
                try stage(parts, from: from)
                return Outcome(event: .spilled)
            case .beginAgain(let agreed, let refused):
                let begun = try beginAgain(after: agreed, refused: refused)
                return Outcome(event: .beganAgain(passed: begun.passed, logged: begun.logged), refused: begun.refused)
            case .apply(let changes):
                let applied = try applying?(changes) ?? apply(changes)
                return Outcome(event: .applied(acknowledged: applied.acknowledged), refused: applied.refused)
            case .sendHello, .openDownload, .upload, .ingest, .sendQueries, .sendMark, .sendCredit, .sendDigests,
                .disconnect, .renewToken, .wake, .finish, .fail, .report:
                preconditionFailure("The file was given what is no work of a file: \(work)")
            }
        } catch is ChangeOfCopy {
            return Outcome(event: .ofCopy)
        } catch let error as UnfittingChange {
            return Outcome(event: .fileFailed(distrusting(error)))
        } catch {
            return Outcome(
                event: .fileFailed("The changes from the server could not be stored: \(Self.message(of: error))"))
        }
    }

    /// What the server says happened does not fit this file, and would not fit at the next attempt either.
    private func distrusting(_ change: UnfittingChange) -> String {
        do {
            try compareWithServer()
            return change.message
        } catch {
            return "\(change.message) This could not be noted: \(Self.message(of: error))"
        }
    }

    private func doing(_ body: () throws -> Void) -> Outcome {
        do {
            try body()
            return Outcome()
        } catch {
            return Outcome(failure: error)
        }
    }

    private func refilled(after committed: UInt64) throws -> Conversation.Event {
        do {
            try refill(after: committed)
            return .refilled(after: committed)
        } catch let error as StoreError where error.code == .invalidValue {
            // Other failures of the file may be gone at the next attempt.
            return .refillFailed(Self.message(of: error))
        }
    }

    private func setAside(_ refused: Conversation.Refused) -> Outcome {
        do {
            let changes: [QuarantinedChange] = try setAside(refused)
            // The file must not be asked for the same again without a pause.
            guard !changes.isEmpty else {
                return Outcome(
                    event: .setAsideFailed(refused.lane, "The server refuses what this file does not send."))
            }
            return Outcome(event: .setAside(refused.lane), refused: changes)
        } catch {
            return Outcome(
                event: .setAsideFailed(
                    refused.lane, "What the server refused could not be set aside: \(Self.message(of: error))"))
        }
    }
}
