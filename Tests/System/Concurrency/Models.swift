import Causeway
import CausewayObjectStore
import Foundation

class Account: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var branch: String
    @Persisted var balance: Int
    @Persisted var last: Transfer?
}

class Transfer: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var amount: Int
    @Persisted var accounts: List<Account>
    @Persisted(originProperty: "last") var lastOf: LinkingObjects<Account>
}

enum BankFile: String, CaseIterable {
    case plain
    case encrypted
    /// Encrypted, with room for few decrypted pages: they go and come back all the time.
    case crowded
}

/// Money that moves between accounts: whatever is seen at one moment adds up.
struct Bank: Sendable {
    static let accountCount = 120
    static let startBalance = 1000

    let configuration: Realm.Configuration
    /// Keeps a crowded file open, because whoever opens a file first says how much room it has.
    private let crowded: FileCoordinator?

    init(folder: URL, _ kind: BankFile) throws {
        var configuration = Realm.Configuration(fileURL: folder.appendingPathComponent("bank-\(UUID()).realm"))
        configuration.objectTypes = [Account.self, Transfer.self]
        let key = [UInt8](0..<64)
        if kind != .plain { configuration.encryptionKey = Data(key) }
        self.configuration = configuration
        if kind == .crowded, let path = configuration.fileURL?.path {
            var options = ObjectStore.Options(encryptionKey: key)
            options.decryptedBytesMaximum = 32 << 10
            crowded = try FileCoordinator.open(path: path, options: options)
        } else {
            crowded = nil
        }
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<Self.accountCount {
                realm.create(
                    Account.self, value: ["id": id, "branch": "branch \(id % 5)", "balance": Self.startBalance])
            }
        }
    }

    func open() throws -> Realm { try Realm(configuration: configuration) }

    /// One transfer, in the write transaction that the caller began.
    static func transfer(_ random: inout some RandomNumberGenerator, in realm: Realm) {
        let ids = (0..<accountCount).shuffled(using: &random).prefix(2)
        let accounts = ids.compactMap { realm.object(ofType: Account.self, forPrimaryKey: $0) }
        let amount = Int.random(in: 1...50, using: &random)
        accounts[0].balance -= amount
        accounts[1].balance += amount
        let id = (realm.objects(Transfer.self).max(ofProperty: "id") as Int? ?? 0) + 1
        let transfer = realm.create(Transfer.self, value: ["id": id, "amount": amount])
        transfer.accounts.append(objectsIn: accounts)
        accounts[0].last = transfer
        accounts[1].branch = "branch \(Int.random(in: 0..<5, using: &random))"
        if id > 40, let old = realm.object(ofType: Transfer.self, forPrimaryKey: id - 40) { realm.delete(old) }
    }

    /// What contradicts itself in what a Realm shows now.
    static func contradiction(in realm: Realm) -> String? {
        let accounts = realm.objects(Account.self)
        let total = accounts.reduce(0) { $0 + $1.balance }
        guard accounts.count == accountCount, total == accountCount * startBalance else {
            return "\(accounts.count) accounts hold \(total)"
        }
        let sum: Int = accounts.sum(ofProperty: "balance")
        guard sum == total else { return "one by one \(total), summed up \(sum)" }
        let branches = (0..<5).map { accounts.filter("branch == 'branch \($0)'").count }
        guard branches.reduce(0, +) == accountCount else { return "the branches have \(branches) accounts" }
        for transfer in realm.objects(Transfer.self) where transfer.accounts.count != 2 {
            return "transfer \(transfer.id) is between \(transfer.accounts.count) accounts"
        }
        let sorted = accounts.sorted(byKeyPath: "balance").map { $0.balance }
        guard zip(sorted, sorted.dropFirst()).allSatisfy({ $0 <= $1 }) else { return "the order is no order" }
        return nil
    }
}
