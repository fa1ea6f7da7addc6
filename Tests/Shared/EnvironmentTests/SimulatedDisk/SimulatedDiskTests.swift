import CausewaySeeds
import CausewaySimulatedDisk
import Glibc
import Testing

/// What a running process sees of a simulated disk, and what goes wrong with it on demand.
struct SimulatedDiskTests {
    private static let seeds = SeedList.drawn(for: "simulated-disk", count: 20)

    @Test func writesAreSeenAtOnceByEverybody() throws {
        let disk = SimulatedDisk()
        let file = disk.open()
        let start = try #require(file.map(1 << 20))
        #expect(file.write(bytes: [1, 2, 3], at: 4_095) == 3)
        #expect(start.load(fromByteOffset: 4_097, as: UInt8.self) == 3)
        #expect(disk.open().contents == [UInt8](repeating: 0, count: 4_095) + [1, 2, 3])
    }

    @Test func whatIsCutOffIsZeroWhenTheFileGrowsAgain() {
        let file = SimulatedDisk().open()
        #expect(file.write(bytes: [UInt8](repeating: 1, count: 10_000), at: 0) == 10_000)
        #expect(file.truncate(5) == 0)
        #expect(file.reserve(3) == 0)
        #expect(file.size() == 5)
        #expect(file.reserve(9_000) == 0)
        #expect(file.contents == [1, 1, 1, 1, 1] + [UInt8](repeating: 0, count: 8_995))
    }

    @Test func aFaultHitsExactlyTheCallItIsMeantFor() {
        for number in 0..<4 {
            for fault in FaultPlan.Fault.allCases {
                let disk = SimulatedDisk()
                let file = disk.open()
                disk.faults = .only(fault, atCall: number)
                let answers = [
                    file.write(bytes: [UInt8](repeating: 1, count: 100), at: 0), file.reserve(200),
                    file.synchronize(), file.contents(count: 50)?.count ?? -1,
                ]
                for (call, answer) in answers.enumerated() where call != number {
                    // What the write before it left out is not there to be read.
                    #expect(answer == [100, 0, 0, 50][call], "\(fault) at call \(number), answer of call \(call)")
                }
                #expect(disk.callCount == 4)
                switch (fault, number) {
                case (.interrupted, 0...2): #expect(answers[number] == -Int(EINTR))
                case (.failed, 0...2): #expect(answers[number] == -Int(EIO))
                case (.outOfSpace, 0...1): #expect(answers[number] == -Int(ENOSPC))
                case (.partial, 0): #expect((1..<100).contains(answers[0]))
                case (.partial, 3): #expect((1..<50).contains(answers[3]))
                case (.interrupted, 3), (.failed, 3): #expect(answers[3] == -1)
                default: break
                }
            }
        }
    }

    @Test func aFullDiskTakesWhatFits() {
        let disk = SimulatedDisk()
        disk.roomBytes = 150
        let file = disk.open()
        #expect(file.write(bytes: [UInt8](repeating: 1, count: 100), at: 0) == 100)
        #expect(file.write(bytes: [UInt8](repeating: 2, count: 100), at: 100) == 50)
        #expect(file.write(bytes: [3], at: 150) == -Int(ENOSPC))
        #expect(file.reserve(151) == -Int(ENOSPC))
        #expect(file.write(bytes: [4], at: 149) == 1)
    }

    @Test func whatAFailedSyncLostStaysLostAndGoesOnBeingShown() {
        var lostSomething = false
        for seed in Self.seeds {
            let disk = SimulatedDisk()
            let file = disk.open()
            #expect(file.write(bytes: [UInt8](repeating: 1, count: 40_960), at: 0) == 40_960)
            #expect(file.synchronize() == 0)
            #expect(file.write(bytes: [UInt8](repeating: 2, count: 40_960), at: 0) == 40_960)
            var plan = FaultPlan()
            plan.chances.syncFailed = 1 << 16
            plan.seed = seed
            disk.faults = plan
            #expect(file.synchronize() == -Int(EIO))
            disk.faults = .none
            #expect(file.synchronize() == 0)
            #expect(file.contents == [UInt8](repeating: 2, count: 40_960), "seed \(seed)")
            let replay = CrashReplay(disk.log, capacityBytes: disk.capacityBytes)
            replay.advance(to: disk.logPosition)
            #expect(!replay.isUncertain)
            let survived = replay.image(0, limit: 0, seed: seed).open().contents
            disk.dropCache()
            #expect(file.contents == survived, "seed \(seed)")
            lostSomething = lostSomething || survived.contains(1)
        }
        #expect(lostSomething)
    }

    @Test func aLossIsToldOnceForEachOpenFile() {
        let disk = SimulatedDisk()
        let first = disk.open()
        let second = disk.open()
        func write() { #expect(first.write(bytes: [UInt8](repeating: 1, count: 40_960), at: 0) == 40_960) }
        write()
        // The kernel loses some of it by itself, and nobody has asked yet.
        var plan = FaultPlan()
        plan.chances.writeBackFailed = 1 << 16
        disk.faults = plan
        write()
        disk.faults = .none
        let third = disk.open()
        #expect(second.synchronize() == -Int(EIO))
        // Whoever comes after somebody was told learns nothing; all who were there do, and each once.
        let fourth = disk.open()
        #expect(fourth.synchronize() == 0)
        #expect([first, second, third].map { $0.synchronize() } == [-Int(EIO), 0, -Int(EIO)])
        #expect([first, second, third].map { $0.synchronize() } == [0, 0, 0])
        // The same of a sync that fails.
        write()
        plan = FaultPlan()
        plan.chances.syncFailed = 1 << 16
        disk.faults = plan
        #expect(second.synchronize() == -Int(EIO))
        disk.faults = .none
        #expect([first, second, fourth].map { $0.synchronize() } == [-Int(EIO), 0, -Int(EIO)])
        #expect([first, second, fourth].map { $0.synchronize() } == [0, 0, 0])
        #expect(disk.losses == 2 && disk.failedSyncs == 6)
    }

    @Test func moreMayBeMappedThanTheDiskHas() throws {
        let disk = SimulatedDisk(capacityBytes: 1 << 20)
        let start = try #require(disk.open().map(4 << 20))
        #expect(disk.open().write(bytes: [7], at: (1 << 20) - 1) == 1)
        #expect(start.load(fromByteOffset: (1 << 20) - 1, as: UInt8.self) == 7)
        #expect(disk.open().map(5 << 20) == nil)
    }

    @Test func aPowerLossLeavesWhatTheReplayWorksOut() {
        for seed in Self.seeds {
            let disk = SimulatedDisk()
            var random = SeededRandom(seed: seed)
            let file = disk.open()
            for number in 0..<20 as Range<UInt8> {
                let count = 1 + random.number(below: 9_000)
                _ = file.write(bytes: [UInt8](repeating: number, count: count), at: random.number(below: 50_000))
                if random.happens(1, in: 4) { _ = file.synchronize() }
                if random.happens(1, in: 6) { _ = file.truncate(random.number(below: 50_000)) }
                if random.happens(1, in: 5) { disk.losePower(seed: random.next()) }
            }
            disk.losePower(seed: seed)
            let replay = CrashReplay(disk.log, capacityBytes: disk.capacityBytes)
            replay.advance(to: disk.logPosition)
            #expect(file.contents == replay.image(0, limit: 0, seed: seed).open().contents, "seed \(seed)")
        }
    }
}
