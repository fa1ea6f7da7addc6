import CausewaySeeds
@testable import CausewayStorage
import Foundation
import Testing

@Suite("Opening a file that processes share")
struct OpeningTests {
    private static let seeds = SeedList.drawn(for: "lock-files", count: 24)

    let folder: SharedFolder

    init() throws {
        folder = try SharedFolder()
    }

    @Test("the first finds nothing, everybody after him what he left, and after the last one somebody is first again")
    func first() throws {
        let (first, isFirst) = try folder.open()
        #expect(isFirst)
        first.reset(newest: 7, slot: 2, durable: 5, slots: [4, 5, 7, 0], nextBirth: 9)
        first.finishOpening()
        let (second, isSecondFirst) = try folder.open()
        second.finishOpening()
        #expect(!isSecondFirst)
        #expect(second.newest == 7)
        #expect(second.newestSlot == 2)
        #expect(second.durable == 5)
        #expect(second.recovered == 7)
        #expect(second.fallbacks == [5, 7, 0])
        #expect(second.slotTransactions == [4, 5, 7, 0])
        #expect(second.takeBirth() == 9)
        #expect(first.takeBirth() == 10)
        first.poison()
        second.beginCommitting(10)
        _ = second.pin()
        first.close()
        #expect(second.isPoisoned)
        #expect(try !folder.open().isFirst)
        second.close()
        let (third, isThirdFirst) = try folder.open()
        #expect(isThirdFirst)
        #expect(third.isPoisoned, "whoever finds the newest state has to know that memory may be wrong")
        third.begin(at: 3)
        third.finishOpening()
        #expect(!third.isPoisoned)
        #expect(third.committing == 0)
        #expect(third.takeBirth() == 4)
        #expect(third.pinnedStates() == SharedState.PinnedStates())
        #expect(third.processes.count == 1)
    }

    @Test("a first who fails leaves nobody behind, and the next is first")
    func firstFails() throws {
        let (failing, isFirst) = try folder.open()
        #expect(isFirst)
        failing.poison()
        failing.finishOpening()
        let (next, isNextFirst) = try folder.open()
        #expect(isNextFirst)
        #expect(next.isPoisoned)
        next.begin(at: 1)
        next.finishOpening()
        #expect(next.processes.count == 1)
    }

