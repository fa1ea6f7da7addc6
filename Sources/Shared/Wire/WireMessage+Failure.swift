package import CausewayOperations
import SwiftProtobuf

extension SyncFailure: WireMessage {
    package var payload: [UInt8] { Payload.encode(EnvelopeFailure(self)) }

    package init(payload: [UInt8]) throws(SyncFailure) {
        self.init(try Payload(payload).envelopeAlone(EnvelopeFailure.self))
    }
}

extension SyncFailure {
    init(_ envelope: EnvelopeFailure) {
        let action: Action =
            switch envelope.action {
            case .retry: .retry
            case .refreshToken: .refreshToken
            case .restartSession: .restartSession
            case .report, .unspecified, .UNRECOGNIZED: .report
            }
        self.init(Code(rawValue: envelope.code), envelope.message, action: action)
        refused = envelope.refused.map { OperationRefusal($0) }
        if envelope.retryAfterMilliseconds > 0 { retryAfterMilliseconds = envelope.retryAfterMilliseconds }
    }
}

extension OperationRefusal {
    init(_ envelope: EnvelopeRefusedOperation) {
        self.init(
            sequence: envelope.entry, operation: envelope.operation, code: envelope.code, reason: envelope.message)
    }

    package init(sequence: UInt64, operation: UInt64, failure: SyncFailure) {
        self.init(
            sequence: sequence, operation: operation, code: failure.code.rawValue, reason: failure.message)
    }
}

extension EnvelopeRefusedOperation {
    init(_ refusal: OperationRefusal) {
        self.init()
        entry = refusal.sequence
        operation = refusal.operation
        code = refusal.code
        message = refusal.reason
    }
}

extension EnvelopeFailure {
    init(_ failure: SyncFailure) {
        self.init()
        code = failure.code.rawValue
        message = failure.message
        action =
            switch failure.action {
            case .retry: .retry
            case .refreshToken: .refreshToken
            case .restartSession: .restartSession
            case .report: .report
            }
        refused = failure.refused.map { EnvelopeRefusedOperation($0) }
        retryAfterMilliseconds = failure.retryAfterMilliseconds ?? 0
    }
}
