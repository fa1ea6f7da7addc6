import CausewayJournal
import CausewayStorage

/// On whose behalf the record is written.
enum Writing {
    /// A call of the process that owns the record.
    case call
    /// An entry of the journal, and where the replica stands after it.
    case entry(incarnation: UInt64, mark: JournalMark)
    /// Nobody's: it is taken back, to see what an entry would do.
    case rehearsal

    /// Nil where the opening of the record is the run.
    var run: UInt64? {
        if case .entry(let incarnation, _) = self { incarnation } else { nil }
    }

    /// An entry is in the journal already: after a crash it is applied again.
    func durability(_ ofCall: Durability) -> Durability {
        if case .call = self { ofCall } else { StoreEmbedded.repeatable }
    }
}
