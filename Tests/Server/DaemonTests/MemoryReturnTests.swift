import Foundation
import Glibc
import Testing

@testable import CausewayDaemon

@Suite("Memory that large requests needed")
struct MemoryReturnTests {
    private static let blockBytes = 65_000

    @Test("goes back to the system soon after it was freed, though what was allocated last is kept")
    func freed() async throws {
        let service = Task { await MemoryReturn(interval: .milliseconds(20)).giveBack() }
        defer { service.cancel() }
        // Blocks too small for mappings of their own. The last stays, so that nothing above the others can be cut off.
        var blocks = (0..<3000).map { _ in [UInt8](repeating: 1, count: Self.blockBytes) }
        let places = blocks.dropLast().map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(Self.residentShare(places) == 1)
        blocks.removeFirst(places.count)
        // Other tests may take some of it meanwhile.
        var share = 1.0
        for _ in 0..<1000 where share > 0.5 {
            try await Task.sleep(for: .milliseconds(20))
            share = Self.residentShare(places)
        }
        #expect(share <= 0.5)
        #expect(blocks.count == 1)
    }

    /// Which part of the whole pages behind these addresses is in memory.
    private static func residentShare(_ places: [UInt]) -> Double {
        let pageBytes: UInt = 4096
        var (resident, all) = (0, 0)
        for place in places {
            let first = (place + pageBytes - 1) / pageBytes * pageBytes
            let pages = (place + UInt(blockBytes) - first) / pageBytes
            var found = [UInt8](repeating: 0, count: Int(pages))
            // A page that is not even mapped any more is an error, and not resident.
            _ = mincore(UnsafeMutableRawPointer(bitPattern: first), Int(pages * pageBytes), &found)
            resident += found.count { $0 & 1 == 1 }
            all += found.count
        }
        return Double(resident) / Double(all)
    }
}
