import CausewayPrograms
import CausewayStorage
import CausewayStorageOracle
import Foundation
import Testing

/// What another process commits is told here.
@Suite("Commits of other processes", .timeLimit(.minutes(10)))
struct OtherProcessTests {
    @Test("a commit in another process wakes who observes, and is there then", arguments: [false, true])
    func observation(isEncrypted: Bool) async throws {
        let file = try PeerFile(isEncrypted: isEncrypted)
        let storage = try file.open()
        let peer = try file.start("commit")
        #expect(try file.line(of: peer) == "ready")
        let (calls, call) = AsyncStream.makeStream(of: Void.self)
        let observation = storage.observeOtherProcesses { call.yield() }
        var waiting = calls.makeAsyncIterator()
        for version in UInt64(1)...20 {
            peer.send("commit")
            // Calls of before may still come; the one for this commit must.
            repeat { await waiting.next() } while try storage.newestVersion() < version
            #expect(try file.line(of: peer) == "committed \(version)")
            #expect(try storage.snapshot().get(9, [1]) == [1])
        }
        withExtendedLifetime(observation) {}
        peer.kill()
        #expect(file.complaints == "")
    }

    @Test("the snapshot of a process that was killed keeps nobody from committing")
    func killedReader() throws {
        let file = try PeerFile(isEncrypted: false)
        let storage = try file.open(maximumVersions: 10)
        func commit() throws {
            let writer = try storage.write()
            writer.put(10, [1], [1])
            _ = try writer.commit(.relaxed)
        }
        try commit()
        let peer = try file.start("hold")
        #expect(try file.line(of: peer) == "holding 1")
        for _ in 0..<10 { try commit() }
        #expect(code { try commit() } == .tooManyVersions)
        peer.kill()
        for _ in 0..<100 { try commit() }
        #expect(try storage.newestVersion() == 111)
        #expect(file.complaints == "")
    }

    @Test("a state that outgrew the map of this process is refused with the remedy, not called damaged")
    func outgrownMap() throws {
        let file = try PeerFile(isEncrypted: false)
        let peer = try file.start("grow")
        #expect(try file.line(of: peer) == "ready")
        let storage = try file.open(mapSizeBytes: 1 << 20)
        peer.send("grow")
        #expect(try file.line(of: peer) == "committed 1")
        #expect(try storage.snapshot().leafBytes(1, 0)?.count == 600 << 10)
        peer.send("grow")
        #expect(try file.line(of: peer) == "committed 2")
        #expect(code { _ = try storage.snapshot() } == .mapFull)
        #expect(code { _ = try storage.write() } == .mapFull)
        peer.kill()
        #expect(file.complaints == "")
    }

    @Test("both processes write in turn and see each other's commits")
    func turns() throws {
        let file = try PeerFile(isEncrypted: false)
        let storage = try file.open()
        let peer = try file.start("commit")
        #expect(try file.line(of: peer) == "ready")
        for round in UInt64(0)..<20 {
            peer.send("commit")
            #expect(try file.line(of: peer) == "committed \(round * 2 + 1)")
            let writer = try storage.write()
            #expect(writer.version == round * 2 + 1)
            writer.put(10, [UInt8(round)], [1])
            #expect(try writer.commit(.relaxed).version == round * 2 + 2)
        }
        peer.kill()
        #expect(file.complaints == "")
        #expect(try storage.verify { _, _ in }.problems == [])
    }
}
