/// The release that this source is of.
///
/// The library and the server are released together, under one number. `deploy/CHANGELOG.md` names it first, and a tag of
/// the repository is called by it.
package enum Release {
    /// As semantic versioning has it.
    package static let version = "0.1.0"
}
