import CausewayWire

extension SyncFailure.Code {
    /// The name in PROTOCOL.md, for logs and labels.
    var name: String {
        switch self {
        case .tokenInvalid: "tokenInvalid"
        case .tokenExpired: "tokenExpired"
        case .permissionDenied: "permissionDenied"
        case .databaseUnknown: "databaseUnknown"
        case .sessionUnknown: "sessionUnknown"
        case .protocolVersionUnsupported: "protocolVersionUnsupported"
        case .requestUnknown: "requestUnknown"
        case .frameDamaged: "frameDamaged"
        case .frameTooLarge: "frameTooLarge"
        case .messageMalformed: "messageMalformed"
        case .queryInvalid: "queryInvalid"
        case .schemaMismatch: "schemaMismatch"
        case .sequenceGap: "sequenceGap"
        case .operationInvalid: "operationInvalid"
        case .objectUnknown: "objectUnknown"
        case .epochChanged: "epochChanged"
        case .historyTrimmed: "historyTrimmed"
        case .refusalsUnread: "refusalsUnread"
        case .serverEnding: "serverEnding"
        case .serverOutOfSpace: "serverOutOfSpace"
        case .serverFault: "serverFault"
        case .serverBusy: "serverBusy"
        default: "code\(rawValue)"
        }
    }
}
