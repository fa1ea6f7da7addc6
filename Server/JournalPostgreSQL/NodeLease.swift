package import CausewayJournal
package import CausewayPostgreSQL
import Synchronization

/// Work that one node does at a time: it holds a lease that ends by itself, by the clock of PostgreSQL. Its calls block.
///
/// The holder asks again well before the end. When it hears nothing, it stops before the lease ends, by its own clock: two nodes
/// never hold it together, as long as their clocks run at one speed.
package final class NodeLease: Sendable {
    private let name: String
    private let work: String
    private let holder: String
    private let connection: JournalConnection
    /// Until when it may work, by its own clock.
    private let holds = Mutex<ContinuousClock.Instant?>(nil)

    /// How long a lease lasts without being renewed: after that time another node takes over for one that is gone.
    package static let seconds = 10
    /// How much earlier the holder stops that hears nothing.
    package static let marginSeconds = 2

    /// - Parameters:
    ///   - name: of the database.
    ///   - holder: names this process among all nodes.
    package init(
        of name: String, for work: String, holder: String, _ settings: @escaping PostgreSQLSettings
    ) {
        (self.name, self.work, self.holder) = (name, work, holder)
        connection = JournalConnection(settings)
    }

    /// Whether it is held, as far as is known without asking.
    package var isHeld: Bool { holds.withLock { $0 }.map { ContinuousClock.now < $0 } ?? false }

    /// Takes the lease if nobody has it, or renews it.
    package func renew() throws(JournalFailure) -> Bool {
        // From before the question: the answer may take its time.
        let end = ContinuousClock.now + .seconds(Self.seconds - Self.marginSeconds)
        let rows = try connection.ask { connection throws(PostgreSQLFailure) in
            try connection.rows(
                """
                INSERT INTO causeway.lease AS known (name, work, holder, ends)
                VALUES ($1, $2, $3, clock_timestamp() + interval '\(Self.seconds) seconds')
                ON CONFLICT (name, work) DO UPDATE SET holder = excluded.holder, ends = excluded.ends
                WHERE known.holder = excluded.holder OR known.ends < clock_timestamp()
                RETURNING 1::bigint
                """, [.text(name), .text(work), .text(holder)])
        }
        holds.withLock { $0 = rows.isEmpty ? nil : end }
        return !rows.isEmpty
    }

    /// Lets another node have it at once.
    package func release() throws(JournalFailure) {
        holds.withLock { $0 = nil }
        try connection.ask { connection throws(PostgreSQLFailure) in
            try connection.execute(
                "DELETE FROM causeway.lease WHERE name = $1 AND work = $2 AND holder = $3",
                [.text(name), .text(work), .text(holder)])
        }
    }
}
