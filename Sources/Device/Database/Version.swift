import CausewayEnvironment

/// The version of the library, by [semantic versioning](https://semver.org): `"0.1.0"`.
///
/// ```swift
/// print("Causeway", Causeway.version)
/// ```
///
/// `sync-server --version` prints the server's. `deploy/COMPATIBILITY.md` lists which versions work together.
public let version: String = Release.version
