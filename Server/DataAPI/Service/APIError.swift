import CausewayJSON
package import CausewayHTTP
package import CausewayLimits
package import CausewayStore
package import CausewayWire

/// Why a request is refused: what a client is told as JSON, with the status of its code.
package struct APIError: Error, Hashable, Sendable {
    package var code: Code
    /// What happened, the cause and the remedy, for people.
    package var message: String
    /// Of a transaction, the operation that is meant, from 0.
    package var operation: Int?
    package var refusals: [Refusal] = []
    /// For status 405: what the path takes.
    package var methodsAllowed: [String] = []
    /// Writes that the permission rules refuse, by class. Who watches the server is told of them; the client is not.
    package internal(set) var denied: [DeniedWrites] = []
    /// After how long a client repeats the request, where waiting helps.
    package var retryAfterSeconds: UInt64?

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// One operation that the merge or the permissions refuse.
    package struct Refusal: Hashable, Sendable {
        /// The operation of the transaction, from 0; 0 for other requests.
        package var operation: Int
        package var code: Code
        package var message: String
    }

    /// One for each thing that a client does differently. The table in API.md explains them.
    package enum Code: String, CaseIterable, Sendable {
        case requestInvalid
        case queryInvalid
        case valueInvalid
        case tokenInvalid
        case tokenExpired
        case permissionDenied
        case pathUnknown
        case databaseUnknown
        case classUnknown
        case objectUnknown
        case methodNotAllowed
        case objectExists
        case conflict
        case preconditionFailed
        case bodyTooLarge
        case operationInvalid
        case idempotencyKeyReused
        case tooCostly
        case tooManyRequests
        case serverFault
        case serverBusy
        case outcomeUnknown
        case serverOutOfSpace
    }
}

extension APIError.Code {
    package var status: Int {
        switch self {
        case .requestInvalid, .queryInvalid, .valueInvalid: 400
        case .tokenInvalid, .tokenExpired: 401
        case .permissionDenied: 403
        case .pathUnknown, .databaseUnknown, .classUnknown, .objectUnknown: 404
        case .methodNotAllowed: 405
        case .objectExists, .conflict: 409
        case .preconditionFailed: 412
        case .bodyTooLarge: 413
        case .operationInvalid, .idempotencyKeyReused, .tooCostly: 422
        case .tooManyRequests: 429
        case .serverFault: 500
        case .serverBusy: 503
        case .outcomeUnknown: 504
        case .serverOutOfSpace: 507
        }
    }

    /// Whether the same request may succeed later: then the answer says when to repeat it.
    var isForLater: Bool { self == .tooManyRequests || self == .serverBusy }
}

extension APIError {
    package init(_ failure: StoreFailure) {
        self.init(Code(failure.code), failure.message)
        retryAfterSeconds = failure.retryAfterMilliseconds.map { ($0 + 999) / 1_000 }
    }

    /// An address or a user has done as much as they may in a time.
    package init(_ reached: LimitReached) {
        self.init(.tooManyRequests, reached.message)
        retryAfterSeconds = reached.waitSeconds
    }

    /// What the listener refuses.
    init(_ refusal: HTTPRefusal) {
        let code: Code =
            switch refusal {
            case .targetInvalid: .requestInvalid
            case .bodyTooLarge: .bodyTooLarge
            case .answersUnread: .serverBusy
            }
        self.init(code, refusal.message)
    }

    /// What an authenticator says of a token.
    package init(_ failure: SyncFailure) {
        let code: Code =
            switch failure.code {
            case .tokenExpired: .tokenExpired
            case .permissionDenied: .permissionDenied
            case .serverBusy: .serverBusy
            default: .tokenInvalid
            }
        self.init(code, failure.message)
    }

    /// How many seconds a client waits before it repeats a request.
    private static let retrySeconds: UInt64 = 1

    package var answer: HTTPAnswer {
        var answer = HTTPAnswer.json(json, status: code.status)
        if code.status == 401 { answer.headers.append(.init("www-authenticate", "Bearer")) }
        if code.isForLater || retryAfterSeconds != nil {
            answer.headers.append(.init("retry-after", String(retryAfterSeconds ?? Self.retrySeconds)))
        }
        if !methodsAllowed.isEmpty {
            answer.headers.append(.init("allow", methodsAllowed.joined(separator: ", ")))
        }
        return answer
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { body in
            body.name("code")
            body.write(code.rawValue)
            body.name("message")
            body.write(message)
            if let operation {
                body.name("operation")
                body.write(operation)
            }
            guard !refusals.isEmpty else { return }
            body.name("refusals")
            body.array { list in
                for refusal in refusals { list.write(refusal) }
            }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ refusal: APIError.Refusal) {
        object { body in
            body.name("operation")
            body.write(refusal.operation)
            body.name("code")
            body.write(refusal.code.rawValue)
            body.name("message")
            body.write(refusal.message)
        }
    }
}

extension APIError.Code {
    init(_ code: StoreFailure.Code) {
        self =
            switch code {
            case .permissionDenied: .permissionDenied
            case .operationInvalid, .schemaMismatch, .sequenceGap, .refusalsUnread: .operationInvalid
            case .objectUnknown: .objectUnknown
            case .queryInvalid: .queryInvalid
            case .outOfSpace: .serverOutOfSpace
            case .busy, .closed: .serverBusy
            case .outcomeUnknown: .outcomeUnknown
            case .interrupted: .tooCostly
            case .conflict: .conflict
            case .callKeyReused: .idempotencyKeyReused
            default: .serverFault
            }
    }
}
