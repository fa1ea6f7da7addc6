/// Registers and confirms e-mail addresses, and resets passwords.
///
/// ```swift
/// let auth: EmailPasswordAuth = app.emailPasswordAuth
/// try await auth.registerUser(email: email, password: password)
/// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
/// ```
///
/// The server itself sends no mail. It hands the tokens for confirmations and resets to a program of the operator, or
/// writes them to its log. Its configuration says which of the calls it accepts. Every call throws `AppError`.
public struct EmailPasswordAuth: Sendable {
    let app: AppState

    /// Registers an address with a password. The server's configuration decides whether the address must be confirmed
    /// before the first login.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.registerUser(email: email, password: password)
    /// ```
    ///
    /// - Throws: `AppError.accountNameInUse` when the address is in use, `AppError.invalidParameter` when the server
    ///   does not accept the address or the password. A server that confirms by message does not reveal that an address
    ///   is in use: it informs the owner instead.
    public func registerUser(email: String, password: String) async throws {
        try await call("register", ["email": email, "password": password])
    }

    /// Registers an address with a password and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.registerUser(email: email, password: password) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func registerUser(
        email: String, password: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        report(to: completion) { try await registerUser(email: email, password: password) }
    }

    /// Confirms an address with the token and token id from the message.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.confirmUser(message.token, tokenId: message.tokenId)
    /// ```
    public func confirmUser(_ token: String, tokenId: String) async throws {
        try await call("confirm", ["token": token, "tokenId": tokenId])
    }

    /// Confirms an address and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.confirmUser(message.token, tokenId: message.tokenId) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func confirmUser(
        _ token: String, tokenId: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        report(to: completion) { try await confirmUser(token, tokenId: tokenId) }
    }

    /// Sends the confirmation message again. The result does not reveal whether the address is known.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.resendConfirmationEmail(email)
    /// ```
    public func resendConfirmationEmail(_ email: String) async throws {
        try await call("resend", ["email": email])
    }

    /// Sends the confirmation message again and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.resendConfirmationEmail(email) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func resendConfirmationEmail(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await resendConfirmationEmail(email) }
    }

    /// Asks the operator's program once more whether an address is confirmed.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.retryCustomConfirmation(email)
    /// ```
    public func retryCustomConfirmation(_ email: String) async throws {
        try await call("retryConfirmation", ["email": email])
    }

    /// Asks the operator's program once more and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.retryCustomConfirmation(email) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func retryCustomConfirmation(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await retryCustomConfirmation(email) }
    }

    /// Sends a message with which the owner of the address can set a new password. The result does not reveal whether
    /// the address is known.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.sendResetPasswordEmail(email)
    /// ```
    public func sendResetPasswordEmail(_ email: String) async throws {
        try await call("sendReset", ["email": email])
    }

    /// Sends a message for a new password and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.sendResetPasswordEmail(email) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func sendResetPasswordEmail(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await sendResetPasswordEmail(email) }
    }

    /// Sets a new password with the token and token id from the message. All logins of the user end.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.resetPassword(to: password, token: message.token, tokenId: message.tokenId)
    /// ```
    public func resetPassword(to password: String, token: String, tokenId: String) async throws {
        try await call("reset", ["password": password, "token": token, "tokenId": tokenId])
    }

    /// Sets a new password and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.resetPassword(to: password, token: message.token, tokenId: message.tokenId) { error in
    ///     print(error ?? "done")
    /// }
    /// ```
    @preconcurrency
    public func resetPassword(
        to password: String, token: String, tokenId: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        report(to: completion) { try await resetPassword(to: password, token: token, tokenId: tokenId) }
    }

    /// Sets a new password if the operator's program, which gets the arguments, agrees. All logins of the user end.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.callResetPasswordFunction(email: email, password: password, args: ["my first pet"])
    /// ```
    public func callResetPasswordFunction(email: String, password: String, args: [AnyBSON]) async throws {
        try await call("callReset", ResetRequest(email: email, password: password, arguments: args))
    }

    /// Sets a new password if the operator's program agrees, and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.callResetPasswordFunction(email: email, password: password, args: ["my first pet"]) { error in
    ///     print(error ?? "done")
    /// }
    /// ```
    @preconcurrency
    public func callResetPasswordFunction(
        email: String, password: String, args: [AnyBSON], _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        report(to: completion) { try await callResetPasswordFunction(email: email, password: password, args: args) }
    }

    private struct ResetRequest: Encodable {
        var email: String
        var password: String
        var arguments: [AnyBSON]
    }

    private func call(_ name: String, _ request: some Encodable) async throws {
        _ = try await app.accounts.call(name, request, as: Nothing.self)
    }
}
