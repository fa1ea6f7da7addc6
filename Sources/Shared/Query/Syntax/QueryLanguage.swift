/// What queries mean, as far as it can change.
package enum QueryLanguage {
    /// Raised when a text begins to match other objects than before. Fingerprints of what devices hold carry it, so that
    /// every view is compared once after such a change.
    package static let meaning = "meaning 3"
}
