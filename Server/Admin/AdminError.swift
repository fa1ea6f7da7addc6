package import CausewayHTTP
import CausewayJSON

/// Why a request to the admin listener is refused: what the caller is told as JSON, with the status of its code.
package struct AdminError: Error, Hashable, Sendable {
    package var code: Code
    /// What happened, the cause and the remedy, for people.
    package var message: String
    /// For status 405: what the path takes.
    package var methodsAllowed: [String] = []

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// One for each thing that a caller does differently. The table in ADMIN.md explains them.
    package enum Code: String, CaseIterable, Sendable {
        case requestInvalid
        case tokenInvalid
        case pathUnknown
        case databaseUnknown
        case databaseNotOpen
        case queryInvalid
        case valueInvalid
        case classUnknown
        case objectUnknown
        case objectExists
        case preconditionFailed
        case operationInvalid
        case tooCostly
        case sessionUnknown
        case clientUnknown
        case accountUnknown
        case backupUnknown
        case methodNotAllowed
        case conflict
        case hostInvalid
        case configurationInvalid
        case notConfigured
        case serverFault
        case serverBusy
        case serverOutOfSpace
    }
}

extension AdminError.Code {
    package var status: Int {
        switch self {
        case .requestInvalid, .queryInvalid, .valueInvalid: 400
        case .tokenInvalid: 401
        case .pathUnknown, .databaseUnknown, .classUnknown, .objectUnknown, .sessionUnknown, .clientUnknown,
            .accountUnknown, .backupUnknown:
            404
        case .methodNotAllowed: 405
        case .conflict, .objectExists: 409
        case .preconditionFailed: 412
        case .hostInvalid: 421
        case .configurationInvalid, .notConfigured, .operationInvalid, .tooCostly: 422
        case .serverFault: 500
        case .serverBusy, .databaseNotOpen: 503
        case .serverOutOfSpace: 507
        }
    }
}

extension AdminError {
    /// How many seconds a caller waits before it repeats a request.
    private static let retrySeconds = 1

    package var answer: HTTPAnswer {
        var answer = HTTPAnswer.json(status: code.status) { json in
            json.object { body in
                body.field("code", code.rawValue)
                body.field("message", message)
            }
        }
        if code.status == 401 { answer.headers.append(.init("www-authenticate", "Bearer")) }
        if code == .serverBusy { answer.headers.append(.init("retry-after", String(Self.retrySeconds))) }
        if !methodsAllowed.isEmpty {
            answer.headers.append(.init("allow", methodsAllowed.joined(separator: ", ")))
        }
        return answer
    }
}
