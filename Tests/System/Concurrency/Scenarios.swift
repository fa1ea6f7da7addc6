import Causeway
import CausewaySeeds
import Dispatch
import Foundation
import Synchronization

/// What may happen at once on one file, each scenario for a number of rounds. Answers what contradicted itself.
enum Scenario: String, CaseIterable {
    /// Threads with a Realm of their own read, refresh and hold old snapshots while others commit.
    case readers
    /// Frozen copies are handed to other threads, each copy to one, and read there while the Realm goes on.
    case freezing
    /// Realms on queues hear of each other's commits; the changes they hear of lead to what they see.
    case observers
    /// Actors write asynchronously and read what the others wrote.
    case actors
    /// Results that were found once stay right through commits of others.
    case results
    /// The file is opened and closed by many threads at once, with copies and compaction in between.
    case opening

    func run(_ bank: Bank, rounds: Int, seed: UInt64) async throws -> [String] {
        let problems = Problems()
        switch self {
        case .readers: try readers(bank, rounds, seed, problems)
        case .freezing: try freezing(bank, rounds, seed, problems)
        case .observers: try observers(bank, rounds, seed, problems)
        case .actors: try await actors(bank, rounds, seed, problems)
        case .results: try results(bank, rounds, seed, problems)
        case .opening: try opening(bank, rounds, seed, problems)
        }
        if let contradiction = Bank.contradiction(in: try bank.open()) { problems.add("in the end: \(contradiction)") }
        return problems.all
    }

    // MARK: - Threads

    private func readers(_ bank: Bank, _ rounds: Int, _ seed: UInt64, _ problems: Problems) throws {
        onThreads(5, problems) { number in
            let realm = try bank.open()
            realm.autorefresh = number != 3
            var random = SeededNumbers(seed: seed &+ UInt64(number))
            for round in 0..<rounds {
                if number < 2 {
                    try realm.write { Bank.transfer(&random, in: realm) }
                } else {
                    // One of the readers stays at a snapshot for many rounds.
                    if number != 3 || round % 10 == 9 { realm.refresh() }
                    if let contradiction = Bank.contradiction(in: realm) { problems.add(contradiction) }
                }
            }
        }
    }

    private func freezing(_ bank: Bank, _ rounds: Int, _ seed: UInt64, _ problems: Problems) throws {
        onThreads(2, problems) { number in
            let realm = try bank.open()
            var random = SeededNumbers(seed: seed &+ UInt64(number))
            let readers = DispatchGroup()
            for _ in 0..<rounds {
                try realm.write { Bank.transfer(&random, in: realm) }
                // Frozen objects may be read anywhere; this one is read by one thread only.
                nonisolated(unsafe) let frozen = realm.freeze()
                DispatchQueue.global().async(group: readers) {
                    if let contradiction = Bank.contradiction(in: frozen) { problems.add("frozen: \(contradiction)") }
                }
            }
            readers.wait()
        }
    }

    private func results(_ bank: Bank, _ rounds: Int, _ seed: UInt64, _ problems: Problems) throws {
        onThreads(4, problems) { number in
            let realm = try bank.open()
            var random = SeededNumbers(seed: seed &+ UInt64(number))
            let rich = realm.objects(Account.self).filter("balance > 1000").sorted(byKeyPath: "balance")
            let linked = realm.objects(Account.self).where { $0.last.amount > 25 }
            for _ in 0..<rounds {
                if number < 2 { try realm.write { Bank.transfer(&random, in: realm) } } else { realm.refresh() }
                let all = realm.objects(Account.self)
                let expected = all.filter { $0.balance > 1000 }.map(\.balance).sorted()
                if Array(rich.map(\.balance)) != expected { problems.add("live results differ from the objects") }
                if linked.count != all.filter({ ($0.last?.amount ?? 0) > 25 }).count {
                    problems.add("results through a link differ from the objects")
                }
            }
        }
    }

    private func opening(_ bank: Bank, _ rounds: Int, _ seed: UInt64, _ problems: Problems) throws {
        onThreads(4, problems) { number in
            var random = SeededNumbers(seed: seed &+ UInt64(number))
            for round in 0..<rounds / 2 {
                let realm = try bank.open()
                if let contradiction = Bank.contradiction(in: realm) { problems.add(contradiction) }
                if number == 0, round % 8 == 0 {
                    let copy = URL(fileURLWithPath: "\(bank.configuration.fileURL?.path ?? "").copy-\(round)")
                    try realm.writeCopy(toFile: copy)
                    try FileManager.default.removeItem(at: copy)
                } else {
                    try realm.write { Bank.transfer(&random, in: realm) }
                }
                if round % 5 == 4 { realm.invalidate() }
            }
        }
    }

