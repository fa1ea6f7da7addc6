import CausewaySeeds
import Causeway
import CausewayMeasuring
import Foundation

/// Reading objects one by one, with everything in memory.
extension StoreBenchmarks {
    func lookups() throws -> [Row] {
        let realm = try DogData.realm(realmFile)
        let peer = try SQLitePeer(sqliteFile)
        let select = try peer.prepare("SELECT age FROM dog WHERE id = ?")
        let lookups = smoke ? 1_000 : 200_000
        func sum(_ age: (Int) -> Int) -> [Double] {
            var random = SeededNumbers(seed: 2)
            var sum = 0
            for _ in 0..<lookups { sum &+= age(Int(random.next() % UInt64(data.count))) }
            return [Double(sum)]
        }
        return [
            try row(
                "primary key and one read, random", operations: lookups, least: 4,
                ours: { sum { realm.object(ofType: Dog.self, forPrimaryKey: $0)?.age ?? 0 } },
                theirs: {
                    try peer.read {
                        sum { id in
                            select.bind(1, id)
                            defer { select.reset() }
                            return select.step() ? select.integer(0) : 0
                        }
                    }
                })
        ]
    }

    /// Every object of new results in turn.
    func sequences() throws -> [Row] {
        let realm = try DogData.realm(realmFile)
        let peer = try SQLitePeer(sqliteFile)
        try peer.keepReading()
        try LoopCheck(data: data).run(realm.objects(Dog.self))
        func sum(_ value: (Dog) -> Int) -> [Double] {
            var sum = 0
            for dog in realm.objects(Dog.self) { sum &+= value(dog) }
            return [Double(sum)]
        }
        func sum(_ statement: SQLitePeer.Statement, _ value: (SQLitePeer.Statement) -> Int) -> [Double] {
            var sum = 0
            while statement.step() { sum &+= value(statement) }
            statement.reset()
            return [Double(sum)]
        }
        // A string of Swift's, as ours gives.
        let length = { (statement: SQLitePeer.Statement) in statement.string(0).utf8.count }
        let ages = try peer.prepare("SELECT age FROM dog")
        let names = try peer.prepare("SELECT name FROM dog")
        let owners = try peer.prepare("SELECT person.name FROM dog JOIN person ON person.id = dog.owner")
        return [
            try row(
                "Int property in sequence, at most", operations: data.count, most: 8,
                ours: { sum { $0.age } }, theirs: { sum(ages) { $0.integer(0) } }),
            try row(
                "short String property in sequence, at most", operations: data.count, most: 40,
                ours: { sum { $0.name.utf8.count } }, theirs: { sum(names, length) }),
            try row(
                "link, then String, in sequence", operations: data.count,
                ours: { sum { $0.owner?.name.utf8.count ?? 0 } }, theirs: { sum(owners, length) }),
        ]
    }

    func row(
        _ name: String, operations: Int, least: Double? = nil, most: Double? = nil,
        ours: Duel.Work, theirs: Duel.Work
    ) throws -> Row {
        let duel = try Duel(name, smoke: smoke, ours: ours, theirs: theirs)
        return .less(
            Self.group, name, "ns", ours: duel.ours.median / Double(operations),
            peer: ("SQLite", duel.theirs.median / Double(operations)), ratioTarget: least, most: most,
            under: duel.conditions)
    }
}
