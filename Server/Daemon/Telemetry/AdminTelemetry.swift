import CausewayAdmin
import CausewayTelemetry
import Logging

/// Counts, logs and audits what happens at the admin listener.
struct AdminTelemetry: AdminObserver {
    private let telemetry: Telemetry

    init(_ telemetry: Telemetry) {
        self.telemetry = telemetry
        for reason in AdminEvent.Reason.allCases {
            _ = telemetry.registry.counter(MetricCatalog.adminRefused, reason.rawValue)
        }
    }

    func observe(_ event: AdminEvent) {
        switch event {
        case .refused(let reason, let address):
            telemetry.registry.counter(MetricCatalog.adminRefused, reason.rawValue).add()
            telemetry.events.note(
                "request to the admin listener refused", from: address, level: .warning,
                ["reason": "\(reason.rawValue)"])
            telemetry.audit(AuditEvent(.adminRefused, address: address, code: reason.rawValue))
        case .answered(let route, let isChange, let status, let address):
            telemetry.registry.counter(MetricCatalog.adminRequests, route, "\(status)").add()
            guard isChange else { return }
            telemetry.events.note(
                "changed by an administrator", from: address,
                ["route": "\(route)", "status": .number(status)])
            telemetry.audit(
                AuditEvent(
                    .adminCalled, user: "admin", address: address, subject: route,
                    code: status < 400 ? nil : "\(status)"))
        }
    }
}
