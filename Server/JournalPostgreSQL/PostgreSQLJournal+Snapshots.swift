package import CausewayJournal
import CausewayPostgreSQL
import Foundation

/// A copy of a replica in the journal.
package struct JournalSnapshot: Hashable, Sendable {
    package var position: UInt64
    package var chain: JournalHash
    package var sizeBytes: UInt64
}

extension PostgreSQLJournal {
    private static let partBytes = 1 << 20

    /// Those that are kept, the newest first.
    package func snapshots() throws(JournalFailure) -> [JournalSnapshot] {
        try leisurely.ask { connection throws(PostgreSQLFailure) in
            let rows = try connection.rows(
                "SELECT position, chain, size FROM causeway.snapshot WHERE database = $1 ORDER BY position DESC",
                [number])
            return try rows.map { row throws(PostgreSQLFailure) in
                JournalSnapshot(
                    position: try row.unsigned(0), chain: try row.hash(1), sizeBytes: try row.unsigned(2))
            }
        }
    }

    /// Keeps a copy of a replica, unless another node is about to.
    ///
    /// - Parameter copy: makes the copy: a file, and where it stands.
    /// - Returns: what is kept now; nil for a copy of a past that the journal has lost, which is not kept.
    package func keepSnapshot(
        _ copy: () throws -> (file: String, mark: JournalMark)
    ) throws(JournalFailure) -> JournalSnapshot? {
        try leisurely.ask { connection throws(PostgreSQLFailure) in
            try connection.execute("BEGIN")
            let isMine = try connection.rows("SELECT pg_try_advisory_xact_lock($1)", [number]).first.there.value(0)
                .isTrue
            let kept = try isMine ? Self.keep(copy, number, connection) : nil
            try connection.execute(kept == nil ? "ROLLBACK" : "COMMIT")
            return kept
        }
    }

    /// - Returns: nil for a copy that is not of the journal's past, or is kept already.
    static func keep(
        _ copy: () throws -> (file: String, mark: JournalMark), _ database: PostgreSQLParameter,
        _ connection: PostgreSQLConnection
    ) throws(PostgreSQLFailure) -> JournalSnapshot? {
        let (file, mark): (FileHandle, JournalMark)
        let size: UInt64
        do {
            let made = try copy()
            (file, mark) = (try FileHandle(forReadingFrom: URL(filePath: made.file)), made.mark)
            size = try file.seekToEnd()
            try file.seek(toOffset: 0)
        } catch {
            throw PostgreSQLFailure(.refused(state: ""), "A snapshot cannot be made: \(error)")
        }
        defer { try? file.close() }
        let position = PostgreSQLParameter.number(Int64(clamping: mark.position))
        let place = [database, position, .binary(mark.chain.bytes)]
        let isOfThisPast = try connection.rows(
            """
            INSERT INTO causeway.snapshot (database, position, chain, size) SELECT $1, $2, $3, $4 WHERE EXISTS (
                SELECT FROM causeway.journal WHERE database = $1 AND position = $2 AND chain = $3
            ) OR EXISTS (SELECT FROM causeway.head WHERE database = $1 AND head.position = $2 AND chain = $3)
            ON CONFLICT DO NOTHING RETURNING position
            """, place + [.number(Int64(clamping: size))])
        guard !isOfThisPast.isEmpty else { return nil }
        var part: Int64 = 0
        while let bytes = try? file.read(upToCount: partBytes), !bytes.isEmpty {
            try connection.execute(
                "INSERT INTO causeway.snapshot_part VALUES ($1, $2, $3, $4)",
                [database, position, .number(part), .binary(Array(bytes))])
            part += 1
        }
        return JournalSnapshot(position: mark.position, chain: mark.chain, sizeBytes: size)
    }

