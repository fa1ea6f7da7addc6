import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewayQuery
import CausewaySeeds
import CausewayStorage

/// Queries over generated data, each answered by the product and by loops over dictionaries: in the middle of a write,
/// after a commit, behind later commits, and after the file was opened again.
package struct QueryPairs {
    /// The product's answer is not what the loops say.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    /// What is done to the product's answers before they are compared, to show that the comparison can fail.
    package enum Mutation: Sendable {
        case loseLast, loseOrder
    }

    private let seed: UInt64
    private let mutation: Mutation?
    private let path: String
    private var history: ZooHistory
    private var pairs = 0
    private static let queriesPerPhase = 40
    private static let rowsComparedMax = 60

    private init(seed: UInt64, folder: String, mutation: Mutation?) {
        self.seed = seed
        self.mutation = mutation
        path = "\(folder)/\(seed).realm"
        history = ZooHistory(seed: seed)
    }

    /// Runs one seed; answers how many queries were compared.
    ///
    /// - Parameter folder: where files may be made and are left behind.
    package static func run(seed: UInt64, folder: String, mutation: Mutation? = nil) throws -> Int {
        var run = QueryPairs(seed: seed, folder: folder, mutation: mutation)
        try run.run()
        return run.pairs
    }

    private mutating func run() throws {
        let isFile = seed.isMultiple(of: 2)
        let rows = history.numbers.one(of: [20, 150, 150, 2500])
        do {
            let store = try ObjectStore.open(path: path, options: .init(inMemory: !isFile, mapSizeBytes: 1 << 32))
            let transaction = try store.write()
            try transaction.extendSchema(Zoo.schema.withNestedCollections)
            try history.change(transaction, times: rows)
            try compare(transaction, "while writing")
            try transaction.commit(.relaxed)
            try compare(transaction, "committed")
            try changeBehind(transaction, store)
        }
        guard isFile else { return }
        try compare(try ObjectStore.open(path: path, options: .init(mapSizeBytes: 1 << 32)).read(), "opened again")
    }

    /// An older transaction goes on seeing what it saw; whoever comes sees what was written.
    private mutating func changeBehind(_ old: Transaction, _ store: ObjectStore) throws {
        let before = history.reference
        let transaction = try store.write()
        try history.change(transaction, times: 60)
        try compare(transaction, "while changing")
        let after = history.reference
        history.reference = before
        try compare(old, "behind a write")
        if history.numbers.once(in: 4) {
            transaction.abort()
        } else {
            try transaction.commit(.relaxed)
            history.reference = after
        }
        try compare(try store.read(), "changed")
        try old.advance()
        try compare(old, "advanced")
    }

    // MARK: - Comparing

    private mutating func compare(_ transaction: Transaction, _ when: String) throws {
        if let found = try history.reference.difference(from: transaction, rowsMax: Self.rowsComparedMax) {
            throw difference("\(when): \(found)")
        }
        let naive = NaiveEvaluator(store: history.reference)
        let scratchMax = transaction.queryScratchMax
        defer { transaction.queryScratchMax = scratchMax }
        for number in 0..<Self.queriesPerPhase {
            let className = history.numbers.once(in: 4) ? "Keeper" : "Animal"
            let predicate = history.predicate(on: className)
            let expected = history.reference.keys(className).filter { naive.holds(predicate, $0, className) }
            // Every other scan is shared with a second thread, however small it is.
            transaction.leastSharedScanCost = number.isMultiple(of: 2) ? 0 : .infinity
            // Some keep nothing between leaves, as predicates of thousands of parts do.
            transaction.queryScratchMax = number % 3 == 0 ? -1 : scratchMax
            var found = try transaction.keys(className, matching: predicate)
            if mutation == .loseLast { _ = found.popLast() }
            let count = try transaction.count(className, matching: predicate)
            pairs += 1
            guard found == expected, count == expected.count else {
                throw difference(
                    "\(when), query \(number): \(predicate), run as "
                        + "\(transaction.explain(className, matching: predicate)), found \(found.map(\.rawValue)), "
                        + "counted \(count), expected \(expected.map(\.rawValue))")
            }
            if number.isMultiple(of: 8) { try compareOrder(transaction, found, className, when) }
        }
    }

    private mutating func compareOrder(
        _ transaction: Transaction, _ keys: [ObjectKey], _ className: String, _ when: String
    ) throws {
        let order = (0..<1 + history.numbers.below(3)).map { _ in
            BoundSortKey(path: history.orderPath(on: className), ascending: history.numbers.once(in: 2))
        }
        let expected = NaiveOrder(store: history.reference).sorted(keys, className, by: order)
        let found = mutation == .loseOrder ? keys : transaction.sorted(keys, className, by: order)
        guard found == expected else {
            throw difference(
                "\(when): sorted by \(order), found \(found.map(\.rawValue)), expected \(expected.map(\.rawValue))")
        }
    }

    private func difference(_ text: String) -> Difference {
        Difference(description: "seed \(seed): \(text)")
    }
}
