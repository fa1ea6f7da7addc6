import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import CausewayPrograms

/// A PostgreSQL of this test's own, with the tables of journals.
final class JournalBench {
    let server: PostgreSQLServer
    private var databases = 0

    init() throws {
        server = try PostgreSQLServer()
        guard try JournalTables.make(PostgreSQLConnection(server.connection)) == .made else {
            throw PostgreSQLFailure(.settingsWrong, "an empty PostgreSQL has tables of journals")
        }
    }

    deinit { server.end() }

    var settings: PostgreSQLSettings {
        { [connection = server.connection] () throws(PostgreSQLFailure) in connection }
    }

    func journal(_ name: String) throws -> PostgreSQLJournal {
        try PostgreSQLJournal.open(name, settings) { .random(in: 1...UInt64.max) }
    }

    /// Of a database that nobody has used.
    func journal() throws -> PostgreSQLJournal {
        databases += 1
        return try journal("database \(databases)")
    }
}

extension Journal {
    func append(_ entries: [UInt8]...) throws -> UInt64 { try append(entries, in: head().incarnation) }
}
