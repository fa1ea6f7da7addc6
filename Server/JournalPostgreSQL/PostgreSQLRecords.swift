import CausewayJournal
package import CausewayPostgreSQL

/// Records of a database that all nodes share and that need no journal: accounts. Its calls block.
///
/// Those who write are alone, of all nodes; those who read see one state.
package final class PostgreSQLRecords: Sendable {
    private let name: String
    private let connection: JournalConnection

    /// Connects when it is asked something.
    ///
    /// - Parameter name: of the database, as its journal has it.
    package init(of name: String, _ settings: @escaping PostgreSQLSettings) {
        self.name = name
        connection = JournalConnection(settings)
    }

    /// Runs `body` on one state.
    ///
    /// - Throws: what `body` throws, or a `JournalFailure`.
    package func read<Outcome>(_ body: (RecordRows) throws -> Outcome) throws -> Outcome {
        try transaction(changing: false) { connection throws(PostgreSQLFailure) in
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        } body: {
            try body($0)
        }
    }

    /// Runs `body` as one transaction, alone. What it did is taken back when it throws.
    ///
    /// - Throws: what `body` throws, or a `JournalFailure`: `uncertain` if it may have happened.
    package func write<Outcome>(_ body: (RecordRows) throws -> Outcome) throws -> Outcome {
        try transaction(changing: true) { connection throws(PostgreSQLFailure) in
            // Each statement sees what was committed before it: so the lock comes first, whatever the operator's default is.
            try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            try connection.execute(
                "SELECT pg_advisory_xact_lock(\(Self.lockClass), hashtext($1))", [.text(name)])
        } body: {
            try body($0)
        }
    }

    private static let lockClass = 0x6163_6374

    private func transaction<Outcome>(
        changing: Bool, begin: (PostgreSQLConnection) throws(PostgreSQLFailure) -> Void,
        body: (RecordRows) throws -> Outcome
    ) throws -> Outcome {
        let result: Result<Outcome, any Error> = try connection.ask(changing: changing) {
            connection throws(PostgreSQLFailure) in
            try begin(connection)
            let outcome: Outcome
            do {
                outcome = try body(RecordRows(connection: connection, name: name))
            } catch {
                // On a connection that broke this throws, and the next call makes another one.
                try connection.execute("ROLLBACK")
                return .failure(error)
            }
            try connection.execute("COMMIT")
            return .success(outcome)
        }
        return try result.get()
    }
}

/// The records as one transaction sees them. Keys are in the order of their bytes.
package struct RecordRows {
    let connection: PostgreSQLConnection
    let name: String

    /// What an index of PostgreSQL has room for.
    package static let keyBytesMax = 2_000

    package func get(_ key: [UInt8], in tree: String) throws(PostgreSQLFailure) -> [UInt8]? {
        try connection.rows(
            "SELECT value FROM causeway.account WHERE name = $1 AND tree = $2 AND key = $3", place(key, tree)
        ).first?.value(0).bytes
    }

    /// Of many keys, in one question.
    package func values(of keys: [[UInt8]], in tree: String) throws(PostgreSQLFailure) -> [[UInt8]?] {
        guard !keys.isEmpty else { return [] }
        let rows = try connection.rows(
            "SELECT key, value FROM causeway.account WHERE name = $1 AND tree = $2 AND key = ANY ($3)",
            [.text(name), .text(tree), .byteArrays(keys)])
        var found: [[UInt8]: [UInt8]] = [:]
        for row in rows { found[try row.value(0).bytes] = try row.value(1).bytes }
        return keys.map { found[$0] }
    }

    package func put(_ value: [UInt8], _ key: [UInt8], in tree: String) throws(PostgreSQLFailure) {
        guard key.count <= Self.keyBytesMax else {
            throw PostgreSQLFailure(
                .refused(state: ""), "A key of \(key.count) bytes is too long: \(Self.keyBytesMax) are the most.")
        }
        try connection.execute(
            "INSERT INTO causeway.account (name, tree, key, value) VALUES ($1, $2, $3, $4) "
                + "ON CONFLICT (name, tree, key) DO UPDATE SET value = excluded.value",
            place(key, tree) + [.binary(value)])
    }

    package func remove(_ key: [UInt8], in tree: String) throws(PostgreSQLFailure) {
        try connection.execute(
            "DELETE FROM causeway.account WHERE name = $1 AND tree = $2 AND key = $3", place(key, tree))
    }

    /// The first keys from one on, up to another one; nil is behind the last.
    package func keys(
        in tree: String, from first: [UInt8], upTo end: [UInt8]?, countMax: Int
    ) throws(PostgreSQLFailure) -> [[UInt8]] {
        var (condition, parameters) = ("", place(first, tree) + [.number(Int64(clamping: countMax))])
        if let end {
            condition = "AND key < $5 "
            parameters.append(.binary(end))
        }
        return try connection.rows(
            "SELECT key FROM causeway.account WHERE name = $1 AND tree = $2 AND key >= $3 \(condition)ORDER BY key LIMIT $4",
            parameters
        ).map { row throws(PostgreSQLFailure) in try row.value(0).bytes }
    }

    private func place(_ key: [UInt8], _ tree: String) -> [PostgreSQLParameter] {
        [.text(name), .text(tree), .binary(key)]
    }
}
