import CausewayTelemetry

extension BackupWork {
    /// How the backups of some databases went: read at a scrape, from memory.
    func samples(of databases: [String]) -> [MetricSample] {
        databases.flatMap { database in
            let record = record(of: database)
            var samples = [MetricSample(MetricCatalog.backupFailures, database, is: Double(record.failures))]
            guard let newest = record.newest else { return samples }
            samples.append(MetricSample(MetricCatalog.backupTime, database, is: Double(newest.time) / 1_000))
            samples.append(MetricSample(MetricCatalog.backupSize, database, is: Double(newest.bytes)))
            if let seconds = newest.seconds {
                samples.append(MetricSample(MetricCatalog.backupSeconds, database, is: seconds))
            }
            return samples
        }
    }
}
