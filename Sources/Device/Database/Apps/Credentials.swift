/// How a user proves who they are.
///
/// ```swift
/// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
/// let ways: [Credentials] = [.anonymous, .jwt(token: jwt), .userAPIKey("kept by the user"), .serverAPIKey("of a program")]
/// ```
///
/// `.jwt` needs no network: sessions present the token itself. All other kinds ask the server, whose configuration must
/// enable accounts and the kind; otherwise the login throws `AppError.authProviderNotFound`.
public enum Credentials: Hashable, Sendable {
    /// A token from Facebook. The server accepts it if its configuration names keys to verify it.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .facebook(accessToken: facebookToken))
    /// ```
    case facebook(accessToken: String)
    /// A code that a server exchanges with Google. This server does not support it; use `googleId`.
    ///
    /// ```swift
    /// let refused = Credentials.google(serverAuthCode: "4/P7q7W91")    // throws AppError when it logs in
    /// ```
    case google(serverAuthCode: String)
    /// An id token from Google, verified with the keys that the server's configuration names.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .googleId(token: googleToken))
    /// ```
    case googleId(token: String)
    /// An id token from Apple, verified with the keys that the server's configuration names.
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
    /// The arguments of the function that identifies the user: `loginFunction` in the server's configuration.
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
    /// No credentials: the server creates a new user. If an anonymous user is already logged in on the device, the
    /// login returns that user.
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
