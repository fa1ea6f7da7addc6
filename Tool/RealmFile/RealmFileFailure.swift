/// Why a Realm file cannot be read: what was found, and the remedy where there is one.
package struct RealmFileFailure: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// Something at a place of the file that no Realm writes there.
    static func damaged(at place: Int, _ what: String) -> RealmFileFailure {
        RealmFileFailure("The Realm file is damaged at byte \(place): \(what).")
    }
}
