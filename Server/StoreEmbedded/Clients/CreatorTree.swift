import CausewayModel
import CausewayObjectStore
import CausewayStore

/// How many objects that exist now the clients of each user created.
///
/// The creator of an object is the client of `ObjectStamps.born`, the stamp of the first create of its life. A client
/// that has written keeps its user for good (`ClientKeeping`), so the rows tell at any time what is here:
///
/// 1. The number of a user is that of the rows of top-level classes whose creator is a client of the user. Objects that
///    are embedded, collections inside of mixed values, and one-way objects do not count.
/// 2. A user without such rows has no entry. So the bytes follow from the rows, whatever happened before.
/// 3. `Meta.counted` is the newest version. It is not in a record that an earlier build wrote last, and opening counts
///    such a record anew (`CreatorCensus`).
struct CreatorTree {
    private let transaction: Transaction
    private let tree: Tree

    init(in transaction: Transaction) {
        self.transaction = transaction
        tree = transaction.tree(Layout.creators)
    }

    func objects(of user: String) -> Int { tree.get(Array(user.utf8)).map(Self.number) ?? 0 }

    /// In the order of the users' names.
    func forEach(_ body: (_ user: String, _ objects: Int) -> Void) {
        tree.scan { key, value in
            body(String(decoding: key, as: UTF8.self), Self.number(Array(value)))
            return true
        }
    }

    /// - Parameter changes: by user.
    func add(_ changes: [ExactString: Int]) {
        // What is written must not depend on hashing.
        for (user, change) in changes.sorted(by: { $0.key < $1.key }) where change != 0 {
            let key = Array(user.string.utf8)
            let objects = max((tree.get(key).map(Self.number) ?? 0) + change, 0)
            if objects > 0 { tree.put(key, Layout.bytes(UInt64(objects))) } else { tree.remove(key) }
        }
    }

    func replace(by objects: [ExactString: Int]) {
        tree.removeRange()
        add(objects)
    }

    private static func number(_ bytes: [UInt8]) -> Int {
        Int(clamping: bytes.withUnsafeBytes { Layout.number($0) as UInt64? } ?? 0)
    }
}

/// How the numbers of `CreatorTree` change in one version. Commits count by client, which costs a run of new rows or a
/// deleted object one addition; the users are looked up when somebody asks, each client once.
struct CreatorChanges {
    private var ofClients: [ClientID: Int] = [:]
    private var ofUsers: [ExactString: Int] = [:]
    private var users: [ClientID: ExactString?] = [:]

    mutating func add(_ objects: Int, by client: ClientID) {
        ofClients[client, default: 0] += objects
    }

    /// How many more objects of a user there are.
    mutating func change(of user: String, in transaction: Transaction) throws(StoreFailure) -> Int {
        try settle(in: transaction)
        return ofUsers[ExactString(user)] ?? 0
    }

    /// By user. An object whose creator nobody has registered is of no user.
    mutating func settled(in transaction: Transaction) throws(StoreFailure) -> [ExactString: Int] {
        try settle(in: transaction)
        return ofUsers
    }

    private mutating func settle(in transaction: Transaction) throws(StoreFailure) {
        for (client, change) in ofClients {
            if let user = try user(of: client, in: transaction) { ofUsers[user, default: 0] += change }
        }
        ofClients = [:]
    }

    private mutating func user(
        of client: ClientID, in transaction: Transaction
    ) throws(StoreFailure) -> ExactString? {
        if let known = users[client] { return known }
        let user = try ClientState(of: client, in: transaction).map { ExactString($0.user) }
        users[client] = .some(user)
        return user
    }
}
