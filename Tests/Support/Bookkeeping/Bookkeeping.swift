package import Causeway

/// One transaction of the bookkeeping, and the check of what any number of them must have left.
package enum Bookkeeping {
    package static let types: [ObjectBase.Type] = [Account.self, Transfer.self, Journal.self]

    /// How many transfers are kept: older ones are deleted, so that a long life does not grow the file.
    package static let keptTransfers = 40
    private static let accountNames = ["north", "east", "south", "west"]
    private static let kinds = 7

    // MARK: - Writing

    /// Makes the accounts and the journal in a file that has none; answers the number of the last transfer.
    package static func begin(in realm: Realm) throws -> Int {
        if let journal = realm.object(ofType: Journal.self, forPrimaryKey: "journal") { return journal.last }
        try realm.write {
            for name in accountNames { realm.create(Account.self, value: ["name": name]) }
            realm.create(Journal.self, value: ["name": "journal"])
        }
        return 0
    }

    /// The transaction with a number. It touches everything a file has: it changes, creates and deletes objects,
    /// writes links, an index, a list and a text whose length differs from one to the next.
    package static func transfer(_ number: Int, in realm: Realm) throws {
        try realm.write {
            guard let journal = realm.object(ofType: Journal.self, forPrimaryKey: "journal"),
                let from = realm.object(ofType: Account.self, forPrimaryKey: accountNames[source(number)]),
                let to = realm.object(ofType: Account.self, forPrimaryKey: accountNames[target(number)])
            else { throw Wrong("the accounts or the journal are missing") }
            let transfer = Transfer(value: ["number": number, "amount": amount(number), "kind": kind(number)])
            transfer.note = note(number)
            realm.add(transfer)
            transfer.from = from
            transfer.to = to
            from.balance -= amount(number)
            to.balance += amount(number)
            journal.transfers.append(transfer)
            if journal.transfers.count > keptTransfers {
                let oldest = journal.transfers[0]
                journal.transfers.remove(at: 0)
                realm.delete(oldest)
            }
            journal.last = number
        }
    }

    // MARK: - What a number means

    private static func amount(_ number: Int) -> Int { number &* 7_919 % 1_000 + 1 }
    private static func source(_ number: Int) -> Int { number % 4 }
    private static func target(_ number: Int) -> Int { (number + 1 + number / 4 % 3) % 4 }
    private static func kind(_ number: Int) -> String { "kind \(number % kinds)" }
    private static func note(_ number: Int) -> String? {
        number.isMultiple(of: 5) ? nil : String(repeating: "n", count: number &* 31 % 200)
    }

    // MARK: - Checking

    package struct Wrong: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Compares the whole content with what the number in the journal says.
    ///
    /// - Returns: That number; zero for a file whose first transaction never committed.
    /// - Throws: `Wrong` with the first difference.
    package static func check(_ realm: Realm) throws -> Int {
        let transfers = realm.objects(Transfer.self)
        let accounts = realm.objects(Account.self)
        guard let journal = realm.object(ofType: Journal.self, forPrimaryKey: "journal") else {
            try expect(transfers.isEmpty && accounts.isEmpty, "objects without the journal they were made with")
            return 0
        }
        let last = journal.last
        try checkBalances(realm, last)
        let kept = Array(max(1, last - keptTransfers + 1)..<(last + 1))
        try expect(Array(journal.transfers.map(\.number)) == kept, "the journal's list after \(last)")
        try expect(transfers.count == kept.count, "\(transfers.count) transfers instead of \(kept.count)")
        for number in kept {
            guard let transfer = realm.object(ofType: Transfer.self, forPrimaryKey: number) else {
                throw Wrong("transfer \(number) is missing after \(last)")
            }
            try expect(transfer.amount == amount(number), "the amount of \(number) after \(last)")
            try expect(transfer.note == note(number), "the note of \(number) after \(last)")
            try expect(transfer.from?.name == accountNames[source(number)], "the source of \(number) after \(last)")
            try expect(transfer.to?.name == accountNames[target(number)], "the target of \(number) after \(last)")
        }
        for residue in 0..<kinds {
            let found = Set(transfers.where { $0.kind == "kind \(residue)" }.map(\.number))
            try expect(
                found == Set(kept.filter { $0 % kinds == residue }), "the index of kind \(residue) after \(last)")
        }
        return last
    }

    private static func checkBalances(_ realm: Realm, _ last: Int) throws {
        var balances = [Int](repeating: 0, count: accountNames.count)
        for number in stride(from: 1, through: last, by: 1) {
            balances[source(number)] -= amount(number)
            balances[target(number)] += amount(number)
        }
        for (name, balance) in zip(accountNames, balances) {
            let account = realm.object(ofType: Account.self, forPrimaryKey: name)
            try expect(account?.balance == balance, "the balance of \(name) after \(last)")
        }
        let sum: Int = realm.objects(Account.self).sum(ofProperty: "balance")
        try expect(sum == 0, "balances that add up to \(sum) after \(last)")
    }

    private static func expect(_ condition: Bool, _ what: String) throws {
        guard condition else { throw Wrong("wrong: \(what)") }
    }
}
