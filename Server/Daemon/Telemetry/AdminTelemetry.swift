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
        case .answered(let call):
            telemetry.registry.counter(MetricCatalog.adminRequests, call.route, "\(call.status)").add()
            guard call.isChange else { return }
            note(call)
            telemetry.audit(
                AuditEvent(
                    .adminCalled, database: call.database, user: "admin", address: call.address, subject: call.route,
                    code: call.code?.rawValue))
        }
    }

    private func note(_ call: AdminEvent.Call) {
        var metadata: Logger.Metadata = ["route": "\(call.route)", "status": .number(call.status)]
        if let database = call.database { metadata["database"] = .text(database) }
        if let code = call.code { metadata["code"] = "\(code.rawValue)" }
        telemetry.events.note(
            call.code == nil ? "changed by an administrator" : "an administrator's call was refused",
            from: call.address, metadata)
    }
}
