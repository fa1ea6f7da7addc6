import Glibc

/// What goes wrong with the calls of a simulated file.
package struct FaultPlan: Sendable {
    package enum Fault: Sendable, Hashable, CaseIterable {
        /// EINTR: nothing was done.
        case interrupted
        /// A read or write that does less than was asked. Nothing else can.
        case partial
        /// ENOSPC, of a write, a change of length or a sync.
        case outOfSpace
        /// EIO. After a sync that fails so, part of what was not synced is lost and counts as written all the same.
        case failed
    }

    /// How often out of 65,536 calls that a fault is possible for.
    package struct Chances: Sendable {
        package var interrupted = 0
        package var partial = 0
        package var outOfSpace = 0
        package var readFailed = 0
        package var writeFailed = 0
        package var syncFailed = 0
        /// After a write the kernel writes back by itself, and some of it is lost. Every open file is told by its next
        /// sync, once.
        package var writeBackFailed = 0

        package init() {}
    }

    /// By the number of the call, counted from zero for each disk.
    package var atCalls: [Int: Fault] = [:]
    package var chances = Chances()
    package var seed: UInt64 = 0

    package init() {}

    package static let none = FaultPlan()

    package static func only(_ fault: Fault, atCall number: Int) -> FaultPlan {
        var plan = FaultPlan()
        plan.atCalls[number] = fault
        return plan
    }
}

/// The calls a fault can hit.
enum DiskCall {
    case read, write, resize, synchronize

    /// Whether the call can fail so.
    func canMeet(_ fault: FaultPlan.Fault) -> Bool {
        switch fault {
        case .interrupted, .failed: true
        case .partial: self == .read || self == .write
        case .outOfSpace: self != .read
        }
    }
}

/// Decides for one call after the other.
struct FaultInjector {
    var plan: FaultPlan {
        didSet { random = SeededRandom(seed: plan.seed) }
    }
    private(set) var callCount = 0
    private var random: SeededRandom

    init(_ plan: FaultPlan) {
        self.plan = plan
        random = SeededRandom(seed: plan.seed)
    }

    mutating func next(_ call: DiskCall) -> FaultPlan.Fault? {
        defer { callCount += 1 }
        if let fault = plan.atCalls[callCount] { return call.canMeet(fault) ? fault : nil }
        let chances = plan.chances
        let failed =
            switch call {
            case .read: chances.readFailed
            case .write, .resize: chances.writeFailed
            case .synchronize: chances.syncFailed
            }
        let table: [(fault: FaultPlan.Fault, chance: Int)] = [
            (.interrupted, chances.interrupted), (.partial, chances.partial), (.outOfSpace, chances.outOfSpace),
            (.failed, failed),
        ]
        var number = random.number(below: 1 << 16)
        for (fault, chance) in table {
            if number < chance { return call.canMeet(fault) ? fault : nil }
            number -= chance
        }
        return nil
    }

    /// Whether the kernel's writing back fails after a write.
    mutating func losesWriteBack() -> Bool {
        plan.chances.writeBackFailed > 0 && random.number(below: 1 << 16) < plan.chances.writeBackFailed
    }

    mutating func number(below bound: Int) -> Int { random.number(below: bound) }
    mutating func seed() -> UInt64 { random.next() }
}
