/// The release of this source.
///
/// The library and the server are released together, under one number. It is the first one in `deploy/CHANGELOG.md`,
/// and the name of a tag in the repository.
package enum Release {
    /// The number, by semantic versioning.
    package static let version = "0.1.0"
}
