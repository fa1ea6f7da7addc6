import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySeeds

/// What the app of one device does in one write, and what it remembers of it for the checks.
struct AppWrites {
    let transaction: Transaction
    let replica: Replica
    let vocabulary: Vocabulary
    /// Makes names that no other device and no other write uses.
    let prefix: String
    private(set) var ledger: [String: Int64] = [:]
    private(set) var added: [String: Int64] = [:]
    private(set) var readings: [Int64] = []

    init(_ transaction: Transaction, _ replica: Replica, _ vocabulary: Vocabulary, prefix: String) {
        self.transaction = transaction
        self.replica = replica
        self.vocabulary = vocabulary
        self.prefix = prefix
    }

    mutating func perform(_ random: inout SeededNumbers) throws {
        switch random.below(20) {
        case 0...1: try writeDown(&random)
        case 2...3: try add(&random)
        case 4: try read(&random)
        case 5: try badge(&random)
        default:
            try RandomEdits(transaction: transaction, replica: replica, vocabulary: vocabulary)
                .perform(&random)
        }
    }

    /// An object that is never touched again: it must be on the server, once, as it is.
    private mutating func writeDown(_ random: inout SeededNumbers) throws {
        guard let table = transaction.table("Ledger"), let column = table.schema.index(of: "n") else { return }
        let name = "\(prefix).\(random.below(1 << 30))"
        guard table.key(for: .string(name)) == nil else { return }
        let number = Int64(random.below(6))
        table.set(try table.create(.string(name)), column, .int(number))
        ledger[name] = number
    }

    private mutating func add(_ random: inout SeededNumbers) throws {
        guard let table = transaction.table("Tally"), let column = table.schema.index(of: "sum") else { return }
        let name = random.one(of: SimulationSchema.tallies)
        guard let key = table.key(for: .string(name)) else { return }
        let amount = Int64(random.below(9) + 1)
        table.add(amount, to: key, column)
        added[name, default: 0] += amount
    }

    /// Two one-way objects: one with a name of its own, and one that says which entry was the last to arrive.
    private mutating func read(_ random: inout SeededNumbers) throws {
        guard let table = transaction.table("Reading"), let column = table.schema.index(of: "n") else { return }
        let number = try Int64(replica.state(in: transaction).lastOneWay + 1)
        table.set(try table.create(.string("\(prefix).\(number)")), column, .int(number))
        table.set(try table.create(.string("\(prefix).last")), column, .int(number))
        readings.append(number)
    }

    /// Only an app of the newer schema has these.
    private func badge(_ random: inout SeededNumbers) throws {
        guard let table = transaction.table("Badge"), let text = table.schema.index(of: "text"),
            let item = table.schema.index(of: "item")
        else { return }
        let name = PrimaryKey.string(random.one(of: vocabulary.words))
        let key = try table.key(for: name) ?? table.create(name)
        table.set(key, text, .string(random.one(of: vocabulary.words)))
        if let items = transaction.table("Item")?.allKeys, !items.isEmpty {
            table.set(key, item, .object(random.one(of: items)))
        }
    }
}
