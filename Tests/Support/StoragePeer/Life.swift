import CausewaySeeds
import CausewayStorage

/// What a peer does until it is killed: everything at random, by a seed.
struct Life {
    private static let snapshotsMaximum = 6
    /// Every commit would be too many lines.
    private static let commitsBetweenLines = 8

    private let path: String
    private let options: StorageOptions
    private var random: SeededNumbers
    private var storage: (any Storage)?
    private var snapshots: [any StorageSnapshot] = []
    private var commits = 0

    init(path: String, options: StorageOptions, seed: UInt64) {
        self.path = path
        self.options = options
        random = SeededNumbers(seed: seed)
    }

    mutating func run(until isOver: () -> Bool) throws {
        while !isOver() { try step() }
        for snapshot in snapshots { try Ledger.check(snapshot) }
    }

    private mutating func open() throws -> any Storage {
        if let storage { return storage }
        let opened = try StorageRegistry.shared.open(path: path, options: options)
        storage = opened
        return opened
    }

    private mutating func step() throws {
        let storage = try open()
        switch random.number(0...999) {
        case 0...549: try commit(to: storage)
        case 550...579: try abort(storage)
        case 580...779: try hold(storage)
        case 780...989:
            guard !snapshots.isEmpty else { break }
            try Ledger.check(snapshots[random.below(snapshots.count)])
        case 990...991: try storage.compact()
        case 992...994: try verify(storage)
        case 995...996: try storage.synchronize()
        default:
            snapshots = []
            self.storage = nil
        }
    }

    private mutating func commit(to storage: any Storage) throws {
        let writer = try storage.write()
        try Ledger.check(writer.base)
        let number = try Ledger.transfer(in: writer, &random)
        let durability: Durability =
            switch random.number(0...19) {
            case 0: .durable
            case 1, 2: .grouped(within: .milliseconds(20))
            default: .relaxed
            }
        let committed = try writer.commit(durability)
        guard committed.version == number else {
            throw Ledger.Broken("commit \(number) answered version \(committed.version)")
        }
        commits += 1
        if commits.isMultiple(of: Self.commitsBetweenLines) { say("committed \(number)") }
        if random.once(in: 8) { try Ledger.check(committed) }
    }

    private mutating func abort(_ storage: any Storage) throws {
        let writer = try storage.write()
        _ = try Ledger.transfer(in: writer, &random)
        try Ledger.check(writer.base)
        if random.once(in: 2) { writer.abort() }
    }

    private mutating func hold(_ storage: any Storage) throws {
        let snapshot = try storage.snapshot()
        try Ledger.check(snapshot)
        if snapshots.count == Self.snapshotsMaximum { snapshots.remove(at: random.below(snapshots.count)) }
        snapshots.append(snapshot)
    }

    private func verify(_ storage: any Storage) throws {
        let report = try storage.verify { _, _ in }
        guard report.isSound else { throw Ledger.Broken("verify reports \(report.problems)") }
    }
}
