package import CausewayPostgreSQL

/// The tables of journals in PostgreSQL, and what makes them.
///
/// Their role needs the right to create a schema in the database while they are made, and afterwards what `GRANT` in
/// `JOURNALPOSTGRESQL.md` gives it.
package enum JournalTables {
    /// Of the tables. A program refuses older ones: they are brought up to date by `sync-server journal init`.
    static let version: Int64 = 3
    /// The oldest version whose programs can use tables of this one: what came since is only added. So that a node after the
    /// other can be updated, after the tables.
    static let oldestVersion: Int64 = 3

    /// The channel on which nodes hear that something was appended.
    static let channel = "causeway_journal"

    /// What became of the tables.
    package enum Making: Hashable, Sendable {
        case made
        /// They were of an older version.
        case updated(from: Int64)
        case unchanged
    }

    /// Makes the tables, if they are not there, or brings them up to date.
    ///
    /// - Throws: also when they are of a later version: an older program leaves them alone.
    package static func make(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) -> Making {
        try connection.execute("BEGIN")
        // Two programs that begin together make one set of tables.
        try connection.execute("SELECT pg_advisory_xact_lock(\(lock))")
        let known = try version(connection)
        if let known, known > version {
            try connection.execute("ROLLBACK")
            throw PostgreSQLFailure(
                .refused(state: ""),
                "The tables have version \(known), and this program makes version \(version). Take the newer program.")
        }
        for (number, statements) in steps where number > known ?? 0 {
            for statement in statements { try connection.execute(statement) }
        }
        try connection.execute("UPDATE causeway.version SET number = \(version), oldest = \(oldestVersion)")
        try connection.execute("COMMIT")
        guard let known else { return .made }
        return known == version ? .unchanged : .updated(from: known)
    }

    /// A journal, as an operator sees it.
    package struct Summary: Hashable, Sendable {
        package var name: String
        package var position: Int64
        /// What is kept.
        package var entries: Int64
        package var bytes: Int64
        /// When the oldest and the newest of them were appended, such as 2026-11-29T09:30:00Z; empty where there is none.
        package var oldest: String
        package var newest: String
    }

    /// All journals, by name.
    package static func summaries(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) -> [Summary] {
        try requireUsable(connection)
        let rows = try connection.rows(
            """
            SELECT h.name, h.position, count(j.position), coalesce(sum(j.size), 0)::bigint,
                to_char(min(j.appended) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                to_char(max(j.appended) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            FROM causeway.head AS h LEFT JOIN causeway.journal AS j USING (database)
            GROUP BY h.name, h.position ORDER BY h.name
            """)
        return rows.map { row in
            Summary(
                name: row[0].text, position: row[1].number ?? 0, entries: row[2].number ?? 0, bytes: row[3].number ?? 0,
                oldest: row[4].text, newest: row[5].text)
        }
    }

    /// What the role of nodes needs.
    package static let rights =
        "The role of the nodes needs: GRANT USAGE ON SCHEMA causeway TO ROLE; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN "
        + "SCHEMA causeway TO ROLE"

    /// Nil where there are none.
    static func version(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) -> Int64? {
        let isThere = try connection.rows("SELECT to_regclass('causeway.version') IS NOT NULL").first?.first?.isTrue
        guard isThere == true else { return nil }
        return try connection.rows("SELECT number FROM causeway.version").first?.first?.number
    }

    /// - Throws: where there are no tables, or those of a version that this program cannot use.
    static func requireUsable(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) {
        guard let known = try version(connection) else {
            throw PostgreSQLFailure(
                .refused(state: ""), "PostgreSQL has no tables for journals yet. Make them: sync-server journal init")
        }
        if known == version { return }
        if known > version,
            let oldest = try connection.rows("SELECT oldest FROM causeway.version").first?.first?.number,
            oldest <= version
        {
            return
        }
        throw PostgreSQLFailure(
            .refused(state: ""),
            "The tables of the journal have version \(known), and this program needs version \(version). "
                + (known < version
                    ? "Bring them up to date with this program: sync-server journal init" : "Take a newer program."))
    }

    private static let lock: Int64 = 0x6361_7573_6577_6179

    /// What each version adds to the one before. A step never changes: somebody has run it.
    private static let steps: [(version: Int64, statements: [String])] = [
        (1, journals), (2, whatNodesShare), (3, whoNodesAre),
    ]

    private static let whoNodesAre = [
        "ALTER TABLE causeway.version ADD COLUMN IF NOT EXISTS oldest bigint NOT NULL DEFAULT 0",
        // What each process says of itself: see NodeRegister.
        """
        CREATE TABLE IF NOT EXISTS causeway.node (
            node text PRIMARY KEY,
            place text NOT NULL,
            program text NOT NULL,
            generation bigint NOT NULL,
            started timestamptz NOT NULL,
            seen timestamptz NOT NULL,
            positions jsonb NOT NULL
        )
        """,
    ]

    private static let whatNodesShare = [
        """
        CREATE TABLE causeway.account (
            name text NOT NULL,
            tree text NOT NULL,
            key bytea NOT NULL,
            value bytea NOT NULL,
            PRIMARY KEY (name, tree, key)
        )
        """,
        // Who of the nodes does what only one may do at a time, and until when.
        """
        CREATE TABLE causeway.lease (
            name text NOT NULL,
            work text NOT NULL,
            holder text NOT NULL,
            ends timestamptz NOT NULL,
            PRIMARY KEY (name, work)
        )
        """,
    ]

    private static let journals = [
        "CREATE SCHEMA IF NOT EXISTS causeway",
        "CREATE TABLE causeway.version (number bigint NOT NULL)",
        "INSERT INTO causeway.version VALUES (1)",
        // One row a database: the lock that gives appends their order. Each append writes it anew, in place where there is room.
        """
        CREATE TABLE causeway.head (
            name text PRIMARY KEY,
            database bigint NOT NULL UNIQUE,
            incarnation bigint NOT NULL,
            position bigint NOT NULL,
            chain bytea NOT NULL,
            server text NOT NULL
        ) WITH (fillfactor = 10)
        """,
        """
        CREATE TABLE causeway.journal (
            database bigint NOT NULL REFERENCES causeway.head (database) ON DELETE CASCADE,
            position bigint NOT NULL,
            chain bytea NOT NULL,
            size bigint NOT NULL,
            appended timestamptz NOT NULL DEFAULT now(),
            entry bytea NOT NULL,
            PRIMARY KEY (database, position)
        )
        """,
        """
        CREATE TABLE causeway.digest (
            database bigint NOT NULL REFERENCES causeway.head (database) ON DELETE CASCADE,
            position bigint NOT NULL,
            digest bytea NOT NULL,
            PRIMARY KEY (database, position)
        )
        """,
        // Copies of replicas, in parts.
        """
        CREATE TABLE causeway.snapshot (
            database bigint NOT NULL REFERENCES causeway.head (database) ON DELETE CASCADE,
            position bigint NOT NULL,
            chain bytea NOT NULL,
            size bigint NOT NULL,
            made timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (database, position)
        )
        """,
        """
        CREATE TABLE causeway.snapshot_part (
            database bigint NOT NULL,
            position bigint NOT NULL,
            part bigint NOT NULL,
            bytes bytea NOT NULL,
            PRIMARY KEY (database, position, part),
            FOREIGN KEY (database, position) REFERENCES causeway.snapshot ON DELETE CASCADE
        )
        """,
        // A life of the server: another one may have lost what the last one had.
        """
        CREATE FUNCTION causeway.server() RETURNS text LANGUAGE sql STABLE AS $$
            SELECT system_identifier::text || '/' || extract(epoch FROM pg_postmaster_start_time())::text
            FROM pg_control_system()
        $$
        """,
        "CREATE FUNCTION causeway.fixed64(number bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ "
            + "SELECT substr(b, 8, 1) || substr(b, 7, 1) || substr(b, 6, 1) || substr(b, 5, 1) || substr(b, 4, 1) "
            + "|| substr(b, 3, 1) || substr(b, 2, 1) || substr(b, 1, 1) FROM int8send(number) AS b $$",
        // In one round trip, so that the row is locked no longer than the transaction takes. Null is another incarnation, or
        // another life of the server.
        """
        CREATE FUNCTION causeway.append(of_database bigint, under bigint, entries bytea[]) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE
            head causeway.head;
            appended bytea;
        BEGIN
            SELECT * INTO head FROM causeway.head AS h WHERE h.database = of_database FOR UPDATE;
            IF NOT FOUND OR head.incarnation <> under OR head.server <> causeway.server() THEN
                RETURN NULL;
            END IF;
            FOREACH appended IN ARRAY entries LOOP
                head.position := head.position + 1;
                head.chain := sha256(head.chain || causeway.fixed64(head.position) || appended);
                INSERT INTO causeway.journal (database, position, chain, size, entry)
                    VALUES (of_database, head.position, head.chain, octet_length(appended), appended);
            END LOOP;
            UPDATE causeway.head AS h SET position = head.position, chain = head.chain WHERE h.database = of_database;
            PERFORM pg_notify('\(channel)', of_database::text || ' ' || head.position::text);
            RETURN head.position;
        END
        $$
        """,
    ]
}
