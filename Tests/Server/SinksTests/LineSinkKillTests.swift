import CausewayFolders
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

@Suite("A server with a sink of files is killed at random", .serialized)
struct LineSinkKillTests {
    @Test(
        "each object is in the files exactly once, in order, however often it is killed",
        arguments: SeedList.drawn(for: "killed-sinks", count: 1))
    func killed(seed: UInt64) throws {
        let kills = ProcessInfo.processInfo.environment["CAUSEWAY_KILLS"].flatMap(Int.init) ?? 40
        var random = SeededNumbers(seed: seed)
        let folder = try TemporaryFolder()
        let log = URL(fileURLWithPath: folder.file("log"))
        var said = 0
        for kill in 1...kills {
            let peer = try peer([folder.path], log)
            // Every fourth dies while it opens; the others after some entries, and then at any moment.
            if kill % 4 != 0 {
                for _ in 0..<(1 + random.next() % 20) { said = try peer.nextLine().flatMap { Int($0) } ?? said }
            }
            usleep(UInt32(random.next() % (kill % 4 == 0 ? 60_000 : 20_000)))
            peer.kill()
            while let line = try peer.nextLine() { said = Int(line) ?? said }
            // Whatever is durable at this moment is a beginning of what there is: nothing is doubled, and there is no hole.
            let ids = try LinesOnDisk.ids(folder)
            #expect(ids == Array(1..<(ids.count + 1)), "seed \(seed), kill \(kill)")
        }
        let last = try peer([folder.path, "--drain"], log)
        let count = try last.nextLine().flatMap { Int($0) } ?? 0
        #expect(count >= said, "seed \(seed)")
        #expect(try LinesOnDisk.ids(folder) == Array(1..<(count + 1)), "seed \(seed)")
        let complaint = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        #expect(complaint.isEmpty, "seed \(seed): \(complaint)")
    }

    private func peer(_ arguments: [String], _ log: URL) throws -> ChildProcess {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("CausewaySinkPeer")
        return try ChildProcess(name: "sink-peer", program: program.path, arguments: arguments, log: log)
    }
}
