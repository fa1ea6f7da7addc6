import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

final class Series: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var values: List<Int>
    @Persisted var stars: Int
}

/// A long list of numbers. SQLite's is a table in the order of (list, position), where a position is a real number, so
/// that a place between two others can be named without moving anything.
extension EverydayBenchmarks {
    func lists(_ report: ([Row]) -> Void) throws {
        let count = smoke ? 1_000 : 100_000
        let changes = count / 10
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: file("lists.realm"), objectTypes: [Series.self]))
        let peer = try SQLitePeer(file("lists.sqlite"))
        try peer.execute(
            "CREATE TABLE element (list INTEGER, position REAL, value INTEGER, PRIMARY KEY (list, position)) "
                + "WITHOUT ROWID")
        let put = try peer.prepare("INSERT INTO element VALUES (?, ?, ?)")
        func insert(_ list: Int, at position: Double, _ value: Int) {
            put.bind(1, list)
            put.bind(2, position)
            put.bind(3, value)
            put.run()
        }

        var (here, there) = (0, 0)
        let append = try listRow(
            "list: append to \(count)", operations: count, most: 40,
            ours: {
                here += 1
                try realm.write {
                    let values = realm.create(Series.self, value: ["id": here]).values
                    for value in 0..<count { values.append(value) }
                }
                return [Double(count)]
            },
            theirs: {
                there += 1
                try peer.execute("BEGIN IMMEDIATE")
                for value in 0..<count { insert(there, at: Double(value), value) }
                try peer.execute("COMMIT")
                return [Double(count)]
            })

        guard let values = realm.object(ofType: Series.self, forPrimaryKey: 1)?.values else { return report([append]) }
        let length = try peer.prepare("SELECT count(*) FROM element WHERE list = 1")
        var (ours, theirs) = (SeededNumbers(seed: 40), SeededNumbers(seed: 40))
        var insertions = 0
        let random = try listRow(
            "list: insert at random into \(count)", operations: changes, most: 200,
            ours: {
                insertions += 1
                try realm.write {
                    for value in 0..<changes {
                        values.insert(value, at: Int(ours.next() % UInt64(values.count + 1)))
                    }
                }
                return [Double(count + insertions * changes)]
            },
            theirs: {
                try peer.execute("BEGIN IMMEDIATE")
                for value in 0..<changes {
                    // Places that no other insertion has.
                    insert(1, at: Double(theirs.next() >> 11) / 0x1p53 * Double(count), value)
                }
                try peer.execute("COMMIT")
                return length.answer()
            })

        let reads = smoke ? 1_000 : 1_000_000
        let read = measure(runs: smoke ? 1 : 5, operations: reads) {
            var random = SeededNumbers(seed: 41)
            var sum = 0
            let count = UInt64(values.count)
            for _ in 0..<reads { sum &+= values[Int(random.next() % count)] }
            consume(sum)
        }
        let removals = smoke ? 10 : 1_000
        let removed = try measure(runs: smoke ? 1 : 5, operations: removals) {
            try realm.write { for _ in 0..<removals { values.remove(at: 0) } }
        }
        report([
            append, random,
            .less(
                Self.group, "list: read by random index of \(count)", "ns", ours: read.median, most: 4,
                under: .hot(read)),
            .less(
                Self.group, "list: remove at the front of \(count)", "ns", ours: removed.median, most: 100,
                under: .hot(removed)),
        ])
    }

    private func listRow(
        _ name: String, operations: Int, most: Double, ours: Duel.Work, theirs: Duel.Work
    ) throws -> Row {
        row(
            try Duel(name, smoke: smoke, ours: ours, theirs: theirs), "ns", operations: operations, most: most)
    }
}
