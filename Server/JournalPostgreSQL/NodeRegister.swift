package import CausewayJournal
package import CausewayPostgreSQL

/// The nodes that work with one PostgreSQL, as each of them says of itself. Operators read it. The program asks it for one thing: which
/// nodes a switch to another generation would stop. Its calls block.
package final class NodeRegister: Sendable {
    private let connection: JournalConnection

    package init(_ settings: @escaping PostgreSQLSettings) { connection = JournalConnection(settings) }

    /// How long a node may have been silent that is taken to be there: it says something every few seconds.
    package static let silentSecondsMax: Int64 = 15
    /// After how long nobody remembers a node that is gone.
    private static let rememberedHours = 24
    private static let nodesMax = 1_000

    /// How a node has a database.
    package enum Standing: Hashable, Sendable {
        /// It has applied the journal up to this entry.
        case at(UInt64)
        case notOpen

        fileprivate init(_ text: PostgreSQLValue) {
            self = UInt64(text.text).map { .at($0) } ?? .notOpen
        }

        /// Empty where there is none.
        fileprivate var text: String { if case .at(let position) = self { "\(position)" } else { "" } }
    }

    /// What a node says of itself.
    package struct Saying: Sendable {
        /// Names the process among all nodes.
        package var node: String
        /// Where devices reach it, for people.
        package var place: String
        /// The version of the program.
        package var program: String
        /// The newest generation of the journal that the program knows.
        package var generation: UInt64
        /// How long the process has been running.
        package var upSeconds: Int64
        /// Its databases, by name. Of a node that is gone nobody asks.
        package var databases: [String: Standing]

        package init(
            node: String, place: String, program: String, generation: UInt64, upSeconds: Int64 = 0,
            databases: [String: Standing]
        ) {
            (self.node, self.place, self.program) = (node, place, program)
            (self.generation, self.upSeconds, self.databases) = (generation, upSeconds, databases)
        }
    }

    /// A node, as it spoke last.
    package struct Known: Sendable {
        package var saying: Saying
        /// By the clock of PostgreSQL.
        package var seenSecondsAgo: Int64

        package init(_ saying: Saying, seenSecondsAgo: Int64) {
            (self.saying, self.seenSecondsAgo) = (saying, seenSecondsAgo)
        }

        /// Whether it is taken to be there.
        package var isHere: Bool { seenSecondsAgo <= NodeRegister.silentSecondsMax }
    }

    /// Says what a node is now. Forgets nodes that have been gone for a day, and silent ones of the same place, which it follows.
    package func say(_ saying: Saying) throws(JournalFailure) {
        let databases = saying.databases.sorted { $0.key < $1.key }
        try connection.ask { connection throws(PostgreSQLFailure) in
            try connection.execute(
                """
                WITH gone AS (
                    DELETE FROM causeway.node
                    WHERE node <> $1 AND seen < clock_timestamp() - CASE place WHEN $2
                        THEN interval '\(Self.silentSecondsMax) seconds' ELSE interval '\(Self.rememberedHours) hours' END
                )
                INSERT INTO causeway.node (node, place, program, generation, started, seen, positions)
                VALUES (
                    $1, $2, $3, $4, clock_timestamp() - interval '1 second' * $7::bigint, clock_timestamp(),
                    (SELECT coalesce(jsonb_object_agg(name, nullif(position, '')), '{}')
                        FROM unnest($5::text[], $6::text[]) AS known (name, position))
                )
                ON CONFLICT (node) DO UPDATE SET seen = excluded.seen, positions = excluded.positions
                """,
                [
                    .text(saying.node), .text(saying.place), .text(saying.program),
                    .number(Int64(bitPattern: saying.generation)), .texts(databases.map(\.key)),
                    .texts(databases.map(\.value.text)), .number(saying.upSeconds),
                ])
        }
    }

    /// A node that ends is forgotten at once.
    package func leave(_ node: String) throws(JournalFailure) {
        try connection.ask { connection throws(PostgreSQLFailure) in
            try connection.execute("DELETE FROM causeway.node WHERE node = $1", [.text(node)])
        }
    }

    /// All nodes: those that are here first, each group by its places. At most a thousand of them.
    package func nodes() throws(JournalFailure) -> [Known] { try nodes(where: "true", []) }

    /// The nodes of a database that are here and whose software does not know a generation.
    package func nodes(of database: String, before generation: UInt64) throws(JournalFailure) -> [Known] {
        try nodes(
            where: "\(Self.isHere) AND generation < $1 AND jsonb_exists(positions, $2)",
            [.number(Int64(clamping: generation)), .text(database)])
    }

    private static let isHere = "seen >= clock_timestamp() - interval '\(silentSecondsMax) seconds'"

    private func nodes(
        where condition: String, _ parameters: [PostgreSQLParameter]
    ) throws(JournalFailure) -> [Known] {
        try connection.ask { connection throws(PostgreSQLFailure) in
            let rows = try connection.rows(
                """
                SELECT n.node, n.place, n.program, n.generation,
                    extract(epoch FROM n.seen - n.started)::bigint,
                    extract(epoch FROM clock_timestamp() - n.seen)::bigint, known.name, known.position
                FROM (
                    SELECT *, \(Self.isHere) AS is_here FROM causeway.node WHERE \(condition)
                    ORDER BY is_here DESC, place, node LIMIT \(Self.nodesMax)
                ) AS n
                LEFT JOIN LATERAL jsonb_each_text(
                    CASE WHEN n.is_here AND jsonb_typeof(n.positions) = 'object' THEN n.positions ELSE '{}' END
                ) AS known (name, position) ON true
                ORDER BY n.is_here DESC, n.place, n.node
                """, parameters)
            var nodes: [Known] = []
            for row in rows {
                let node = try row.value(0).text
                if nodes.last?.saying.node != node {
                    let saying = Saying(
                        node: node, place: try row.value(1).text, program: try row.value(2).text,
                        generation: try row.unsigned(3), upSeconds: try row.value(4).number ?? 0, databases: [:])
                    nodes.append(Known(saying, seenSecondsAgo: try row.value(5).number ?? 0))
                }
                let name = try row.value(6)
                guard !name.isNull else { continue }
                nodes[nodes.count - 1].saying.databases[name.text] = Standing(try row.value(7))
            }
            return nodes
        }
    }
}
