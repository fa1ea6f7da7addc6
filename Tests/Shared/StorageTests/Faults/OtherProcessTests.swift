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
