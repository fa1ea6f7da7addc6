import CausewayTelemetry

/// Makes the text of `/metrics`. However many ask at a time, everything is read once, and not more often than once a
/// second.
actor Scrape {
    private let registry: MetricRegistry
    private let databases: @Sendable () -> [DatabaseGauges]
    private let process: ProcessGauges
    private let connections: @Sendable () -> Int
    /// What other parts of the server keep, and need not be waited for.
    private let others: @Sendable () -> [MetricSample]
    private let incomplete: CounterSeries
    private let overflows: CounterSeries
    private var running: Task<String, Never>?
    private var latest: (text: String, time: ContinuousClock.Instant)?

    static let pause = Duration.seconds(1)

    init(
        _ telemetry: Telemetry, databases: @escaping @Sendable () -> [DatabaseGauges],
        connections: @escaping @Sendable () -> Int, others: @escaping @Sendable () -> [MetricSample] = { [] }
    ) {
        registry = telemetry.registry
        process = ProcessGauges(started: telemetry.started)
        overflows = telemetry.overflows
        self.databases = databases
        self.connections = connections
        self.others = others
        incomplete = registry.counter(MetricCatalog.scrapesIncomplete)
    }

    func text() async -> String {
        if let latest, latest.time.duration(to: .now) < Self.pause { return latest.text }
        if let running { return await running.value }
        let task = Task { await read() }
        running = task
        let text = await task.value
        running = nil
        latest = (text, .now)
        return text
    }

    private func read() async -> String {
        var samples =
            process.read() + [
                MetricSample(MetricCatalog.connections, is: Double(connections())),
                MetricSample(MetricCatalog.seriesOverflowed, is: Double(overflows.value)),
            ] + others()
        var isWhole = true
        await withTaskGroup(of: (samples: [MetricSample], isWhole: Bool).self) { group in
            for database in databases() { group.addTask { await database.read() } }
            for await read in group {
                samples += read.samples
                isWhole = isWhole && read.isWhole
            }
        }
        if !isWhole { incomplete.add() }
        return registry.text(samples)
    }
}
