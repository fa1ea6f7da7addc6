/// How a user proves who they are.
///
/// ```swift
/// let user = try await app.login(credentials: .jwt(token))
/// ```
public enum Credentials: Hashable, Sendable {
    /// A JSON Web Token, signed by a key that the server's configuration names. Its `sub` is the user's id.
    case jwt(token: String)

    /// A JSON Web Token, signed by a key that the server's configuration names. Its `sub` is the user's id.
    public static func jwt(_ token: String) -> Credentials {
        .jwt(token: token)
    }
}
