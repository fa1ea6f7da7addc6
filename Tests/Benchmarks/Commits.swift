import CausewayMeasuring

/// Durable commits in a steady state: as many as an app makes in its life, with all that is due now and then.
///
/// SQLite's log grows until its first checkpoint, and each commit then waits for the file's new size too; after that the
/// log is written again from its beginning. So two checkpoints come before anything counts, and five are among what does.
enum Commits {
    private static let uncounted = 2 * SQLitePeer.checkpointPages
    private static let counted = 5 * SQLitePeer.checkpointPages
    private static let block = 50

    struct Peer {
        let name: String
        let sample: Sample
        let least: Double?

        init(_ name: String, _ sample: Sample, least: Double? = nil) {
            (self.name, self.sample, self.least) = (name, sample, least)
        }
    }

    /// - Parameter sides: What each side commits, told the number of the commit.
    static func run(smoke: Bool, _ sides: [(Int) throws -> Void]) throws -> [Sample] {
        try Rotation.run(warmUp: smoke ? 10 : uncounted, count: smoke ? 10 : counted, block: block, sides)
    }

    /// One property of one dog of a thousand, and the same in both peers.
    static func ofOneDog(
        smoke: Bool, sqlite: SQLitePeer, lmdb: LMDBPeer, ours: @escaping (Int) throws -> Void
    ) throws -> (ours: Sample, sqlite: Sample, lmdb: Sample) {
        let update = try sqlite.prepare("UPDATE dog SET age = ? WHERE id = 500")
        let samples = try run(
            smoke: smoke,
            [
                ours,
                { number in
                    update.bind(1, number)
                    update.run()
                },
                { number in try lmdb.commit(key: 500, value: UInt64(number)) },
            ])
        return (samples[0], samples[1], samples[2])
    }

    /// The median, which no checkpoint is a part of, and the mean, which pays for all of them.
    static func rows(_ group: String, _ name: String, ours: Sample, _ peers: [Peer]) -> [Row] {
        func row(_ name: String, _ value: (Sample) -> Double, _ peer: Peer) -> Row {
            .less(
                group, name, "µs", ours: value(ours) / 1_000, peer: (peer.name, value(peer.sample) / 1_000),
                ratioTarget: peer.least, under: .hot(ours, peer.sample))
        }
        return peers.map { row(name, \.median, $0) } + peers.map { row("\(name), mean", \.mean, $0) }
    }
}
