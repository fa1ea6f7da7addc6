import CausewayEnvironment
import CausewayModel
import Foundation

/// The calls of the account endpoints, by the last part of their path.
enum AccountCall: String, CaseIterable, Sendable {
    case login
    case refresh
    case logout
    case register
    case confirm
    case resend
    case retryConfirmation
    case sendReset
    case reset
    case callReset
    case link
    case profile
    case delete
    case createKey
    case keys
    case key
    case enableKey
    case disableKey
    case deleteKey
    case function

    /// Whether only a user may make it. Their token is checked before the body is accepted.
    var needsUser: Bool {
        switch self {
        case .login, .refresh, .logout, .register, .confirm, .resend, .retryConfirmation, .sendReset, .reset,
            .callReset:
            false
        case .link, .profile, .delete, .createKey, .keys, .key, .enableKey, .disableKey, .deleteKey, .function: true
        }
    }

    var limits: ClaimLimits { needsUser ? .userCall : .accountCall }

    init(named name: String) throws(AccountError) {
        guard let call = AccountCall(rawValue: name) else {
            throw AccountError(
                .badRequest,
                "This server does not know the call '\(name.prefix(40))'. Check that device and server are of versions "
                    + "that belong together.")
        }
        self = call
    }
}

/// The arguments of a call: one JSON object for all calls, each of which reads what it needs.
struct AccountRequest: Sendable {
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

    /// Reads a body within the limits of the call; members that no call knows are ignored.
    init(json: [UInt8], within limits: ClaimLimits) throws(AccountError) {
        let members: [String: ClaimValue]
        do throws(ClaimReadingError) {
            members = try [String: ClaimValue](json: json, within: limits).filter { $0.value != .null }
        } catch {
            throw AccountError(.badRequest, "The body of the request cannot be taken: \(error).")
        }
        func text(_ name: String) throws(AccountError) -> String? {
            guard let value = members[name] else { return nil }
            guard let text = value.string else {
                throw AccountError(.badRequest, "'\(name)' of the request is not a text.")
            }
            return text
        }
        provider = try text("provider")
        email = try text("email")
        password = try text("password")
        key = try text("key")
        token = try text("token")
        tokenId = try text("tokenId")
        refreshToken = try text("refreshToken")
        name = try text("name")
        id = try text("id")
        switch members["arguments"] {
        case .array(let values)?: arguments = values
        case nil: arguments = nil
        default: throw AccountError(.badRequest, "'arguments' of the request is not a list.")
        }
        payload = members["payload"]
    }

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
    /// The names of all calls.
    package static var callNames: [String] { AccountCall.allCases.map(\.rawValue) }

    /// How many bytes the body of a call may have. Throws where no body would help. Costs at most one signature check.
    ///
    /// - Parameters:
    ///   - name: the last part of the call's path.
    ///   - token: what follows `Bearer`, if anything.
    package func bodyBytesMax(of name: String, token: String?) throws(AccountError) -> Int {
        let call = try AccountCall(named: name)
        if call.needsUser { _ = try caller(token) }
        return call.limits.bytes
    }

    /// Answers one call.
    ///
    /// - Parameters:
    ///   - name: the last part of its path.
    ///   - token: what follows `Bearer`, if anything.
    ///   - peer: names the machine that calls, for counting failures.
    package func answer(_ name: String, body: [UInt8], token: String?, peer: String) async -> AccountReply {
        do throws(AccountError) {
            let call = try AccountCall(named: name)
            let caller = call.needsUser ? try caller(token) : nil
            let request = try AccountRequest(json: body, within: call.limits)
            if let caller {
                var reply = try await answer(call, request, caller, peer)
                reply.user = caller.user.string
                return reply
            }
            return try await answer(call, request, peer)
        } catch {
            return AccountReply(error)
        }
    }

    private struct Empty: Encodable {}

    /// Answers the calls that anybody may make.
    private func answer(
        _ call: AccountCall, _ request: AccountRequest, _ peer: String
    ) async throws(AccountError) -> AccountReply {
        switch call {
        case .login:
            let view = try await login(request, peer)
            return AccountReply(view, user: view.userId.string)
        case .refresh: return AccountReply(try await refresh(request))
        case .logout: try await logOut(request)
        case .register: try await register(request, peer)
        case .confirm: try await confirm(request, peer)
        case .resend: try await resend(request, peer)
        case .retryConfirmation: try await retryConfirmation(request, peer)
        case .sendReset: try await sendReset(request, peer)
        case .reset: try await reset(request, peer)
        case .callReset: try await callReset(request, peer)
        case .link, .profile, .delete, .createKey, .keys, .key, .enableKey, .disableKey, .deleteKey, .function:
            preconditionFailure("Calls of users come with their caller.")
        }
        return AccountReply(Empty())
    }

    /// Answers the calls that only users may make.
    private func answer(
        _ call: AccountCall, _ request: AccountRequest, _ caller: Caller, _ peer: String
    ) async throws(AccountError) -> AccountReply {
        switch call {
        case .link: return AccountReply(try await link(request, caller, peer))
        case .profile: return AccountReply(try await profile(caller))
        case .delete: try await delete(caller)
        case .createKey: return AccountReply(try await createKey(request, caller))
        case .keys: return AccountReply(["keys": try await keys(caller)])
        case .key: return AccountReply(try await key(request, caller))
        case .enableKey: try await setKey(request, caller, isDisabled: false)
        case .disableKey: try await setKey(request, caller, isDisabled: true)
        case .deleteKey: try await deleteKey(request, caller)
        case .function: return AccountReply(["result": try await callFunction(request, caller)])
        case .login, .refresh, .logout, .register, .confirm, .resend, .retryConfirmation, .sendReset, .reset,
            .callReset:
            preconditionFailure("Calls of anybody come without a caller.")
        }
        return AccountReply(Empty())
    }

    /// The caller, by a token of these accounts or of another issuer that the database trusts.
    private func caller(_ token: String?) throws(AccountError) -> Caller {
        guard let token else { throw AccountError(.invalidSession, "The request carries no token. Log in first.") }
        do throws(IdentityError) {
            if let caller = try caller(for: token, at: clock.now()) { return caller }
            if let verifier = providers[Provider.token.string] {
                return try verifier.caller(for: token, at: clock.now())
            }
            throw IdentityError.invalid("The token is not one of this server. Log in again.")
        } catch {
            throw AccountError(.invalidSession, error.message)
        }
    }
}
