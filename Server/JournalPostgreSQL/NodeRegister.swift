package import CausewayJournal
package import CausewayPostgreSQL

/// The nodes that work with one PostgreSQL, as each of them says of itself. Nothing is decided by it but whether a switch that would
/// stop a node is held back: operators read it. Its calls block.
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
            self = text.isNull ? .notOpen : .at(UInt64(text.text) ?? 0)
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
        /// Its databases, by name.
        package var databases: [String: Standing]

        package init(
            node: String, place: String, program: String, generation: UInt64, databases: [String: Standing]
        ) {
            (self.node, self.place, self.program) = (node, place, program)
            (self.generation, self.databases) = (generation, databases)
        }
    }

    /// A node, as it spoke last.
    package struct Known: Sendable {
        package var saying: Saying
        /// By the clock of PostgreSQL.
        package var startedSecondsAgo: Int64
        package var seenSecondsAgo: Int64

        package init(_ saying: Saying, startedSecondsAgo: Int64, seenSecondsAgo: Int64) {
            (self.saying, self.startedSecondsAgo, self.seenSecondsAgo) = (saying, startedSecondsAgo, seenSecondsAgo)
        }

        /// Whether it is taken to be there.
        package var isHere: Bool { seenSecondsAgo <= NodeRegister.silentSecondsMax }
    }

    /// Says what a node is now, and forgets nodes that have been gone for a day.
    package func say(_ saying: Saying) throws(JournalFailure) {
        let databases = saying.databases.sorted { $0.key < $1.key }
        try connection.ask { connection throws(PostgreSQLFailure) in
            try connection.execute(
                """
                WITH gone AS (
                    DELETE FROM causeway.node
                    WHERE node <> $1 AND seen < clock_timestamp() - interval '\(Self.rememberedHours) hours'
                )
                INSERT INTO causeway.node (node, place, program, generation, started, seen, positions)
                VALUES (
                    $1, $2, $3, $4, clock_timestamp(), clock_timestamp(),
                    (SELECT coalesce(jsonb_object_agg(name, nullif(position, '')), '{}')
                        FROM unnest($5::text[], $6::text[]) AS known (name, position))
                )
                ON CONFLICT (node) DO UPDATE SET seen = excluded.seen, positions = excluded.positions
                """,
                [
                    .text(saying.node), .text(saying.place), .text(saying.program),
                    .number(Int64(bitPattern: saying.generation)), .texts(databases.map(\.key)),
                    .texts(databases.map(\.value.text)),
                ])
        }
    }

    /// A node that ends is forgotten at once.
    package func leave(_ node: String) throws(JournalFailure) {
        try connection.ask { connection throws(PostgreSQLFailure) in
            try connection.execute("DELETE FROM causeway.node WHERE node = $1", [.text(node)])
        }
    }

    /// All nodes, by their places: at most a thousand of them.
    package func nodes() throws(JournalFailure) -> [Known] {
        try connection.ask { connection throws(PostgreSQLFailure) in
            let rows = try connection.rows(
                """
                SELECT n.node, n.place, n.program, n.generation,
                    extract(epoch FROM clock_timestamp() - n.started)::bigint,
                    extract(epoch FROM clock_timestamp() - n.seen)::bigint, known.name, known.position
                FROM (SELECT * FROM causeway.node ORDER BY place, node LIMIT \(Self.nodesMax)) AS n
                LEFT JOIN LATERAL jsonb_each_text(n.positions) AS known (name, position) ON true
                ORDER BY n.place, n.node
                """)
            var nodes: [Known] = []
            for row in rows {
                let node = try row.value(0).text
                if nodes.last?.saying.node != node {
                    let saying = Saying(
                        node: node, place: try row.value(1).text, program: try row.value(2).text,
                        generation: try row.unsigned(3), databases: [:])
                    nodes.append(
                        Known(
                            saying, startedSecondsAgo: try row.value(4).number ?? 0,
                            seenSecondsAgo: try row.value(5).number ?? 0))
                }
                guard let name = try row.value(6).there else { continue }
                nodes[nodes.count - 1].saying.databases[name.text] = Standing(try row.value(7))
            }
            return nodes
        }
    }
}

extension PostgreSQLValue {
    /// Nil for null.
    fileprivate var there: PostgreSQLValue? { isNull ? nil : self }
}
