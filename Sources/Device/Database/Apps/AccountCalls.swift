import Foundation

/// The account calls of one app: JSON to `/v1/{app}/auth/{call}` and back. What they mean is in `ACCOUNTS.md`.
struct AccountCalls: Sendable {
    /// Sends the body of a call; answers status and body.
    let send: @Sendable (_ call: String, _ body: Data, _ token: String?) async throws -> (status: Int, body: Data)

    func call<Answer: Decodable>(
        _ call: String, _ request: some Encodable, token: String? = nil, as answer: Answer.Type = Answer.self
    ) async throws -> Answer {
        // Neither what is sent nor what comes back: both hold passwords and tokens.
        Logger.note(.debug, Category.app, "App: call '\(call)'")
        let (status, body): (Int, Data)
        do {
            (status, body) = try await send(call, try JSONEncoder().encode(request), token)
        } catch {
            Logger.note(.debug, Category.app, "App: call '\(call)' got no answer: \(Self.kind(of: error))")
            throw error
        }
        guard status == 200 else {
            let error = Self.error(status, body)
            Logger.note(.debug, Category.app, "App: call '\(call)' was refused with status \(status): \(error.code)")
            throw error
        }
        Logger.note(.debug, Category.app, "App: call '\(call)' was answered")
        do {
            return try JSONDecoder().decode(Answer.self, from: body)
        } catch {
            throw AppError(
                .httpRequestFailed,
                "The server's answer to '\(call)' cannot be read. Check that the base URL is the server's, and that "
                    + "device and server are of versions that belong together.", httpStatusCode: status)
        }
    }

    /// What a log may say of an error. Its message may quote what was sent, or what a program of the operator answered.
    private static func kind(of error: any Error) -> String {
        if let error = error as? AppError { "\(error.code)" } else { "\(type(of: error))" }
    }

    private struct Refusal: Decodable {
        var code: String
        var message: String
    }

    private static func error(_ status: Int, _ body: Data) -> AppError {
        guard let refusal = try? JSONDecoder().decode(Refusal.self, from: body) else {
            return AppError(
                .httpRequestFailed,
                "The answer has status \(status), but is not one of a server with accounts. Check the base URL, that "
                    + "the server's version knows accounts, and what proxies are on the way.", httpStatusCode: status)
        }
        let code = AppError.Code.allCases.first { "\($0)" == refusal.code } ?? .unknown
        return AppError(code, refusal.message, httpStatusCode: status)
    }
}

/// An answer without content.
struct Nothing: Codable, Sendable {}

extension AccountCalls {
    /// Calls that go through the app's own transport.
    init(_ transport: any NetworkTransport, app: AppState) {
        let values = app.configuration
        let base = values.baseURL ?? ""
        send = { [id = app.id, manager = app.syncManager] call, body, token in
            var headers = manager.customRequestHeaders
            headers["content-type"] = "application/json"
            headers["user-agent"] = manager.userAgent
            if let token { headers[manager.authorizationHeaderName ?? "authorization"] = "Bearer \(token)" }
            let request = NetworkRequest(
                url: "\(base)/v1/\(AppState.fileName(id))/auth/\(call)", headers: headers, body: body,
                timeoutMilliseconds: values.defaultRequestTimeoutMS)
            do {
                let response = try await transport.send(request)
                return (response.statusCode, response.body)
            } catch {
                throw AppError(.httpRequestFailed, "The app's own transport brought no answer: \(error)")
            }
        }
    }
}
