import CausewayStoreReplicated
import CausewayTelemetry

extension ServedNode {
    /// Where this node is in the journal. Asks nobody.
    func samples(of database: String) -> [MetricSample] {
        [
            MetricSample(MetricCatalog.journalPosition, database, is: Double(record.position)),
            MetricSample(MetricCatalog.journalAnswers, database, is: answers ? 1 : 0),
            MetricSample(MetricCatalog.journalAge, database, is: (ContinuousClock.now - followedTo) / .seconds(1)),
        ]
    }
}
