import CausewayEnvironment
import CausewayTelemetry
import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle

/// What the server says about itself: metrics, the lines of its log that an operator acts upon, and the audit log.
///
/// As a service it writes the summaries of what was left out of the logs.
final class Telemetry: Service {
    let registry: MetricRegistry
    let events: EventLog
    let started: Date
    private let auditLog: AuditLog?
    /// Commits and queries that take longer are logged.
    let slowNanoseconds: UInt64
    private let auditFailures: CounterSeries
    /// Metrics of which not all series are kept.
    let overflows: CounterSeries

    init(_ log: Configuration.Log, clock: any WallClock = SystemClock(), logger: Logger) {
        let overflows = CounterSeries()
        self.overflows = overflows
        let registry = MetricRegistry { definition in
            overflows.add()
            logger.warning(
                "a metric has more series than are kept: the others are counted together",
                metadata: ["metric": "\(definition.name)", "series": .stringConvertible(MetricRegistry.seriesMax)])
        }
        self.registry = registry
        let auditFailures = registry.counter(MetricCatalog.auditFailures)
        self.auditFailures = auditFailures
        auditLog = log.audit.map { target in
            AuditLog(target, now: { clock.now() }) { reason in
                auditFailures.add()
                // Each would be a line: the first few tell what there is to tell.
                guard auditFailures.value <= Self.auditFailuresTold else { return }
                logger.error(
                    "an event could not be written to the audit log: check its folder and the disk",
                    metadata: ["reason": "\(reason)"])
            }
        }
        slowNanoseconds = UInt64(log.slowMilliseconds) * 1_000_000
        started = Date()
        events = EventLog(logger: logger) { [registry] kind, count in
            registry.counter(MetricCatalog.logLinesSuppressed, kind).add(count)
        }
        registry.gauge(MetricCatalog.buildInfo, Release.version).set(1.0)
        registry.gauge(MetricCatalog.configurationTime).set(started.timeIntervalSince1970)
        for outcome in ReloadOutcome.allCases { _ = registry.counter(MetricCatalog.reloads, outcome.rawValue) }
    }

    private static let auditFailuresTold = 5

    // MARK: - The audit log

    /// Writes an event. Those that anybody can cause have a budget, and what is beyond is summed up.
    func audit(_ event: AuditEvent) {
        registry.counter(MetricCatalog.auditEvents, event.kind.rawValue).add()
        guard let auditLog else { return }
        if event.kind.isOfStrangers, !events.admitsAudit(event) { return }
        auditLog.write(event)
    }

    // MARK: - Life

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: .seconds(Self.summarySeconds))) != nil { sumUp() }
        }
        sumUp(isLast: true)
    }

    private static let summarySeconds = 5

    /// Tells what was left out in windows that have ended.
    func sumUp(isLast: Bool = false) {
        events.sumUp(isLast: isLast) { [auditLog] event in auditLog?.write(event) }
    }
}

extension AuditEvent.Kind {
    /// Whether anybody who can reach the server can cause it.
    var isOfStrangers: Bool {
        switch self {
        case .adminRefused, .tokenRefused, .loginRefused, .loginSucceeded, .accountChanged, .accountRefused,
            .operationsRefused, .schemaExtended:
            true
        case .serverStarted, .serverEnded, .configurationReloaded, .configurationRefused, .certificateReplaced,
            .tokenKeysReplaced, .adminTokenReplaced, .permissionsReplaced, .adminCalled, .databaseAdded,
            .databaseDropped, .shutOut, .letIn, .clientForgotten, .schemaDropped, .schemaConverted,
            .journalLimitsTaken, .generationSwitchedOn:
            false
        }
    }
}
