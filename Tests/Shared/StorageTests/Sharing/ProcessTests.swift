import CausewaySeeds
import CausewayPrograms
@testable import CausewayStorage
import Foundation
import Testing

/// Processes that share a file, and are killed.
@Suite("Several processes", .serialized)
struct ProcessTests {
    private static let seeds = SeedList.drawn(for: "shared-processes", count: 1)

    /// A file of cells, as the peers use it: its first state is this.
    private static let firstTransaction: UInt64 = 32
    let folder: SharedFolder

    init() throws {
        folder = try SharedFolder()
    }

    private func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            name: arguments[0], program: Self.peer, arguments: [folder.file] + arguments,
            log: URL(fileURLWithPath: folder.path + "/log"))
    }

    /// What the peers complained of.
    private var complaints: String { (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "" }

    private func line(of child: ChildProcess) throws -> String { try child.nextLine() ?? "ended" }

    /// Programs stand beside the tests.
    private static let peer = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CausewaySharingPeer").path

    @Test("pins of a killed process are found and released, those of living ones are not")
    func pinsOfTheDead() throws {
        let dying = try start("hold", "100")
        let staying = try start("hold", "1")
        #expect(try line(of: dying) == "holding \(Self.firstTransaction)")
        #expect(try line(of: staying) == "holding \(Self.firstTransaction)")
        let (state, isFirst) = try folder.open()
        state.finishOpening()
        #expect(!isFirst)
        #expect(state.processes.count == 3)
        #expect(state.processes.filter { $0.name == "CausewaySharingPeer".prefix(15) }.count == 2)
        #expect(state.clearDeadProcesses() == 0)
        let range = Self.firstTransaction...Self.firstTransaction
        #expect(state.pinnedStates() == .init(exact: [Self.firstTransaction], ranges: [range]))
        dying.kill()
        #expect(state.pinnedStates().ranges == [range])
        #expect(state.clearDeadProcesses() == 1)
        #expect(state.pinnedStates() == .init(exact: [Self.firstTransaction]))
        #expect(state.oldestPin?.processID != getpid())
        staying.kill()
        #expect(state.clearDeadProcesses() == 1)
        #expect(state.pinnedStates() == .init())
        #expect(state.oldestPin == nil)
    }

    @Test("what killed processes left in the lock file is cleared by whoever opens the file next")
    func openingAfterDeath() throws {
        let dying = try start("hold", "5")
        let staying = try start("hold", "1")
        for child in [dying, staying] { #expect(try line(of: child) == "holding \(Self.firstTransaction)") }
        dying.kill()
        let (state, isFirst) = try folder.open()
        state.finishOpening()
        #expect(!isFirst)
        #expect(state.processes.count == 2)
        #expect(state.pinnedStates() == .init(exact: [Self.firstTransaction]))
        staying.kill()
    }

    @Test("the turn to write is free when its holder is killed, and the next one sees that a commit was cut short")
    func writerDies() throws {
        let writer = try start("write")
        #expect(try line(of: writer) == "writing")
        let (state, isFirst) = try folder.open()
        state.finishOpening()
        #expect(!isFirst)
        #expect(state.committing == 2)
        let lock = WriterLock(state)
        let waiting = lock.takeTicket()
        let isWaiting = Kept<Bool>()
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            isWaiting.keep((try? lock.wait(for: waiting)) != nil)
        }
        #expect(isWaiting.all.isEmpty)
        writer.kill()
        group.wait()
        #expect(isWaiting.all == [true])
        #expect(state.committing == 2)
        lock.release()
    }

    @Test("a process that watches is told of commits by another")
    func watching() throws {
        let watcher = try start("watch")
        #expect(try line(of: watcher) == "watching")
        let (state, _) = try folder.open()
        state.finishOpening()
        for transaction in Self.firstTransaction + 1...Self.firstTransaction + 20 {
            state.publish(transaction, slot: 0)
            state.noteCommit()
            #expect(try line(of: watcher) == "newest is \(transaction)")
        }
        watcher.kill()
        #expect(state.isWatchedByOthers)
        state.clearDeadProcesses()
        #expect(!state.isWatchedByOthers)
    }

    @Test("of three processes that want to write all the time each gets its share")
    func fairness() throws {
        let children = try (0..<3).map { _ in try start("count") }
        for child in children { #expect(try line(of: child) == "ready") }
        for child in children { child.send("go") }
        // Long enough for each of them to get the processor often on a small machine.
        sleep(3)
        for child in children { child.send("stop") }
        let counts = try children.map { Int(try line(of: $0)) ?? 0 }
        let sum = counts.reduce(0, +)
        #expect(sum > 0)
        #expect(counts.allSatisfy { $0 * 10 >= sum }, "\(counts)")
        for child in children { child.kill() }
    }

    @Test(
        "killed at random and started again, processes never see a pinned state change, and leave nothing behind",
        arguments: seeds, [true, false])
    func killedAtRandom(seed: UInt64, isStaying: Bool) throws {
        var random = SeededNumbers(seed: seed)
        var number: UInt64 = 0
        func startLiving() throws -> ChildProcess {
            number += 1
            return try start("live", "\(seed &+ number)")
        }
        var children = try (0..<3).map { _ in try startLiving() }
        for child in children { #expect(try line(of: child) == "living") }
        let staying = isStaying ? try folder.open().state : nil
        staying?.finishOpening()
        var newest: UInt64 = 0
        for round in 0..<Self.rounds {
            usleep(UInt32.random(in: 1000...30_000, using: &random))
            // Now and then all of them at once: then the next one begins anew.
            let victims = Int.random(in: 0..<5, using: &random) == 0 ? [0, 1, 2] : [round % 3]
            for victim in victims {
                children[victim].kill()
                while let line = try children[victim].nextLine() {
                    #expect(line == "living", "seed \(seed), round \(round)")
                }
            }
            for victim in victims {
                children[victim] = try startLiving()
                #expect(try line(of: children[victim]) == "living", "seed \(seed), round \(round)")
            }
            let (state, isFirst) = try folder.open()
            state.finishOpening()
            #expect(!isFirst)
            #expect(state.newest >= newest, "seed \(seed), round \(round)")
            newest = state.newest
        }
        let (state, _) = try folder.open()
        state.finishOpening()
        #expect(newest > Self.firstTransaction, "seed \(seed)")
        for child in children { child.kill() }
        state.clearDeadProcesses()
        #expect(state.pinnedStates() == .init(), "seed \(seed)")
        #expect(state.processes.count == (isStaying ? 2 : 1), "seed \(seed)")
        let lock = WriterLock(state)
        try lock.wait(for: lock.takeTicket())
        lock.release()
        #expect(complaints == "", "seed \(seed)")
        withExtendedLifetime(staying) {}
    }

    private static let rounds = Int(ProcessInfo.processInfo.environment["CAUSEWAY_KILLS"] ?? "") ?? 40
}
