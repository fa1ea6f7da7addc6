import CausewayJournal
import CausewayPostgreSQL

// Rows of the journal's tables. They throw where somebody has changed the tables by hand.

extension Optional<[PostgreSQLValue]> {
    /// The row, which must be there.
    var there: [PostgreSQLValue] {
        get throws(PostgreSQLFailure) {
            guard let self else { throw JournalConnection.changedByHand }
            return self
        }
    }
}

extension [PostgreSQLValue] {
    func value(_ column: Int) throws(PostgreSQLFailure) -> PostgreSQLValue {
        guard column < count else { throw JournalConnection.changedByHand }
        return self[column]
    }

    func unsigned(_ column: Int) throws(PostgreSQLFailure) -> UInt64 {
        guard let number = try value(column).number else { throw JournalConnection.changedByHand }
        return UInt64(bitPattern: number)
    }

    func hash(_ column: Int) throws(PostgreSQLFailure) -> JournalHash {
        guard let hash = JournalHash(try value(column).bytes) else { throw JournalConnection.changedByHand }
        return hash
    }
}