    /// Writes a snapshot into a file.
    package func load(_ snapshot: JournalSnapshot, into path: String) throws(JournalFailure) {
        try leisurely.ask { connection throws(PostgreSQLFailure) in
            let loading = path + ".loading"
            let failure = { (reason: String) in
                PostgreSQLFailure(.refused(state: ""), "The snapshot cannot be written to \(path): \(reason)")
            }
            guard FileManager.default.createFile(atPath: loading, contents: nil),
                let file = FileHandle(forWritingAtPath: loading)
            else { throw failure("check the folder and its permissions.") }
            defer { try? file.close() }
            let parts = (snapshot.sizeBytes + UInt64(Self.partBytes) - 1) / UInt64(Self.partBytes)
            for part in 0..<parts {
                let bytes = try connection.rows(
                    "SELECT bytes FROM causeway.snapshot_part WHERE database = $1 AND position = $2 AND part = $3",
                    [number, .number(Int64(clamping: snapshot.position)), .number(Int64(clamping: part))]
                ).first.there.value(0).bytes
                do {
                    try file.write(contentsOf: bytes)
                } catch {
                    throw failure(error.localizedDescription)
                }
            }
            do {
                try file.synchronize()
                try FileManager.default.moveItem(atPath: loading, toPath: path)
            } catch {
                throw failure(error.localizedDescription)
            }
        }
    }

    /// Removes what neither a new node nor a moment of so many days needs.
    ///
    /// The base is the newest snapshot that is older: every moment of these days is made from it and what follows. Entries and
    /// digests before it go. Behind it stay the two newest snapshots, and four in all the time between, one of which is the base later.
    ///
    /// - Returns: how many entries were removed.
    package func forget(keepingDays days: Int) throws(JournalFailure) -> Int {
        let time: [PostgreSQLParameter] = [number, .number(Int64(days))]
        return try leisurely.ask { connection throws(PostgreSQLFailure) in
            try connection.execute(
                """
                WITH kept AS (
                    SELECT position, made, made < now() - make_interval(days => $2::int) AS is_old
                    FROM causeway.snapshot WHERE database = $1
                ) DELETE FROM causeway.snapshot WHERE database = $1 AND position NOT IN (
                    SELECT coalesce(max(position) FILTER (WHERE is_old), min(position)) FROM kept
                    UNION (SELECT position FROM kept ORDER BY position DESC LIMIT 2)
                    UNION SELECT min(position) FROM kept WHERE NOT is_old
                    GROUP BY floor(extract(epoch FROM made) / 21600 / greatest($2::int, 1))
                )
                """, time)
            // A part at a time: no transaction takes long.
            let removed =
                try connection.rows(
                    """
                    WITH gone AS (
                        DELETE FROM causeway.journal WHERE database = $1 AND position IN (
                            SELECT position FROM causeway.journal WHERE database = $1 AND position < (
                                SELECT max(position) FROM causeway.snapshot
                                WHERE database = $1 AND made < now() - make_interval(days => $2::int)
                            ) ORDER BY position LIMIT 10000
                        ) RETURNING position
                    ) SELECT count(*) FROM gone
                    """, time
                ).first.there.value(0).number.map { Int($0) } ?? 0
            guard removed > 0 else { return 0 }
            try connection.execute(
                """
                DELETE FROM causeway.digest WHERE database = $1 AND position < (
                    SELECT min(position) FROM causeway.journal WHERE database = $1
                )
                """, [number])
            return removed
        }
    }

    /// The last entry that was in the journal at a time, given in seconds since 1970; zero when none of these is kept.
    package func position(at time: Double) throws(JournalFailure) -> UInt64 {
        try leisurely.ask { connection throws(PostgreSQLFailure) in
            try connection.rows(
                """
                SELECT coalesce(max(position), 0) FROM causeway.journal
                WHERE database = $1 AND appended <= to_timestamp($2::double precision)
                """, [number, .text("\(time)")]
            ).first.there.unsigned(0)
        }
    }

    /// When the oldest entry that is kept was appended, in seconds since 1970; nil when none is.
    package func oldestTime() throws(JournalFailure) -> Double? {
        try leisurely.ask { connection throws(PostgreSQLFailure) in
            let text = try connection.rows(
                "SELECT extract(epoch FROM appended)::text FROM causeway.journal WHERE database = $1 ORDER BY position LIMIT 1",
                [number]
            ).first?.first?.text
            return text.flatMap { Double($0) }
        }
    }
}
