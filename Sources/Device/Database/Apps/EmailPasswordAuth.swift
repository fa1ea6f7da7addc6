/// Registers addresses and passwords, confirms them, and sets forgotten passwords anew.
///
/// ```swift
/// let auth: EmailPasswordAuth = app.emailPasswordAuth
/// try await auth.registerUser(email: email, password: password)
/// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
/// ```
///
/// The server sends no mail by itself: it hands the tokens of confirmations and resets to a program of the operator's,
/// or writes them to its log. Which of the calls it takes is in its configuration. Every call throws `AppError`.
public struct EmailPasswordAuth: Sendable {
    let app: AppState

    /// Registers an address with a password. Depending on the server it can log in at once, or must be confirmed first.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.registerUser(email: email, password: password)
    /// ```
    ///
    /// - Throws: `AppError.accountNameInUse`, `AppError.invalidParameter` for a password or an address that the server
    ///   does not take. A server that confirms by message does not say that an address is in use: it tells its owner.
    public func registerUser(email: String, password: String) async throws {
        try await call("register", ["email": email, "password": password])
    }

    /// Registers an address with a password and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.registerUser(email: email, password: password) { error in print(error ?? "done") }
    /// ```
    public func registerUser(
        email: String, password: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        report(to: completion) { try await registerUser(email: email, password: password) }
    }

    /// Confirms an address with what the message to it held.
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
    public func confirmUser(
        _ token: String, tokenId: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        report(to: completion) { try await confirmUser(token, tokenId: tokenId) }
    }

    /// Sends the message again that an address is confirmed with. Says nothing about whether the address is known.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.resendConfirmationEmail(email)
    /// ```
    public func resendConfirmationEmail(_ email: String) async throws {
        try await call("resend", ["email": email])
    }

    /// Sends the message again and calls back.
    ///
    /// ```swift
    /// app.emailPasswordAuth.resendConfirmationEmail(email) { error in print(error ?? "done") }
    /// ```
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
    public func retryCustomConfirmation(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await retryCustomConfirmation(email) }
    }

    /// Sends a message with which the address's owner can set a new password. Says nothing about whether the address
    /// is known.
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
    public func sendResetPasswordEmail(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await sendResetPasswordEmail(email) }
    }

    /// Sets a new password with what the message held. It ends all logins of the user.
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
    public func resetPassword(
        to password: String, token: String, tokenId: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        report(to: completion) { try await resetPassword(to: password, token: token, tokenId: tokenId) }
    }

    /// Sets a new password if the operator's program agrees, which gets the arguments. It ends all logins of the user.
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
