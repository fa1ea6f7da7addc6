import CausewayModel

// The operator's functions: called by users, and asked at a login who somebody is.

extension Accounts {
    func callFunction(_ request: AccountRequest, _ caller: Caller) async throws(AccountError) -> ClaimValue {
        let name = try request.required(\.name, "name")
        // A user who was shut out or deleted has a good token for a while; functions do not accept it.
        _ = try await reading { [self] tables throws(AccountError) in try account(of: caller, in: tables) }
        return try await run(name, user: caller.user.string, request.arguments ?? [])
    }

    private func run(
        _ name: String, user: String?, _ arguments: [ClaimValue]
    ) async throws(AccountError) -> ClaimValue {
        let call = FunctionCall(function: name, database: database, user: user, arguments: arguments)
        switch await functions.run(call) {
        case .result(let value): return value
        case .failed(let message):
            throw AccountError(
                .functionExecutionError,
                message.isEmpty ? "The function '\(name.prefix(64))' failed. The server's log says more." : message)
        case .unknown:
            throw AccountError(.functionNotFound, "This server has no function '\(name.prefix(64))'.")
        case .busy:
            throw AccountError(.maintenanceInProgress, "Too many functions run at once. Try again later.")
        }
    }

    /// Asks the operator's function who somebody is: it answers with their id, or with an object that has `id` and
    /// `name`.
    func proveByFunction(
        _ name: String, _ request: AccountRequest, _ peer: String
    ) async throws(AccountError) -> ProvenIdentity {
        try begin(.kind(.function), peer)
        let answer: ClaimValue
        do throws(AccountError) {
            answer = try await run(name, user: nil, [request.payload ?? .object([:])])
            withdraw(.kind(.function), peer)
        } catch {
            guard error.code == .functionExecutionError else {
                withdraw(.kind(.function), peer)
                throw error
            }
            throw AccountError(.authError, error.message)
        }
        var profile: [String: ClaimValue] = [:]
        var id = answer.string
        if case .object(let told) = answer {
            id = told["id"]?.string
            profile["name"] = told["name"]
        }
        guard let id, !id.isEmpty, id.utf8.count <= AccountRules.functionIDBytesMax else {
            messenger.report(
                "The function '\(name)' shall answer with a user's id of at most \(AccountRules.functionIDBytesMax) "
                    + "bytes, or with an object that has it as 'id'. It answered with something else.")
            throw AccountError(.internalServerError, "The server cannot tell who you are. Its log says why.")
        }
        return ProvenIdentity(
            identity: .init(provider: Provider.function, id: ExactString(id)),
            newAccount: ExactString(Secret.id(random)), profile: profile)
    }
}
