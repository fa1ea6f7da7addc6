import CausewaySimulatedDisk

/// What a workload is like, by its seed.
struct WorkloadPlan: CustomStringConvertible {
    enum Size: CaseIterable {
        case small, medium, large
    }

    enum Trouble {
        case none
        /// Interrupted calls, short reads and writes: nobody should notice.
        case nuisance
        case fullDisk
        case failingWrites
        case failingSyncs
    }

    var size: Size
    var steps: Int
    /// At most so many changes in one transaction.
    var changesMax: Int
    /// So many different keys in each tree.
    var keys: Int
    var isEncrypted: Bool
    var trouble: Trouble
    /// Up to so many images, all outcomes of a power loss are tried.
    var exhaustiveLimit: Int
    /// Otherwise so many of them where a sync is next, and fewer elsewhere.
    var sample: Int
    /// With failing syncs: another thread syncs while a transaction is committed.
    var hasOverlappingSyncs: Bool
    /// With failing syncs: the kernel also loses what it writes back by itself, and tells later.
    var losesWriteBacks: Bool
    /// With a full disk: there is no room to overwrite something either.
    var overwritesNeedRoom: Bool
    /// Headers carry small commits.
    var carriesChanges: Bool

    static let encryptionKey = (0..<64).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }

    init(seed: UInt64) {
        var random = SeededRandom(seed, 1)
        size =
            switch random.number(below: 16) {
            case 0..<2: .small
            case 2..<13: .medium
            default: .large
            }
        switch size {
        case .small: (steps, changesMax, keys) = (3 + random.number(below: 6), 3, 8)
        case .medium: (steps, changesMax, keys) = (10 + random.number(below: 30), 12, 120)
        case .large: (steps, changesMax, keys) = (40 + random.number(below: 60), 80, 600)
        }
        exhaustiveLimit = size == .small ? 2_500 : 0
        sample = 24
        isEncrypted = random.happens(1, in: 4)
        trouble =
            switch random.number(below: 20) {
            case 0..<10: .none
            case 10..<14: .nuisance
            case 14..<16: .fullDisk
            case 16..<18: .failingWrites
            default: .failingSyncs
            }
        // What came later draws from numbers of its own, so that old seeds replay what they did.
        var later = SeededRandom(seed, 5)
        hasOverlappingSyncs = later.happens(1, in: 3) && trouble == .failingSyncs
        losesWriteBacks = later.happens(1, in: 3) && trouble == .failingSyncs
        overwritesNeedRoom = later.happens(1, in: 2) && trouble == .fullDisk
        carriesChanges = later.happens(2, in: 3)
    }

    var description: String {
        "\(size), \(steps) steps, \(isEncrypted ? "encrypted" : "plain"), trouble: \(trouble)"
            + (hasOverlappingSyncs ? ", overlapping syncs" : "") + (losesWriteBacks ? ", lost write-backs" : "")
            + (overwritesNeedRoom ? ", no room to overwrite" : "") + (carriesChanges ? "" : ", pages only")
    }

    func faults(seed: UInt64) -> FaultPlan {
        var plan = FaultPlan()
        plan.seed = seed
        switch trouble {
        case .none, .fullDisk: break
        case .nuisance:
            plan.chances.interrupted = 4_000
            plan.chances.partial = 4_000
        case .failingWrites: plan.chances.writeFailed = 1_500
        case .failingSyncs:
            plan.chances.syncFailed = 6_000
            if losesWriteBacks { plan.chances.writeBackFailed = 1_000 }
        }
        return plan
    }
}
