import CausewayMeasuring
import CausewaySeeds
import CausewayStorage
import Foundation

/// Reading, with everything in memory.
extension StorageBenchmarks {
    private static let column: UInt32 = 1

    // MARK: - Leaves

    /// Few leaves, as one that works on a class again and again has them; and so many that no cache holds them.
    func leafReads() throws -> [Row] {
        let few = try leafReads(count: 1000)
        let many = try leafReads(count: smoke ? 10_000 : 200_000)
        return [
            .less(
                Self.group, "random leaf of 1,000, at most", "ns", ours: few.ours.median,
                peer: ("LMDB", few.theirs.median), most: 20, under: .hot(few.ours, few.theirs)),
            .less(
                Self.group, "random leaf by a cached pointer, at most", "ns", ours: few.cached.median, most: 5,
                under: .hot(few.cached)),
            .less(
                Self.group, "random leaf of \(smoke ? "10,000" : "200,000")", "ns", ours: many.ours.median,
                peer: ("LMDB", many.theirs.median), under: .hot(many.ours, many.theirs)),
        ]
    }

    private func leafReads(count: Int) throws -> (ours: Sample, cached: Sample, theirs: Sample) {
        let reads = smoke ? 10_000 : 2_000_000
        let storage = try open("leaves-\(count)")
        let lmdb = try LMDBPeer(file("leaves-\(count).lmdb"), isSynced: false, hasNumbers: true)
        let leaf = [UInt8](repeating: 1, count: 1048)
        let writer = try storage.write()
        for number in 0..<UInt32(count) {
            leaf.withUnsafeBytes { writer.replaceLeaf(column: Self.column, number: number, $0) }
        }
        let snapshot = try writer.commit(.relaxed)
        try lmdb.write { put in
            for number in 0..<count { try leaf.withUnsafeBytes { try put(UInt64(number), $0, true) } }
        }
        var random = SeededNumbers(seed: 4)
        let order = (0..<reads).map { _ in UInt32(random.next() % UInt64(count)) }
        let ours = measure(runs: runs, operations: reads) {
            var sum = 0
            for number in order { sum &+= Int(snapshot.leaf(column: Self.column, number: number)?[64] ?? 0) }
            consume(sum)
        }
        let pointers = (0..<UInt32(count)).compactMap { number in
            snapshot.leaf(column: Self.column, number: number)?.baseAddress
        }
        let cached = measure(runs: runs, operations: reads) {
            var sum = 0
            for number in order { sum &+= Int(pointers[Int(number)].load(fromByteOffset: 64, as: UInt8.self)) }
            consume(sum)
        }
        let theirs = try measure(runs: runs, operations: reads) {
            try lmdb.read { get in
                var sum = 0
                for number in order { sum &+= Int(get(UInt64(number))?[64] ?? 0) }
                consume(sum)
            }
        }
        withExtendedLifetime(snapshot) {}
        return (ours, cached, theirs)
    }

    // MARK: - Trees

    func treeReads() throws -> [Row] {
        let reads = smoke ? 10_000 : 500_000
        let storage = try open("tree")
        try fill(storage, entries)
        let lmdb = try LMDBPeer(file("tree.lmdb"), isSynced: false)
        try lmdb.write { put in
            for number in 0..<UInt64(entries) {
                try withUnsafeBytes(of: number) { try put(number.bigEndian, $0, true) }
            }
        }
        var random = SeededNumbers(seed: 5)
        let keys = (0..<reads).map { _ in (random.next() % UInt64(entries)).bigEndian }
        let snapshot = try storage.snapshot()
        let ours = measure(runs: runs, operations: reads) {
            var sum = 0
            for key in keys {
                withUnsafeBytes(of: key) { sum &+= Int(snapshot.get(tree: Self.tree, key: $0)?[0] ?? 0) }
            }
            consume(sum)
        }
        let theirs = try measure(runs: runs, operations: reads) {
            try lmdb.read { get in
                var sum = 0
                for key in keys { sum &+= Int(get(key)?[0] ?? 0) }
                consume(sum)
            }
        }
        let scan = measure(runs: runs, operations: entries) { Self.scan(snapshot) }
        let theirScan = try measure(runs: runs, operations: entries) {
            var sum = 0
            try lmdb.scan { key, value in sum &+= Int(key[7]) &+ Int(value[0]) }
            consume(sum)
        }
        let name = "of \(entries) entries"
        return [
            .less(
                Self.group, "tree get, random, \(name)", "ns", ours: ours.median, peer: ("LMDB", theirs.median),
                ratioTarget: 1, under: .hot(ours, theirs)),
            .less(
                Self.group, "range scan \(name)", "ns/entry", ours: scan.median, peer: ("LMDB", theirScan.median),
                ratioTarget: 1, under: .hot(scan, theirScan)),
        ]
    }

    static func scan(_ snapshot: any StorageSnapshot) {
        var sum = 0
        snapshot.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, value in
            sum &+= Int(key[7]) &+ Int(value[0])
            return true
        }
        consume(sum)
    }
}
