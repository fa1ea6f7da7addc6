import Crypto

/// The digest of the content of a file of keys or certificates. It tells whether a file holds what it held, and nothing
/// of what that is.
package struct KeyDigest: Hashable, Sendable {
    private let digest: SHA256.Digest

    package init(_ text: String) {
        digest = SHA256.hash(data: Array(text.utf8))
    }
}
