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
        refused = envelope.refused.map {
            OperationRefusal(
                sequence: $0.entry, operation: $0.operation,
                failure: SyncFailure(Code(rawValue: $0.code), $0.message, action: .report))
        }
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
        refused = failure.refused.map { refusal in
            .with {
                $0.entry = refusal.sequence
                $0.operation = refusal.operation
                $0.code = refusal.failure.code.rawValue
                $0.message = refusal.failure.message
            }
        }
    }
}
