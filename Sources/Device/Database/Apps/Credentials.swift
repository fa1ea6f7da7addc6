/// How a user proves who they are.
///
/// ```swift
/// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
/// let ways: [Credentials] = [.anonymous, .jwt(token: jwt), .userAPIKey("kept by the user"), .serverAPIKey("of a program")]
/// ```
///
/// `.jwt` needs no network: the token itself is what sessions show. Every other kind asks the server, which must have
/// accounts switched on and the kind allowed in its configuration; otherwise the login throws
/// `AppError.authProviderNotFound`.
public enum Credentials: Hashable, Sendable {
    /// A token from Facebook. The server takes it where its configuration names keys to check it with.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .facebook(accessToken: facebookToken))
    /// ```
    case facebook(accessToken: String)
    /// A code that a server exchanges at Google. Ours does not; use `googleId`.
    ///
    /// ```swift
    /// let refused = Credentials.google(serverAuthCode: "4/P7q7W91")    // throws AppError when it logs in
    /// ```
    case google(serverAuthCode: String)
    /// An id token from Google, checked with the keys that the server's configuration names.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .googleId(token: googleToken))
    /// ```
    case googleId(token: String)
    /// An id token from Apple, checked with the keys that the server's configuration names.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .apple(idToken: appleToken))
    /// ```
    case apple(idToken: String)
    /// An address that was registered with `EmailPasswordAuth`, and its password.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
    /// ```
    case emailPassword(email: String, password: String)
    /// A JSON Web Token, signed by a key that the server's configuration names. Its `sub` is the user's id.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .jwt(token: jwt))
    /// ```
    case jwt(token: String)
    /// Arguments of the function that says who the user is: `loginFunction` in the server's configuration.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .function(payload: ["name": "rex"]))
    /// ```
    case function(payload: Document)
    /// A key that a user made for themselves with `APIKeyAuth`.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .userAPIKey(laptop.key!))
    /// ```
    case userAPIKey(String)
    /// A key that the operator made with `sync-server accounts server-key`.
    ///
    /// ```swift
    /// let program = try await app.login(credentials: .serverAPIKey(serverKey))
    /// ```
    case serverAPIKey(String)
    /// Nothing: the server makes a new user. On a device that has an anonymous user logged in, it is that one.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .anonymous)
    /// ```
    case anonymous

    /// A JSON Web Token, signed by a key that the server's configuration names. Its `sub` is the user's id.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .jwt(jwt))
    /// ```
    public static func jwt(_ token: String) -> Credentials {
        .jwt(token: token)
    }
}

/// Credentials as the server reads them.
struct CredentialsRequest: Encodable {
    var provider: String
    var email: String?
    var password: String?
    var key: String?
    var token: String?
    var code: String?
    var payload: [String: AnyBSON]?

    init(_ credentials: Credentials) {
        switch credentials {
        case .facebook(let token):
            provider = "oauth2-facebook"
            self.token = token
        case .google(let code):
            provider = "oauth2-google"
            self.code = code
        case .googleId(let token):
            provider = "oauth2-google"
            self.token = token
        case .apple(let token):
            provider = "oauth2-apple"
            self.token = token
        case .emailPassword(let email, let password):
            provider = "local-userpass"
            self.email = email
            self.password = password
        case .jwt(let token):
            provider = "custom-token"
            self.token = token
        case .function(let payload):
            provider = "custom-function"
            self.payload = payload.mapValues { $0 ?? .null }
        case .userAPIKey(let key), .serverAPIKey(let key):
            provider = "api-key"
            self.key = key
        case .anonymous:
            provider = "anon-user"
        }
    }
}
