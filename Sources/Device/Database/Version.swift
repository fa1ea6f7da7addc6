import CausewayEnvironment

/// The version of the library, as [semantic versioning](https://semver.org) has it: `"0.1.0"`.
///
/// ```swift
/// print("Causeway", Causeway.version)
/// ```
///
/// `sync-server --version` says the server's. `deploy/COMPATIBILITY.md` says which versions work together.
public let version: String = Release.version
