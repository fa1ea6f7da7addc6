package import CausewayOperations

/// An error that crosses the wire: a code, the action to take, and a message with cause and remedy.
package struct SyncFailure: Error, Hashable, Sendable {
    package var code: Code
    package var message: String
    /// The refused operations of one-way entries; empty when the failure concerns the whole request.
    package var refused: [OperationRefusal] = []
    /// After how long to come again, from a server that is at its limits.
    package var retryAfterMilliseconds: UInt64?
    /// The action from the sender, for a code that this program does not know; nil for every known code.
    private var toldAction: Action?

    package init(_ code: Code, _ message: String, retryAfterMilliseconds: UInt64? = nil) {
        self.code = code
        self.message = message
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// An error that came over the wire. A known code keeps the action that this program knows for it.
    package init(_ code: Code, _ message: String, action: Action) {
        self.init(code, message)
        if !Self.known.contains(code) { toldAction = action }
    }

    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        // 1xx: who is calling
        package static let tokenInvalid = Code(rawValue: 101)
        package static let tokenExpired = Code(rawValue: 102)
        package static let permissionDenied = Code(rawValue: 103)
        // 2xx: what they call
        package static let databaseUnknown = Code(rawValue: 201)
        package static let sessionUnknown = Code(rawValue: 202)
        package static let protocolVersionUnsupported = Code(rawValue: 203)
        package static let requestUnknown = Code(rawValue: 204)
        // 3xx: what they sent
        package static let frameDamaged = Code(rawValue: 301)
        package static let frameTooLarge = Code(rawValue: 302)
        package static let messageMalformed = Code(rawValue: 303)
        package static let queryInvalid = Code(rawValue: 304)
        package static let schemaMismatch = Code(rawValue: 305)
        package static let sequenceGap = Code(rawValue: 306)
        package static let operationInvalid = Code(rawValue: 307)
        package static let objectUnknown = Code(rawValue: 308)
        // 4xx: the state both are in
        package static let epochChanged = Code(rawValue: 401)
        package static let historyTrimmed = Code(rawValue: 402)
        package static let refusalsUnread = Code(rawValue: 403)
        // 5xx: the server
        package static let serverEnding = Code(rawValue: 501)
        package static let serverOutOfSpace = Code(rawValue: 502)
        package static let serverFault = Code(rawValue: 503)
        package static let serverBusy = Code(rawValue: 504)
    }

    package enum Action: Hashable, Sendable {
        /// Connect again, after a backoff.
        case retry
        /// Get a new token, then connect again.
        case refreshToken
        /// Send hello again from the stored checkpoint.
        case restartSession
        /// Report and wait: only a change by the app or the operator helps.
        case report
    }

    package var action: Action {
        switch code {
        case .tokenExpired: .refreshToken
        case .sessionUnknown, .sequenceGap, .refusalsUnread: .restartSession
        case .serverEnding, .serverOutOfSpace, .serverFault, .serverBusy, .frameDamaged: .retry
        default: toldAction ?? .report
        }
    }

    private static let known: Set<Code> = [
        .tokenInvalid, .tokenExpired, .permissionDenied,
        .databaseUnknown, .sessionUnknown, .protocolVersionUnsupported, .requestUnknown,
        .frameDamaged, .frameTooLarge, .messageMalformed, .queryInvalid, .schemaMismatch, .sequenceGap,
        .operationInvalid, .objectUnknown,
        .epochChanged, .historyTrimmed, .refusalsUnread,
        .serverEnding, .serverOutOfSpace, .serverFault, .serverBusy,
    ]
}