    @Test("a lock file of any content and length is begun anew by the first")
    func garbage() throws {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            let length = [0, 1, 11, 16, 4095, 4096, 5000, SharedLayout.fileBytes, 1_000_000][Int(seed % 9)]
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            try Data(bytes).write(to: URL(fileURLWithPath: folder.lockFile))
            let (state, isFirst) = try folder.open()
            #expect(isFirst, "seed \(seed)")
            state.begin(at: 8)
            state.finishOpening()
            let pin = state.pin()
            #expect(state.pinnedStates() == .init(exact: [8]), "seed \(seed)")
            state.unpin(pin)
            #expect(state.pinnedStates() == .init(), "seed \(seed)")
            #expect(state.processes.map(\.processID) == [getpid()], "seed \(seed)")
            let other = try folder.join()
            #expect(other.newest == 8, "seed \(seed)")
        }
    }

    @Test("a lock file of another version is refused while its users live, and begun anew afterwards")
    func otherVersion() throws {
        let other = try folder.join()
        other.memory.base.storeBytes(of: 99, toByteOffset: SharedLayout.versionOffset, as: UInt32.self)
        let error = failure { _ = try folder.open() }
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.message.contains("another version of this library") == true)
        other.close()
        #expect(try folder.open().isFirst)
    }

    @Test("a lock file that was overwritten under its users is refused")
    func overwritten() throws {
        let other = try folder.join()
        memset(other.memory.base, 0x5A, SharedLayout.headerBytes)
        #expect(failure { _ = try folder.open() }?.code == .locked)
    }

    @Test("when the lock file of an open file is deleted, nobody else opens the file until it is closed")
    func deletedLockFile() throws {
        let other = try folder.join()
        unlink(folder.lockFile)
        let error = failure { _ = try folder.open() }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("do not delete lock files") == true)
        other.close()
        withExtendedLifetime(other) {}
    }

    @Test("a closed file whose lock file is deleted is opened as ever")
    func deletedLockFileOfClosedFile() throws {
        do { _ = try folder.join() }
        unlink(folder.lockFile)
        #expect(try folder.join().newest == 1)
    }

    @Test("a lock file that is new cannot say that no sync has failed, so memory is not trusted")
    func poisonOutlivesTheLockFile() throws {
        do {
            let failed = try folder.join()
            #expect(!failed.isPoisoned)
            failed.poison()
        }
        unlink(folder.lockFile)
        let (next, isFirst) = try folder.open()
        #expect(isFirst)
        #expect(next.isPoisoned)
        next.begin(at: 1)
        next.finishOpening()
        #expect(!next.isPoisoned)
        next.close()
        #expect(try !folder.open().state.isPoisoned, "this lock file knows")
    }

    @Test("who has opened a file does not join the users of another that has its name by now")
    func renamedMeanwhile() throws {
        let users = try folder.join()
        let opened = try #require(FileIdentity(path: folder.file))
        rename(folder.file, folder.file + ".old")
        try Data().write(to: URL(fileURLWithPath: folder.file))
        let identity = try #require(FileIdentity(path: folder.file))
        #expect(identity != opened)
        #expect(
            try SharedState.open(path: folder.lockFile, file: folder.file, expecting: opened, readOnly: false) == nil)
        let joined = try SharedState.open(
            path: folder.lockFile, file: folder.file, expecting: identity, readOnly: false)
        #expect(joined?.isFirst == true)
        withExtendedLifetime(users) {}
    }

    @Test("a new file at the path of one that is still open shares nothing with it")
    func replacedFile() throws {
        let old = try folder.join()
        old.publish(77, slot: 0)
        unlink(folder.file)
        try Data().write(to: URL(fileURLWithPath: folder.file))
        let (new, isFirst) = try folder.open()
        #expect(isFirst)
        new.begin(at: 3)
        new.finishOpening()
        #expect(try folder.join().newest == 3)
        #expect(old.newest == 77)
    }

    @Test("a reader without a place for the lock file shares nothing, but does not read what others may be writing")
    func readOnlyFolder() throws {
        let nowhere = folder.path + "/missing/data-lock"
        #expect(failure { _ = try SharedState.open(path: nowhere, file: folder.file) }?.code == .fileNotFound)
        do {
            let (alone, isFirst) = try SharedState.open(path: nowhere, file: folder.file, readOnly: true)
            #expect(isFirst)
            #expect(alone.isPoisoned, "nobody can tell this one that no sync has failed, so memory is not trusted")
            alone.begin(at: 4)
            alone.finishOpening()
            #expect(!alone.isPoisoned)
            #expect(alone.pin().transaction == 4)
            #expect(alone.locks == nil)
        }
        let writer = try folder.join()
        let refused = failure { _ = try SharedState.open(path: nowhere, file: folder.file, readOnly: true) }
        #expect(refused?.code == .permissionDenied)
        withExtendedLifetime(writer) {}
    }

    @Test("so many processes may come, one more is refused, and one that leaves makes room")
    func manyProcesses() throws {
        var states = try (0..<SharedLayout.processesMaximum).map { _ in try folder.join() }
        #expect(states[0].processes.count == SharedLayout.processesMaximum)
        for state in states { _ = state.pin() }
        #expect(states[200].pinnedStates() == .init(exact: [1]))
        #expect(failure { _ = try folder.open() }?.code == .tooManyReaders)
        states.remove(at: 100)
        states.append(try folder.join())
        #expect(states[0].processes.count == SharedLayout.processesMaximum)
    }

    @Test("opened at once by many threads, a file has one first, and the others see what he found")
    func openedAtOnce() throws {
        for round in 0..<20 {
            let folder = folder
            let firsts = Counter()
            let states = Kept<SharedState>()
            atOnce(8) { _ in
                do {
                    let (state, isFirst) = try folder.open()
                    if isFirst {
                        firsts.add(1)
                        usleep(200)
                        state.begin(at: 6)
                    }
                    #expect(state.newest == 6)
                    state.finishOpening()
                    states.keep(state)
                } catch {
                    Issue.record("round \(round): \(error)")
                }
            }
            #expect(firsts.value == 1, "round \(round)")
        }
    }

    @Test("the layout is as its page says")
    func layout() {
        #expect(SharedLayout.fileBytes == 151_552)
        #expect(SharedLayout.entryBytes == SharedLayout.entryPinsOffset + SharedLayout.pinsMaximum * 8)
        #expect(SharedLayout.entryBytes % 64 == 0)
        #expect(SharedLayout.watchingOffset + SharedLayout.processesMaximum / 8 <= SharedLayout.headerBytes)
    }
}
