/// What a Realm file holds and an import leaves out, or changes.
struct RealmLosses: Equatable {
    /// Links to objects that the file does not have. They become null, or are left out of their list or set.
    var danglingLinks = 0
    /// Embedded objects that no object holds.
    var orphans = 0
    /// Strings that are not UTF-8. The bytes that are none become U+FFFD.
    var repairedTexts = 0

    var lines: [String] {
        [
            (danglingLinks, "links lead to objects that are not there: set to null, or left out of their list or set"),
            (orphans, "embedded objects are held by no object: left out"),
            (repairedTexts, "strings were read that are not UTF-8: what cannot be read of them became U+FFFD"),
        ].filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
    }
}
