import CausewayFolders
import CausewayMeasuring
import Foundation
import Testing

/// Where `TemporaryFolder` makes its files.
private let hasDisk = PageCache.isOnDisk(URL(fileURLWithPath: "/tmp"))

/// What the measuring asks of the system.
@Suite(.serialized) struct MachineTests {
    @Test("on one processor the process has one, and all of them afterwards")
    func oneProcessor() throws {
        let before = try OneProcessor.count()
        let during = try OneProcessor.run { try OneProcessor.count() }
        #expect(during == 1)
        #expect(try OneProcessor.count() == before)
    }

    @Test("the processors are given back after an error")
    func oneProcessorAfterError() throws {
        struct Stop: Error {}
        let before = try OneProcessor.count()
        #expect(throws: Stop.self) { try OneProcessor.run { throw Stop() } }
        #expect(try OneProcessor.count() == before)
    }

    @Test("threads are counted by the processor time of the others")
    func threads() {
        #expect(Stopwatch.threads(callersTime: 100, othersTime: 0) == 1)
        #expect(Stopwatch.threads(callersTime: 100, othersTime: 9) == 1)
        #expect(Stopwatch.threads(callersTime: 100, othersTime: 10) == 2)
        #expect(Stopwatch.threads(callersTime: 100, othersTime: 95) == 2)
        #expect(Stopwatch.threads(callersTime: 100, othersTime: 300) == 4)
        #expect(Stopwatch.threads(callersTime: 0, othersTime: 5) == 1)
    }

    @Test("a file that was dropped from memory is on the disk alone, and reads the same", .enabled(if: hasDisk))
    func dropped() throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        folder.write(bytes, to: "file")
        let file = URL(fileURLWithPath: folder.file("file"))
        #expect(try PageCache.residentShare(of: file) > 0)
        try PageCache.drop(file)
        #expect(try PageCache.residentShare(of: file) < 0.01)
        #expect(folder.read("file") == bytes)
    }

    @Test("a file that somebody maps cannot be dropped, which is said", .enabled(if: hasDisk))
    func mapped() throws {
        let folder = try TemporaryFolder()
        folder.write([UInt8](repeating: 1, count: 1_000_000), to: "file")
        let mapped = try Data(contentsOf: URL(fileURLWithPath: folder.file("file")), options: .alwaysMapped)
        let sum = mapped.reduce(0) { $0 + Int($1) }
        #expect(sum == 1_000_000)
        #expect(throws: PageCache.StillInMemory.self) {
            try PageCache.drop(URL(fileURLWithPath: folder.file("file")))
        }
        withExtendedLifetime(mapped) {}
    }

    @Test("the median of a sample is its middle, and a quantile leaves the rest above it")
    func sample() {
        let sample = Sample(nanoseconds: [5, 1, 4, 2, 3], threads: 1)
        #expect(sample.median == 3)
        #expect(sample.mean == 3)
        #expect(sample.quantile(0.8) == 5)
        #expect(sample.quantile(0) == 1)
        #expect(sample.runs == 5)
    }
}
