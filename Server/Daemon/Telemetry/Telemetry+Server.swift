import CausewayTelemetry
import Foundation

// What happens to the server as a whole.

extension Telemetry {
    /// Who shows a certificate, as a label.
    enum Listener: String {
        case devices
        case api
        case admin
    }

    enum ReloadOutcome: String, CaseIterable {
        case applied
        case refused
    }

    /// - Parameter end: nil where it is not known.
    func certificate(of listeners: [Listener], ends end: Date?) {
        guard let end else { return }
        for listener in listeners {
            registry.gauge(MetricCatalog.certificateExpiry, listener.rawValue).set(end.timeIntervalSince1970)
        }
    }

    /// - Parameter isApplied: whether nothing of it has a problem.
    func reloaded(isApplied: Bool) {
        let outcome = isApplied ? ReloadOutcome.applied : .refused
        registry.counter(MetricCatalog.reloads, outcome.rawValue).add()
        if isApplied { registry.gauge(MetricCatalog.configurationTime).set(Date().timeIntervalSince1970) }
    }
}
