import CausewayFeed
import CausewayModel
import CausewayPostgreSQL
import CausewayPostgreSQL
import CausewaySession
import Synchronization

/// Writes one-way objects into tables of PostgreSQL, one for each class, and the position into a table of its own, in one
/// transaction: each object is there exactly once, whichever side is killed.
package final class PostgreSQLSink: Sink {
    package struct Rules: Hashable, Sendable {
        /// The name that the position has in PostgreSQL.
        package var name: String
        /// The schema in PostgreSQL.
        package var area: String
        /// Read at each connecting, so that a password can be changed.
        package var connectionFile: String

        package init(name: String, area: String = "public", connectionFile: String) {
            self.name = name
            self.area = area
            self.connectionFile = connectionFile
        }
    }

    private let thread = StoreThread(label: "causeway.sink.postgresql")
    private let session: Mutex<PostgreSQLSession>

    package init(_ rules: Rules) {
        session = Mutex(PostgreSQLSession(rules))
    }

    package func open() async throws(SinkFailure) -> UInt64 {
        try await run { session throws(SinkFailure) in try session.open() }
    }

    package func take(_ batch: SinkBatch) async throws(SinkFailure) {
        try await run { session throws(SinkFailure) in try session.take(batch) }
    }

    package func rest() async throws(SinkFailure) {}

    package func close() async {
        session.withLock { $0.close() }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout PostgreSQLSession) throws(SinkFailure) -> Value
    ) async throws(SinkFailure) -> Value {
        let result = await thread.runFreely { [self] in
            session.withLock { session in Result { () throws(SinkFailure) in try body(&session) } }
        }
        return try result.get()
    }
}

/// One connection, and the tables that it has prepared. Its calls block.
private struct PostgreSQLSession {
    private let rules: PostgreSQLSink.Rules
    private var connection: PostgreSQLConnection?
    /// By class, as they were prepared last.
    private var tables: ExactDictionary<PostgreSQLTable> = [:]
    private let positions: String
    /// The position that PostgreSQL has, as far as this session knows. The sink itself may be further: over arrivals of other
    /// classes it goes without a word.
    private var written: UInt64 = 0

    init(_ rules: PostgreSQLSink.Rules) {
        self.rules = rules
        positions = PostgreSQLName.quoted(rules.area) + ".\"causeway_positions\""
    }

    mutating func close() {
        connection = nil
        tables = [:]
    }

    mutating func open() throws(SinkFailure) -> UInt64 {
        close()
        let settings = try SecretFile.text(of: rules.connectionFile)
        let (connection, found) = try Self.asking {
            () throws(PostgreSQLFailure) -> (PostgreSQLConnection, UInt64?) in
            let connection = try PostgreSQLConnection(settings)
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS \(positions) (name text PRIMARY KEY, sequence bigint NOT NULL)")
            try connection.execute(
                "INSERT INTO \(positions) (name, sequence) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING", [name])
            return (connection, try position("", connection))
        }
        written = try known(found)
        self.connection = connection
        return written
    }

    private static func asking<Value>(
        _ body: () throws(PostgreSQLFailure) -> Value
    ) throws(SinkFailure) -> Value {
        do throws(PostgreSQLFailure) {
            return try body()
        } catch {
            switch error.code {
            case .broken, .refused: throw SinkFailure(error.message + " Nothing is lost: the objects come again.")
            case .notInstalled, .settingsWrong, .unreachable: throw SinkFailure(error.message)
            }
        }
    }

    private var name: PostgreSQLParameter { .text(rules.name) }

    /// Nil when somebody has removed it.
    private func position(_ lock: String, _ connection: PostgreSQLConnection) throws(PostgreSQLFailure) -> UInt64? {
        try connection.rows("SELECT sequence FROM \(positions) WHERE name = $1 \(lock)", [name])
            .first?.first?.number.flatMap { UInt64(exactly: $0) }
    }

    private func known(_ position: UInt64?) throws(SinkFailure) -> UInt64 {
        guard let position else {
            throw SinkFailure(
                "The table \(positions) has no position of “\(rules.name)” any more: somebody has removed it. Put it back, or every "
                    + "object that the database still has is written again.")
        }
        return position
    }

    mutating func take(_ batch: SinkBatch) throws(SinkFailure) {
        guard let connection else { throw SinkFailure("The connection to PostgreSQL is closed.") }
        // Two servers with one configuration, or an earlier connection that is not gone yet, must not write both.
        let found = try Self.asking { () throws(PostgreSQLFailure) -> UInt64? in
            try connection.execute("BEGIN")
            return try position("FOR UPDATE", connection)
        }
        guard try known(found) == written else {
            throw SinkFailure(
                "The position of “\(rules.name)” in PostgreSQL was moved by somebody else. Let one server alone write under this "
                    + "name. The sink goes on from there.")
        }
        var rows: [(className: String, rows: [SinkRow])] = []
        for row in batch.rows {
            let index = rows.firstIndex { $0.className.isSame(as: row.values.className) }
            if let index { rows[index].rows.append(row) } else { rows.append((row.values.className, [row])) }
        }
        try Self.asking { () throws(PostgreSQLFailure) -> Void in
            for (className, rows) in rows {
                let table = try prepared(className, batch, connection)
                try connection.execute(table.insertion, [.text(table.rows(rows))])
            }
            try connection.execute(
                "UPDATE \(positions) SET sequence = $2 WHERE name = $1",
                [name, .number(Int64(clamping: batch.through))])
            try connection.execute("COMMIT")
        }
        written = batch.through
    }

    /// A failure rolls back what was prepared too, and closes the connection: the next one prepares anew.
    private mutating func prepared(
        _ className: String, _ batch: SinkBatch, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLFailure) -> PostgreSQLTable {
        guard let classSchema = batch.schema[className] else {
            preconditionFailure("An object of \(className) was read under a schema without that class.")
        }
        let table = PostgreSQLTable(classSchema, in: batch.schema, area: rules.area)
        if tables[className] == table { return table }
        for statement in table.preparations { try connection.execute(statement) }
        tables[className] = table
        return table
    }
}
