import CausewayEnvironment
import Foundation

/// What a call brings along: one JSON object for all calls, each of which looks at what it needs.
struct AccountRequest: Decodable, Sendable {
    var provider: String?
    var email: String?
    var password: String?
    var key: String?
    var token: String?
    var tokenId: String?
    var refreshToken: String?
    var name: String?
    var id: String?
    var arguments: [ClaimValue]?
    var payload: ClaimValue?

    func required(_ field: KeyPath<AccountRequest, String?>, _ name: String) throws(AccountError) -> String {
        guard let text = self[keyPath: field], !text.isEmpty else {
            throw AccountError(.missingParameter, "The request has no '\(name)'.")
        }
        guard text.utf8.count <= TokenVerifier.tokenBytesMax else {
            throw AccountError(.invalidParameter, "'\(name)' is longer than anything it could be.")
        }
        return text
    }
}

extension Accounts {
    /// Answers one call.
    ///
    /// - Parameters:
    ///   - call: the last part of its path.
    ///   - token: what stands behind `Bearer`, if anything.
    ///   - peer: names the machine that calls, for counting failures.
    package func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountReply {
        guard let request = try? JSONDecoder().decode(AccountRequest.self, from: Data(body)) else {
            return AccountReply(
                AccountError(.badRequest, "The body of the request is not a JSON object with texts in it."))
        }
        do throws(AccountError) {
            return try await answer(call, request, token, peer)
        } catch {
            return AccountReply(error)
        }
    }

    private struct Empty: Encodable {}

    private func answer(
        _ call: String, _ request: AccountRequest, _ token: String?, _ peer: String
    ) async throws(AccountError) -> AccountReply {
        switch call {
        case "login": return AccountReply(try await login(request, peer))
        case "refresh": return AccountReply(try await refresh(request))
        case "logout": try await logOut(request)
        case "register": try await register(request, peer)
        case "confirm": try await confirm(request, peer)
        case "resend": try await resend(request, peer)
        case "retryConfirmation": try await retryConfirmation(request, peer)
        case "sendReset": try await sendReset(request, peer)
        case "reset": try await reset(request, peer)
        case "callReset": try await callReset(request, peer)
        case "link": return AccountReply(try await link(request, try caller(token), peer))
        case "profile": return AccountReply(try await profile(try caller(token)))
        case "delete": try await delete(try caller(token))
        case "createKey": return AccountReply(try await createKey(request, try caller(token)))
        case "keys": return AccountReply(["keys": try await keys(try caller(token))])
        case "key": return AccountReply(try await key(request, try caller(token)))
        case "enableKey": try await setKey(request, try caller(token), isDisabled: false)
        case "disableKey": try await setKey(request, try caller(token), isDisabled: true)
        case "deleteKey": try await deleteKey(request, try caller(token))
        case "function": return AccountReply(["result": try await callFunction(request, try caller(token))])
        default:
            throw AccountError(
                .badRequest,
                "This server does not know the call '\(call.prefix(40))'. Check that device and server are of versions "
                    + "that belong together.")
        }
        return AccountReply(Empty())
    }

    /// Who calls, by a token of these accounts or of another issuer that the database trusts.
    private func caller(_ token: String?) throws(AccountError) -> Caller {
        guard let token else { throw AccountError(.invalidSession, "The request carries no token. Log in first.") }
        do throws(IdentityError) {
            if let caller = try caller(for: token, at: clock.now()) { return caller }
            if let verifier = providers[Provider.token] { return try verifier.caller(for: token, at: clock.now()) }
            throw IdentityError.invalid("The token is not one of this server. Log in again.")
        } catch {
            throw AccountError(.invalidSession, error.message)
        }
    }
}
