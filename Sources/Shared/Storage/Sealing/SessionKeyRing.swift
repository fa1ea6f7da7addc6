import Crypto

/// The keys of a file's sessions, each derived once. Its owner must guard it.
struct SessionKeyRing {
    private let key: SealingKey
    private let fileID: FileID
    private(set) var table = SealingSessions()
    /// The keys derived so far. They are few, because only sessions whose pages still exist are read.
    private var derived: [SessionSalt: SessionKeys] = [:]
    /// The key used last: most pages opened one after the other are of one session.
    private var last: (births: Range<UInt64>, key: SymmetricKey)?
    /// The table that was read last, so that it is not read again with every header.
    var learnedTable = PagePointer.none

    init(_ key: SealingKey, fileID: FileID) {
        self.key = key
        self.fileID = fileID
    }

    mutating func learn(_ sessions: [Session]) {
        table.learn(sessions)
        last = nil
    }

    mutating func keys(_ salt: SessionSalt) -> SessionKeys {
        if let known = derived[salt] { return known }
        let keys = key.sessionKeys(fileID: fileID, salt: salt)
        derived[salt] = keys
        return keys
    }

    /// The key of the pages with a birth; nil when it is before all known sessions.
    mutating func pageKey(ofBirth birth: UInt64) -> SymmetricKey? {
        if let last, last.births.contains(birth) { return last.key }
        guard let index = table.index(ofBirth: birth) else { return nil }
        let key = keys(table.sessions[index].salt).pages
        last = (table.births(at: index), key)
        return key
    }
}
