import CausewaySync
import CausewayWire

// Maps the errors of a conversation to the errors of the app.

extension SyncError {
    init(_ trouble: Trouble) {
        switch trouble {
        case .interrupted(let failure), .stopped(let failure):
            self.init(failure)
        case .uploadRefused(let failure, let after):
            self.init(
                failure.code == .permissionDenied ? .permissionDenied : .writeRejected,
                "\(failure.message) (the write after number \(after) of this file's log)",
                serverCode: Int(failure.code.rawValue))
        case .ingestRefused(let failure, let after):
            self.init(
                failure.code == .permissionDenied ? .permissionDenied : .writeRejected,
                "\(failure.message) (the entry after number \(after) of this file's one-way log)",
                serverCode: Int(failure.code.rawValue))
        case .changesetsLost:
            self.init(.clientReset, trouble.message)
        case .file(let message):
            self.init(.clientInternal, message)
        }
    }

    init(_ failure: TransportFailure) {
        switch failure {
        case .refused(let refusal): self.init(refusal)
        case .unreachable, .timeout: self.init(.connectionFailed, failure.message)
        case .untrusted: self.init(.tlsHandshakeFailed, failure.message)
        case .unintelligible, .unusable: self.init(.clientInternal, failure.message)
        case .cancelled: self.init(.clientSession, failure.message)
        }
    }

    init(_ failure: SyncFailure) {
        let code: Code =
            switch failure.code {
            case .tokenInvalid, .tokenExpired: .underlyingAuth
            case .permissionDenied: .permissionDenied
            case .queryInvalid: .invalidFlexibleSyncSubscriptions
            case .operationInvalid, .objectUnknown: .writeRejected
            case .epochChanged, .historyTrimmed, .sequenceGap: .clientReset
            case .serverEnding, .serverBusy, .serverFault, .serverOutOfSpace: .serverWarning
            case .databaseUnknown, .sessionUnknown, .refusalsUnread, .schemaMismatch: .clientSession
            default: .clientInternal
            }
        self.init(code, failure.message, serverCode: Int(failure.code.rawValue))
    }
}
