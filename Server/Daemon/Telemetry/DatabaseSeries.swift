import CausewayTelemetry
import Synchronization

/// What is counted often of each database that is served, looked up once. What happens to others is counted together.
final class DatabaseSeries<Series: Sendable>: Sendable {
    private let registry: MetricRegistry
    private let make: @Sendable (MetricRegistry, String) -> Series
    private let series = Mutex<[String: Series]>([:])

    /// - Parameter make: the series of a database.
    init(
        of databases: [String], in registry: MetricRegistry,
        _ make: @escaping @Sendable (MetricRegistry, String) -> Series
    ) {
        self.registry = registry
        self.make = make
        for database in databases { watch(database) }
    }

    /// Counts what happens to a database under its name.
    func watch(_ database: String) {
        let made = make(registry, database)
        series.withLock { $0[database] = made }
    }

    /// What still happens to a database that was dropped is counted with the others.
    func forget(_ database: String) {
        series.withLock { _ = $0.removeValue(forKey: database) }
    }

    subscript(database: String) -> Series? { series.withLock { $0[database] } }

    /// The name as a label: a path is no way to make series.
    func label(_ database: String) -> String { self[database] == nil ? "unknown" : database }
}
