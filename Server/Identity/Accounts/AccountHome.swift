/// Where the records of a database's accounts are. Its calls block.
package protocol AccountHome: Sendable {
    /// Runs `body` on one state.
    func read<Outcome>(_ body: (any AccountTrees) throws -> Outcome) throws -> Outcome

    /// Runs `body` as one transaction, alone. What it did is taken back when it throws.
    func write<Outcome>(_ body: (any AccountTrees) throws -> Outcome) throws -> Outcome

    func close()
}

/// Records under keys, in trees that have names: what one transaction sees. Keys are in the order of their bytes.
package protocol AccountTrees {
    func get(_ key: [UInt8], in tree: String) throws(AccountError) -> [UInt8]?

    /// Of many keys, in their order: where each question takes its time, in one.
    func values(of keys: [[UInt8]], in tree: String) throws(AccountError) -> [[UInt8]?]

    func put(_ value: [UInt8], _ key: [UInt8], in tree: String) throws(AccountError)

    func remove(_ key: [UInt8], in tree: String) throws(AccountError)

    /// The first keys from one on, up to another one; nil is behind the last.
    func keys(in tree: String, from: [UInt8], upTo: [UInt8]?, countMax: Int) throws(AccountError) -> [[UInt8]]
}

extension AccountTrees {
    /// The names of all trees. A home may take others for what is not there.
    package static var names: [String] {
        ["meta", "users", "identities", "passwords", "sessions", "sessionsOf", "keys", "keysOf", "tokens"]
    }

    /// The PEM text of the key that access tokens are signed with: accounts are the same where it is. Nil before the first opening.
    package func signingKey() throws(AccountError) -> String? {
        try get(SigningKeyPlace.key, in: SigningKeyPlace.tree).map { String(decoding: $0, as: UTF8.self) }
    }

    func save(signingKey: String) throws(AccountError) {
        try put(Array(signingKey.utf8), SigningKeyPlace.key, in: SigningKeyPlace.tree)
    }

    package func removeAll() throws(AccountError) {
        for tree in Self.names {
            for key in try keys(in: tree, from: [], upTo: nil, countMax: .max) { try remove(key, in: tree) }
        }
    }

    /// Copies everything into trees that are empty.
    package func copy(to other: any AccountTrees) throws(AccountError) {
        for tree in Self.names {
            for key in try keys(in: tree, from: [], upTo: nil, countMax: .max) {
                if let value = try get(key, in: tree) { try other.put(value, key, in: tree) }
            }
        }
    }
}

private enum SigningKeyPlace {
    static let tree = "meta"
    static let key = Array("key".utf8)
}
