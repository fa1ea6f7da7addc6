package import CausewayConversion
package import CausewayModel
package import CausewayStore

/// What an operator does to a database, beside its settings.
package enum OperatorAct: Hashable, Sendable {
    /// A class goes with all of its objects, or a property of it with all of its values.
    case drop(className: String, property: String?)
    /// A property gets another type.
    case convert(PropertyConversion)
    /// What may be forgotten of a client is.
    case forget(ClientID)
    case shutOut(ShutOut)
    case letIn(ShutOut.Subject)

    /// Whether no session may be open while it is applied.
    package var needsNobody: Bool {
        switch self {
        case .drop, .convert: true
        case .forget, .shutOut, .letIn: false
        }
    }
}
