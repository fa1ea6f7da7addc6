import CausewaySimulatedDisk
import Testing

/// Which images a power loss can leave: all that are possible, and no others.
struct CrashReplayTests {
    /// The contents of all images at the end of the log, or at an earlier moment.
    private func images(_ disk: SimulatedDisk, at moment: Int? = nil) -> Set<[UInt8]> {
        let replay = CrashReplay(disk.log, capacityBytes: disk.capacityBytes)
        replay.advance(to: moment ?? disk.logPosition)
        let count = replay.imageCount(limit: 5_000, sample: 0)
        return Set((0..<count).map { replay.image($0, limit: 5_000, seed: 1).open().contents })
    }

    private func page(_ byte: UInt8, count: Int = 4_096) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private func disk(holding bytes: [UInt8]) -> (SimulatedDisk, SimulatedFile) {
        let disk = SimulatedDisk(capacityBytes: 1 << 20)
        let file = disk.open()
        _ = file.write(bytes: bytes, at: 0)
        _ = file.synchronize()
        return (disk, file)
    }

    @Test func whatIsSyncedIsInEveryImage() {
        let (disk, _) = disk(holding: page(1, count: 10_000))
        #expect(images(disk) == [page(1, count: 10_000)])
    }

    @Test func aWriteIsTornInEveryWayAtSectors() {
        let (disk, file) = disk(holding: page(1))
        _ = file.write(bytes: page(2), at: 0)
        var expected: Set<[UInt8]> = []
        for kept in 0..<256 {
            expected.insert((0..<8).flatMap { page(kept >> $0 & 1 == 1 ? 2 : 1, count: 512) })
        }
        #expect(images(disk) == expected)
    }

    @Test func aLaterWriteMayBeThereWithoutAnEarlierOne() {
        let (disk, file) = disk(holding: page(1, count: 1_024))
        _ = file.write(bytes: page(2, count: 512), at: 0)
        _ = file.write(bytes: page(3, count: 512), at: 512)
        let found = images(disk)
        let expected = [1, 2].flatMap { first in
            [1, 3].map { page(first, count: 512) + page($0, count: 512) }
        }
        #expect(found == Set(expected))
    }

    @Test func ofSeveralWritesToASectorAnyOneIsThere() {
        let (disk, file) = disk(holding: page(1, count: 512))
        for byte in 2...4 as ClosedRange<UInt8> { _ = file.write(bytes: page(byte, count: 512), at: 0) }
        #expect(images(disk) == Set((1...4).map { page($0, count: 512) }))
    }

    @Test func lengthsAreKeptInOrder() {
        let (disk, file) = disk(holding: page(1, count: 1_536))
        _ = file.truncate(512)
        _ = file.reserve(1_024)
        #expect(
            images(disk) == [
                page(1, count: 1_536), page(1, count: 512), page(1, count: 512) + page(0, count: 512),
            ])
    }

    @Test func beyondALostLengthNothingIsThere() {
        let (disk, file) = disk(holding: [])
        _ = file.write(bytes: page(2, count: 512), at: 0)
        #expect(images(disk) == [[], page(0, count: 512), page(2, count: 512)])
    }

    @Test func inTheMiddleOfASyncAnythingMayBeMissing() {
        let (disk, file) = disk(holding: page(1, count: 512))
        _ = file.write(bytes: page(2, count: 512), at: 0)
        let moment = disk.logPosition
        _ = file.synchronize()
        #expect(images(disk, at: moment) == [page(1, count: 512), page(2, count: 512)])
        #expect(images(disk) == [page(2, count: 512)])
    }

    @Test func everySampleIsAmongTheOutcomes() {
        let (disk, file) = disk(holding: page(1, count: 2_048))
        _ = file.write(bytes: page(2, count: 1_024), at: 512)
        _ = file.write(bytes: page(3, count: 1_024), at: 1_024)
        let replay = CrashReplay(disk.log, capacityBytes: disk.capacityBytes)
        replay.advance(to: disk.logPosition)
        var found: Set<[UInt8]> = []
        for index in 0..<5_000 {
            let bytes = replay.image(index, limit: 0, seed: 7).open().contents
            #expect(bytes.count == 2_048)
            found.insert([0, 512, 1_024, 1_536].map { bytes[$0] })
        }
        // The first sector was not written, the third one twice.
        #expect(
            found
                == Set(
                    [1, 2].flatMap { second in [1, 2, 3].flatMap { third in [1, 3].map { [1, second, third, $0] } } }))
    }

    @Test func whatIsDoneToAnImageIsGoneFromTheNext() {
        let (disk, file) = disk(holding: page(1, count: 20_000))
        _ = file.write(bytes: page(2, count: 512), at: 4_096)
        let replay = CrashReplay(disk.log, capacityBytes: disk.capacityBytes)
        replay.advance(to: disk.logPosition)
        let expected = replay.image(3, limit: 0, seed: 5).open().contents
        for index in 0..<50 {
            let other = replay.image(index, limit: 0, seed: 9).open()
            _ = other.write(bytes: page(9, count: 300 * (index + 1)), at: index * 400)
            _ = other.truncate(index % 3 == 0 ? 100 : 40_000)
            #expect(replay.image(3, limit: 0, seed: 5).open().contents == expected)
            withExtendedLifetime(index % 2 == 0 ? other : nil) {}
        }
    }
}
