// Nodes of one database, exposed where the configuration has a section `journal`.

extension MetricCatalog {
    static let nodes = [journalPosition, journalAnswers, journalAge]

    package static let journalPosition = MetricDefinition(
        "causeway_journal_position", .gauge, labels: ["database"],
        "The last entry of the journal that this node has applied. The difference between two nodes is how far one is behind."
    )
    package static let journalAnswers = MetricDefinition(
        "causeway_journal_answers", .gauge, labels: ["database"],
        "1 while the journal answers this node, 0 while PostgreSQL is away or the database is not open.")
    package static let journalAge = MetricDefinition(
        "causeway_journal_age_seconds", .gauge, unit: "seconds", labels: ["database"],
        "How long ago this node had everything that was in the journal. It looks once a second.")
}
