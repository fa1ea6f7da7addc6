import CausewayWire

/// A whole answer to a request.
struct Answer: Sendable {
    var status: Int
    var contentType = WireProtocol.mediaType
    var body: [UInt8]
    /// For the header `retry-after`, which proxies know; devices read the message.
    var retryAfterSeconds: UInt64?
    /// Nil where nothing failed.
    var failure: SyncFailure?
    /// Of an account call: the name of the error, and the user that calls or has logged in.
    var code: String?
    var user: String?

    init(_ message: some WireMessage) {
        status = 200
        body = WireCodec.encode(message)
    }

    init(_ failure: SyncFailure) {
        status = failure.status
        body = WireCodec.encode(failure)
        retryAfterSeconds = failure.retryAfterMilliseconds.map { ($0 + 999) / 1_000 }
        self.failure = failure
    }

    init(_ answer: AccountServiceAnswer) {
        status = answer.status
        contentType = Self.json
        body = answer.body
        (code, user) = (answer.code, answer.user)
        retryAfterSeconds = answer.retryAfterSeconds
    }

    static let json = "application/json"

    init(status: Int, text: String) {
        self.status = status
        contentType = "text/plain; charset=utf-8"
        body = Array(text.utf8)
    }
}

extension SyncFailure {
    /// The HTTP status, by the table in PROTOCOL.md. It is for proxies in between; the code says what happened.
    var status: Int {
        switch code {
        case .tokenInvalid, .tokenExpired: 401
        case .permissionDenied: 403
        case .databaseUnknown, .requestUnknown: 404
        case .sessionUnknown: 410
        case .frameTooLarge: 413
        default:
            switch code.rawValue / 100 {
            case 2, 3: 400
            case 4: 409
            default: 503
            }
        }
    }
}
