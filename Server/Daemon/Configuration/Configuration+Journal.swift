extension Configuration {
    /// Where the journals of all databases are. With it the server is one node of several.
    struct Journal: Hashable, Sendable {
        /// The file with the connection to PostgreSQL, as libpq reads it.
        var connectionFile: String
        /// After how many entries a snapshot is kept in the journal.
        var snapshotEntries = 10_000
        /// For how many days every moment can be restored.
        var days = 7
    }

    /// The section `journal`; nil when there is none.
    static func readJournal(_ root: inout Section) -> Journal? {
        guard let node = root.node("journal") else { return nil }
        var section = Section(node, path: "journal")
        var journal = Journal(
            connectionFile: section.requiredText(
                "connectionFile",
                "Name a file with the connection to PostgreSQL, for example: host=… dbname=… user=… password=…"))
        journal.snapshotEntries = section.number("snapshotEntries", 10...100_000_000, default: journal.snapshotEntries)
        journal.days = section.number("days", 0...3_650, default: journal.days)
        root.take(section.finish())
        return journal
    }
}
