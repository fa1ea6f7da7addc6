package import CausewayJournal
import CausewayModel
import CausewayObjectStore
package import CausewayStore
import Synchronization

extension StoreEmbedded {
    package func apply(_ entry: JournalEntry, to mark: JournalMark) throws(StoreFailure) -> EntryOutcome {
        let writing = Writing.entry(incarnation: entry.incarnation, mark: mark)
        let outcome: EntryOutcome
        do throws(StoreFailure) {
            outcome = try apply(entry.body, writing)
        } catch {
            guard error.isOutcome else { throw error }
            outcome = .refused(error)
        }
        // What changes nothing, or is refused, is applied by the mark alone.
        if try self.mark.position < mark.position {
            try write(as: writing) { _, _ in ((), true) }
        }
        return outcome
    }

    private func apply(_ body: JournalEntry.Body, _ writing: Writing) throws(StoreFailure) -> EntryOutcome {
        switch body {
        case .commit(let commit):
            return .commits(
                try self.commit(commit.batches, receivedAt: commit.time, commit.shortage?.failure, writing))
        case .ingest(let ingest):
            return .ingested(try self.ingest(ingest.batch, receivedAt: ingest.time, writing))
        case .register(let registration):
            let record = try write(as: writing) { transaction, meta throws(StoreFailure) in
                (
                    try registering(
                        registration.client, registration.user, registration.standing, in: transaction, meta), true
                )
            }
            return .registered(record)
        case .extendSchema(let declaration):
            let additions = try write(as: writing) { transaction, _ throws(StoreFailure) in
                try extending(declaration.wanted, by: declaration.declarer, in: transaction)
            }
            return .additions(additions)
        case .requireSchema(let declaration):
            try write(as: writing) { transaction, _ throws(StoreFailure) in
                ((), try requiring(declaration.wanted, by: declaration.declarer, in: transaction))
            }
            return .done
        case .settings(let settings):
            try write(as: writing) { transaction, _ in
                settings.save(in: transaction)
                return ((), true)
            }
            settingsApplied(settings)
            return .done
        case .maintain(let time):
            let hasMore = try write(as: writing) { transaction, meta throws(StoreFailure) in
                try maintaining(at: time, writing, in: transaction, &meta)
            }
            return .maintained(hasMore: hasMore)
        case .generation: return .done
        case .act(let act): return try apply(act, writing)
        case .keeping(let work): return try apply(work, writing)
        }
    }

    private func apply(_ work: KeepingWork, _ writing: Writing) throws(StoreFailure) -> EntryOutcome {
        switch work {
        case .keepOrder: try keepOneWayOrder(writing)
        case .lift(let sequence): try liftArrivals(above: sequence, writing)
        case .remove(let due, let time, let start, let countMax):
            return .removed(
                next: try write(as: writing) { transaction, meta throws(StoreFailure) in
                    try removing(due, at: time, after: start, countMax: countMax, in: transaction, &meta)
                })
        case .savePosition(let position, let name): try savePosition(position, of: name, writing)
        }
        return .done
    }

    private func apply(_ act: OperatorAct, _ writing: Writing) throws(StoreFailure) -> EntryOutcome {
        switch act {
        case .drop(let className, let property):
            try drop(className, property, writing)
            return .done
        case .convert(let wanted): return .converted(try convert(wanted, writing))
        case .forget(let client): return .forgotten(try forget(client, writing))
        case .shutOut(let shutOut):
            try write(as: writing) { transaction, _ throws(StoreFailure) in
                try ShutOutTree(in: transaction).shutOut(shutOut)
                return ((), true)
            }
            return .done
        case .letIn(let subject):
            return .letIn(
                try write(as: writing) { transaction, _ in (ShutOutTree(in: transaction).letIn(subject), true) })
        }
    }
}
