import CausewayTelemetry
import Logging

// Refusals that every way into a database has, logged and audited alike.

extension Telemetry {
    /// Somebody showed no token, or one that is not valid.
    ///
    /// - Parameter reason: what is wrong with the token; it holds nothing of it.
    func tokenRefused(_ code: String, _ reason: String, of call: String, database: String, from address: String) {
        events.note(
            "token refused", from: address,
            ["database": .text(database), "call": .text(call), "code": "\(code)", "reason": .text(reason)])
        audit(AuditEvent(.tokenRefused, database: database, address: address, subject: call, code: code))
    }

    /// The permission rules refused operations.
    func operationsDenied(
        _ count: Int, of className: String, database: String, user: String?, from address: String, code: String
    ) {
        audit(
            AuditEvent(
                .operationsRefused, database: database, user: user, address: address, subject: className, code: code,
                count: count))
    }
}
