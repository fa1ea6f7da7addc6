package import CausewayJournal
package import CausewayPostgreSQL

/// Waits until something was appended to journals in one PostgreSQL. Used by one thread; its calls block.
///
/// It is a hint, so that nodes need not ask all the time: behind a pooler that lends connections for a transaction nothing is
/// heard, and nodes ask each second.
package final class JournalListener {
    private let settings: PostgreSQLSettings
    private var connection: PostgreSQLConnection?

    /// What a journal has by now.
    package struct News: Hashable, Sendable {
        package var database: UInt64
        package var position: UInt64

        package init(database: UInt64, position: UInt64) {
            (self.database, self.position) = (database, position)
        }
    }

    package init(_ settings: @escaping PostgreSQLSettings) { self.settings = settings }

    /// - Returns: what was appended meanwhile; nothing when the time is over.
    /// - Throws: `away` when PostgreSQL cannot be reached. The next call connects again.
    package func next(within milliseconds: Int32) throws(JournalFailure) -> [News] {
        do throws(PostgreSQLFailure) {
            let connection = if let open = connection { open } else { try connected() }
            let carried = try connection.awaitNotifications(milliseconds: milliseconds)
            return carried.compactMap { News($0) }
        } catch {
            connection = nil
            throw JournalFailure(.away, error.message)
        }
    }

    private func connected() throws(PostgreSQLFailure) -> PostgreSQLConnection {
        let made = try PostgreSQLConnection(try settings(), JournalConnection.limits)
        try made.execute("LISTEN \(JournalTables.channel)")
        connection = made
        return made
    }
}

extension JournalListener.News {
    /// As the function `causeway.append` writes it.
    init?(_ text: String) {
        let words = text.split(separator: " ").compactMap { Int64($0) }
        guard words.count == 2 else { return nil }
        self.init(database: UInt64(bitPattern: words[0]), position: UInt64(bitPattern: words[1]))
    }
}