    // MARK: - Queues

    private func observers(_ bank: Bank, _ rounds: Int, _ seed: UInt64, _ problems: Problems) throws {
        let queues = (0..<3).map { DispatchQueue(label: "observer \($0)") }
        // Only touched on its own queue.
        let homes = try queues.map { queue in try queue.sync { try ObserverHome(bank, queue, problems) } }
        onThreads(2, problems) { number in
            let realm = try bank.open()
            var random = SeededNumbers(seed: seed &+ UInt64(number))
            for _ in 0..<rounds { try realm.write { Bank.transfer(&random, in: realm) } }
        }
        for (queue, home) in zip(queues, homes) {
            queue.sync {
                home.finish()
                if home.heard == 0 { problems.add("an observer heard nothing") }
            }
        }
    }

    // MARK: - Actors

    private func actors(_ bank: Bank, _ rounds: Int, _ seed: UInt64, _ problems: Problems) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                let teller = Teller(bank, seed &+ UInt64(number), problems)
                group.addTask { try await teller.work(rounds) }
            }
            try await group.waitForAll()
        }
    }
}

/// What was found wrong, by any thread.
final class Problems: Sendable {
    private let found = Mutex<[String]>([])

    var all: [String] { found.withLock { $0 } }

    func add(_ problem: String) {
        found.withLock { if $0.count < 10 { $0.append(problem) } }
    }
}

/// Runs a body on so many threads at once and waits for all of them.
private func onThreads(_ count: Int, _ problems: Problems, _ body: @escaping @Sendable (Int) throws -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
            defer { group.leave() }
            do {
                try body(number)
            } catch {
                problems.add("thread \(number): \(error)")
            }
        }
    }
    group.wait()
}

/// A Realm of a queue, and what its observer made of the changes.
///
/// @unchecked: everything in it happens on its queue.
private final class ObserverHome: @unchecked Sendable {
    private(set) var heard = 0
    private let realm: Realm
    private let results: Results<Account>
    private var tokens: [NotificationToken] = []
    private var known: [Int] = []
    private let problems: Problems

    init(_ bank: Bank, _ queue: DispatchQueue, _ problems: Problems) throws {
        self.problems = problems
        realm = try Realm(configuration: bank.configuration, queue: queue)
        results = realm.objects(Account.self).filter("balance >= 1000").sorted(byKeyPath: "balance")
        tokens.append(results.observe(on: queue) { [weak self] change in self?.hear(change) })
        tokens.append(realm.observe { [weak self] _, _ in self?.heard += 1 })
    }

    private func hear(_ change: RealmCollectionChange<Results<Account>>) {
        switch change {
        case .initial(let results): known = results.map(\.balance)
        case .update(let results, let deletions, let insertions, let modifications):
            for index in deletions.sorted(by: >) { known.remove(at: index) }
            for index in insertions.sorted() { known.insert(results[index].balance, at: index) }
            for index in modifications where known.indices.contains(index) { known[index] = -1 }
            let seen = results.map(\.balance)
            if known.count != seen.count || !zip(known, seen).allSatisfy({ $0 == $1 || $0 == -1 }) {
                problems.add("the changes do not lead to what is there")
            }
            known = Array(seen)
        case .error(let error): problems.add("\(error)")
        }
    }

    func finish() {
        realm.refresh()
        for token in tokens { token.invalidate() }
        tokens = []
    }
}

private actor Teller {
    private let bank: Bank
    private let problems: Problems
    private var random: SeededNumbers

    init(_ bank: Bank, _ seed: UInt64, _ problems: Problems) {
        self.bank = bank
        self.problems = problems
        random = SeededNumbers(seed: seed)
    }

    func work(_ rounds: Int) async throws {
        let realm = try await Realm(configuration: bank.configuration, actor: self)
        for _ in 0..<rounds {
            try await realm.asyncWrite { Bank.transfer(&random, in: realm) }
            await realm.asyncRefresh()
            if let contradiction = Bank.contradiction(in: realm) { problems.add(contradiction) }
        }
    }
}
