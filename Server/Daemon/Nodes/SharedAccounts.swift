import CausewayIdentity
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL

/// The accounts of a database that many nodes serve: in the PostgreSQL that has the journal.
final class SharedAccounts: AccountHome {
    private let records: PostgreSQLRecords
    /// Told why PostgreSQL did not do something, for the operator.
    private let report: @Sendable (String) -> Void

    init(
        of database: String, _ journal: Configuration.Journal, report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        records = PostgreSQLRecords(of: database, journal.settings)
        self.report = report
    }

    func read<Outcome>(_ body: (any AccountTrees) throws -> Outcome) throws -> Outcome {
        try saying { try records.read { try body(SharedTrees(rows: $0, report: report)) } }
    }

    func write<Outcome>(_ body: (any AccountTrees) throws -> Outcome) throws -> Outcome {
        try saying { try records.write { try body(SharedTrees(rows: $0, report: report)) } }
    }

    /// A connection that nobody needs ends with this.
    func close() {}

    private func saying<Outcome>(_ body: () throws -> Outcome) throws -> Outcome {
        do {
            return try body()
        } catch let error as JournalFailure {
            report(error.message)
            throw SharedTrees.away
        }
    }
}

private struct SharedTrees: AccountTrees {
    let rows: RecordRows
    let report: @Sendable (String) -> Void

    /// Devices come again with this one.
    static let away = AccountError(
        .maintenanceInProgress, "The server's accounts cannot be reached at the moment. Try again later.",
        retryAfterSeconds: 2)

    func get(_ key: [UInt8], in tree: String) throws(AccountError) -> [UInt8]? {
        try saying { () throws(PostgreSQLFailure) in try rows.get(key, in: tree) }
    }

    func values(of keys: [[UInt8]], in tree: String) throws(AccountError) -> [[UInt8]?] {
        try saying { () throws(PostgreSQLFailure) in try rows.values(of: keys, in: tree) }
    }

    func put(_ value: [UInt8], _ key: [UInt8], in tree: String) throws(AccountError) {
        guard key.count <= RecordRows.keyBytesMax else {
            throw AccountError(.invalidParameter, "A name or address is too long. Shorten it.")
        }
        try saying { () throws(PostgreSQLFailure) in try rows.put(value, key, in: tree) }
    }

    func remove(_ key: [UInt8], in tree: String) throws(AccountError) {
        try saying { () throws(PostgreSQLFailure) in try rows.remove(key, in: tree) }
    }

    func keys(in tree: String, from: [UInt8], upTo: [UInt8]?, countMax: Int) throws(AccountError) -> [[UInt8]] {
        try saying { () throws(PostgreSQLFailure) in
            try rows.keys(in: tree, from: from, upTo: upTo, countMax: countMax)
        }
    }

    private func saying<Outcome>(
        _ body: () throws(PostgreSQLFailure) -> Outcome
    ) throws(AccountError) -> Outcome {
        do throws(PostgreSQLFailure) {
            return try body()
        } catch {
            report(error.message)
            throw Self.away
        }
    }
}

extension Configuration {
    /// The operator's work on the accounts of a database: in its folder, or where all nodes have them.
    func accountOffice(of database: String) throws -> AccountOffice {
        let folder = try folder(of: database)
        return if let journal { AccountOffice(SharedAccounts(of: database, journal)) } else {
            try AccountOffice(folder: folder)
        }
    }
}

extension SharedAccounts {
    /// Takes over the accounts of a server that becomes a node.
    ///
    /// - Parameter replaces: whether those that are there go.
    /// - Throws: where there are accounts of another server under the name.
    func take(fromFolder folder: String, of database: String, replaces: Bool) throws {
        guard AccountFile.exists(inFolder: folder) else { return }
        let file = try AccountFile.opened(inFolder: folder, of: database)
        defer { file.close() }
        try file.read { from in
            try write { to in
                if replaces { try to.removeAll() }
                let known = try to.signingKey()
                // A first try may have ended between the accounts and the database.
                guard try known == nil || known == from.signingKey() else {
                    throw CommandFailure(
                        "There are other accounts of '\(database)' in the journal's PostgreSQL. Name the database otherwise."
                    )
                }
                try from.copy(to: to)
            }
        }
    }

    /// Writes the accounts as they are now beside a database that was made of a journal.
    func give(toFolder folder: String, of database: String) throws {
        try read { from in
            guard try from.signingKey() != nil else { return }
            let file = try AccountFile.opened(inFolder: folder, of: database)
            defer { file.close() }
            try file.write { try from.copy(to: $0) }
        }
    }
}
