package import CausewayJournal
package import CausewayPostgreSQL
import Synchronization

/// The journal of a database in PostgreSQL. `JOURNALPOSTGRESQL.md` describes its tables.
///
/// It connects when it is asked something, and again after the connection broke.
package final class PostgreSQLJournal: Journal {
    /// The name of the database among the journals.
    package let name: String
    /// Its epoch.
    package let database: UInt64
    private let connection: JournalConnection
    /// For long work, which appends do not wait for.
    let leisurely: JournalConnection
    /// Draws incarnations.
    private let draw: @Sendable () -> UInt64

    /// Finds the journal of a database, or begins it.
    ///
    /// - Parameters:
    ///   - name: of the database.
    ///   - draw: a number that nobody has drawn before; never zero.
    /// - Throws: also when the tables are not there, or of another version.
    package static func open(
        _ name: String, _ settings: @escaping PostgreSQLSettings, draw: @escaping @Sendable () -> UInt64
    ) throws(JournalFailure) -> PostgreSQLJournal {
        let connection = JournalConnection(settings)
        let database = try connection.ask { connection throws(PostgreSQLFailure) -> UInt64 in
            _ = try insert(name, draw(), incarnation: draw(), connection)
            let row = try connection.rows("SELECT database FROM causeway.head WHERE name = $1", [.text(name)]).first
            return try row.there.unsigned(0)
        }
        return PostgreSQLJournal(name, database, connection, JournalConnection(settings), draw)
    }

    /// Finds the journal of a database; nil where there is none.
    package static func find(
        _ name: String, _ settings: @escaping PostgreSQLSettings, draw: @escaping @Sendable () -> UInt64
    ) throws(JournalFailure) -> PostgreSQLJournal? {
        let connection = JournalConnection(settings)
        let database = try connection.ask { connection throws(PostgreSQLFailure) -> UInt64? in
            try connection.rows("SELECT database FROM causeway.head WHERE name = $1", [.text(name)]).first?.unsigned(0)
        }
        return database.map { PostgreSQLJournal(name, $0, connection, JournalConnection(settings), draw) }
    }

    /// Whether some journal has this number: then another database of the same origin is there.
    package static func exists(
        _ database: UInt64, besides name: String, _ settings: @escaping PostgreSQLSettings
    ) throws(JournalFailure) -> Bool {
        try JournalConnection(settings).ask { connection throws(PostgreSQLFailure) in
            try !connection.rows(
                "SELECT name FROM causeway.head WHERE database = $1 AND name <> $2",
                [.number(Int64(bitPattern: database)), .text(name)]
            ).isEmpty
        }
    }

    /// Connects once, for whoever would else wait for each of many databases.
    ///
    /// - Throws: why no journal can be used.
    package static func reach(_ settings: @escaping PostgreSQLSettings) throws(JournalFailure) {
        try JournalConnection(settings).ask { _ in }
    }

    /// Whether nobody has written into it, and it began with nothing.
    package func isEmpty() throws(JournalFailure) -> Bool {
        guard try head().position == 0 else { return false }
        return try snapshots().isEmpty
    }

    /// Removes a journal, with everything that nodes share of the database.
    ///
    /// - Returns: whether there was one.
    package static func remove(_ name: String, _ settings: @escaping PostgreSQLSettings) throws(JournalFailure) -> Bool
    {
        try JournalConnection(settings).ask(changing: true) { connection throws(PostgreSQLFailure) in
            try connection.execute("BEGIN")
            for table in ["account", "lease"] {
                try connection.execute("DELETE FROM causeway.\(table) WHERE name = $1", [.text(name)])
            }
            let rows = try connection.rows("DELETE FROM causeway.head WHERE name = $1 RETURNING name", [.text(name)])
            try connection.execute("COMMIT")
            return !rows.isEmpty
        }
    }

    /// Begins the journal of a database that is there already.
    ///
    /// - Parameters:
    ///   - file: of a replica that has applied nothing; kept as the snapshot of position 0.
    ///   - replaces: whether a journal of this name that has entries goes. One without entries does in any case.
    /// - Returns: false when there is a journal of this name.
    package static func begin(
        _ name: String, of database: UInt64, with file: String, replaces: Bool = false,
        _ settings: @escaping PostgreSQLSettings, incarnation: UInt64
    ) throws(JournalFailure) -> Bool {
        // In one transaction: a node that comes meanwhile must not begin with nothing.
        try JournalConnection(settings).ask { connection throws(PostgreSQLFailure) in
            try connection.execute("BEGIN")
            // A node that began too early has left one that is empty.
            try connection.execute(
                """
                DELETE FROM causeway.head AS h WHERE name = $1 AND ($2 = 1 OR position = 0 AND NOT EXISTS
                (SELECT 1 FROM causeway.snapshot AS s WHERE s.database = h.database))
                """, [.text(name), .number(replaces ? 1 : 0)])
            guard try insert(name, database, incarnation: incarnation, connection) else {
                try connection.execute("ROLLBACK")
                return false
            }
            _ = try keep(
                { (file, .beginning(of: database)) }, .number(Int64(bitPattern: database)), connection)
            try connection.execute("COMMIT")
            return true
        }
    }

    /// - Returns: whether there was no journal of this name.
    private static func insert(
        _ name: String, _ database: UInt64, incarnation: UInt64, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLFailure) -> Bool {
        let rows = try connection.rows(
            "INSERT INTO causeway.head VALUES ($1, $2, $3, 0, $4, causeway.server()) ON CONFLICT (name) DO NOTHING "
                + "RETURNING name",
            [
                .text(name), .number(Int64(bitPattern: database)), .number(Int64(bitPattern: incarnation)),
                .binary(JournalHash.empty(of: database).bytes),
            ])
        return !rows.isEmpty
    }

    private init(
        _ name: String, _ database: UInt64, _ connection: JournalConnection, _ leisurely: JournalConnection,
        _ draw: @escaping @Sendable () -> UInt64
    ) {
        (self.name, self.database, self.draw) = (name, database, draw)
        (self.connection, self.leisurely) = (connection, leisurely)
    }

    var number: PostgreSQLParameter { .number(Int64(bitPattern: database)) }

    // MARK: - The journal

    package func head() throws(JournalFailure) -> JournalHead {
        try connection.ask { connection throws(PostgreSQLFailure) in
            while true {
                let row = try connection.rows(
                    "SELECT incarnation, position, chain, server = causeway.server() FROM causeway.head WHERE database = $1",
                    [number]
                ).first.there
                let head = JournalHead(
                    database: database, incarnation: try row.unsigned(0), position: try row.unsigned(1),
                    chain: try row.hash(2))
                if try row.value(3).isTrue { return head }
                // It was restarted, restored or promoted since the last append, and may have lost entries. Of nodes that see
                // so together, one draws.
                try connection.execute(
                    "UPDATE causeway.head SET incarnation = $3, server = causeway.server() WHERE database = $1 AND "
                        + "incarnation = $2",
                    [
                        number, .number(Int64(bitPattern: head.incarnation)),
                        .number(Int64(bitPattern: draw())),
                    ])
            }
        }
    }

    package func append(_ entries: [[UInt8]], in incarnation: UInt64) throws(JournalFailure) -> UInt64 {
        let position = try connection.ask(changing: true) { connection throws(PostgreSQLFailure) -> Int64? in
            let row = try connection.rows(
                "SELECT causeway.append($1, $2, $3)",
                [number, .number(Int64(bitPattern: incarnation)), .byteArrays(entries)]
            ).first.there
            return try row.value(0).number
        }
        guard let position else {
            throw JournalFailure(
                .otherIncarnation, "The journal may have lost entries since. Read its head, and append again.")
        }
        return UInt64(position)
    }

    /// At most so many bytes of entries are read at once, but one entry at least.
    private static let readBytesMax = 16 << 20

    package func read(after position: UInt64, limit: Int) throws(JournalFailure) -> [StoredEntry] {
        let entries = try connection.ask { connection throws(PostgreSQLFailure) in
            let rows = try connection.rows(
                """
                SELECT position, chain, entry FROM (
                    SELECT position, chain, entry, sum(size) OVER (ORDER BY position) - size AS before
                    FROM (
                        SELECT * FROM causeway.journal WHERE database = $1 AND position > $2 ORDER BY position LIMIT $3
                    ) AS next
                ) AS next WHERE before < $4 ORDER BY position
                """,
                [
                    number, .number(Int64(clamping: position)), .number(Int64(max(limit, 1))),
                    .number(Int64(Self.readBytesMax)),
                ])
            return try rows.map { row throws(PostgreSQLFailure) in
                StoredEntry(
                    position: try row.unsigned(0), chain: try row.hash(1), bytes: try row.value(2).bytes)
            }
        }
        if let first = entries.first {
            if first.position == position + 1 { return entries }
        } else if try head().position <= position {
            return []
        }
        throw JournalFailure(
            .forgotten, "Entry \(position + 1) is not kept any more. Begin from a snapshot.")
    }

    package func note(_ digest: JournalHash, at position: UInt64) throws(JournalFailure) -> JournalHash {
        try connection.ask { connection throws(PostgreSQLFailure) in
            let place: [PostgreSQLParameter] = [number, .number(Int64(clamping: position))]
            try connection.execute(
                "INSERT INTO causeway.digest VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                place + [.binary(digest.bytes)])
            return try connection.rows(
                "SELECT digest FROM causeway.digest WHERE database = $1 AND position = $2", place
            ).first.there.hash(0)
        }
    }
}
