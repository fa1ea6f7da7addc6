import CausewayJournal
import CausewayPostgreSQL
import Synchronization

/// The connection of a journal: made when it is needed, used by one thread at a time, dropped when it broke.
final class JournalConnection: Sendable {
    private let settings: PostgreSQLSettings
    private let turn = Mutex(())
    /// Only who has the turn reads or writes it.
    nonisolated(unsafe) private var open: PostgreSQLConnection?

    static let limits = {
        var limits = PostgreSQLConnection.Limits()
        limits.connectSeconds = 5
        limits.statementMilliseconds = 10_000
        limits.answerMilliseconds = 15_000
        limits.needsPrimary = true
        return limits
    }()

    init(_ settings: @escaping PostgreSQLSettings) { self.settings = settings }

    /// - Parameter changing: whether a broken connection leaves it open what has happened.
    func ask<Answer>(
        changing: Bool = false, _ body: (PostgreSQLConnection) throws(PostgreSQLFailure) -> Answer
    ) throws(JournalFailure) -> Answer {
        try turn.withLock { _ throws(JournalFailure) -> Answer in
            do throws(PostgreSQLFailure) {
                let connection = if let open, !open.isBroken { open } else { try Self.connect(settings) }
                open = connection
                return try body(connection)
            } catch {
                open = nil
                throw Self.failure(error, changing)
            }
        }
    }

    private static func connect(
        _ settings: PostgreSQLSettings
    ) throws(PostgreSQLFailure) -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(try settings(), limits)
        try JournalTables.requireUsable(connection)
        // An answer is given when the entry is on the disk. Stricter settings of the operator stay.
        try connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
        return connection
    }

    private static func failure(_ failure: PostgreSQLFailure, _ changing: Bool) -> JournalFailure {
        JournalFailure(
            failure.code == .broken && changing ? .uncertain : .away,
            failure.code == .refused(state: "42501") ? "\(failure.message) \(JournalTables.rights)" : failure.message)
    }

    static let changedByHand = PostgreSQLFailure(
        .refused(state: ""),
        "The tables of the journal are not as they were made: somebody has changed them. Restore them from a backup.")
}
