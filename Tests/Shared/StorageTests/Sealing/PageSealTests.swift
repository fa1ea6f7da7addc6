import Testing

@testable import CausewayStorage

@Suite("Sealed pages")
struct PageSealTests {
    @Test("runs of every size up to three pages come back, from a disk that gives a little at a time")
    func roundTripsOfEverySize() throws {
        let disk = SealingDisk(readLimit: 3000)
        let seal = try SealingFixture.seal(disk)
        let all = SealingFixture.bytes(3 * Pages.sizeBytes)
        for count in 0...all.count {
            let bytes = Array(all[..<count])
            let place = SealingFixture.pointer(page: 4, birth: UInt64(count) + 1, extent: UInt32(count))
            let pointer = try seal.write(bytes, place, .run, to: disk)
            if seal.read(pointer, .run) != bytes { Issue.record("a run of \(count) bytes") }
            let isClear = disk.get(count, at: 4 * Pages.sizeBytes) == bytes
            if count >= 16, isClear { Issue.record("\(count) bytes in clear") }
        }
    }

    @Test("a page is refused when one bit of its pointer is another", arguments: [PageKind.tree, .directory, .run])
    func everyBitOfThePointerCounts(kind: PageKind) throws {
        // The page is everywhere, and the session has all births, so nothing but the seal can refuse it.
        let disk = SealingDisk(isTheSameEverywhere: true)
        let seal = try SealingFixture.seal(disk)
        let bytes = SealingFixture.bytes(Pages.sizeBytes)
        let place = SealingFixture.pointer(page: 0x0A0B, birth: 0x33, extent: UInt32(Pages.sizeBytes), level: 2)
        let pointer = try seal.write(bytes, place, kind, to: disk)
        #expect(seal.read(pointer, kind) == bytes)
        for bit in 0..<(8 * PagePointer.byteCount) {
            let other = pointer.flipping(bit: bit)
            #expect(other != pointer)
            if seal.read(other, kind) != nil { Issue.record("bit \(bit) of the pointer") }
        }
        for other in [PageKind.tree, .directory, .run] where other != kind {
            #expect(seal.read(pointer, other) == nil, "opened as \(other)")
        }
    }

    @Test("a run is refused when one bit on the disk is another")
    func everyBitOnDiskCounts() throws {
        let disk = SealingDisk()
        let seal = try SealingFixture.seal(disk)
        let bytes = SealingFixture.bytes(300)
        let place = SealingFixture.pointer(page: 4, birth: 1, extent: 300)
        let pointer = try seal.write(bytes, place, .run, to: disk)
        let sealed = disk.get(300, at: 4 * Pages.sizeBytes)
        for bit in 0..<2400 {
            var other = sealed
            other[bit / 8] ^= 1 << (bit % 8)
            disk.put(other, at: 4 * Pages.sizeBytes)
            if seal.read(pointer, .run) != nil { Issue.record("bit \(bit) on the disk") }
        }
    }

    @Test("a page that was moved is refused, also where another was born in the same commit")
    func refusesMovedPage() throws {
        let disk = SealingDisk()
        let seal = try SealingFixture.seal(disk)
        let bytes = SealingFixture.bytes(Pages.sizeBytes)
        let first = try seal.write(bytes, SealingFixture.pointer(page: 4, birth: 1), .tree, to: disk)
        var second = try seal.write(bytes, SealingFixture.pointer(page: 5, birth: 1), .tree, to: disk)
        #expect((first.check, first.checkHigh) != (second.check, second.checkHigh))
        disk.put(disk.get(Pages.sizeBytes, at: 4 * Pages.sizeBytes), at: 5 * Pages.sizeBytes)
        #expect(seal.read(second, .tree) == nil)
        (second.check, second.checkHigh) = (first.check, first.checkHigh)
        #expect(seal.read(second, .tree) == nil)
    }

    @Test("an older version of a page in the same place is refused, with and without its tag")
    func refusesOlderVersion() throws {
        let disk = SealingDisk()
        let seal = try SealingFixture.seal(disk)
        let old = try seal.write(
            SealingFixture.bytes(Pages.sizeBytes), SealingFixture.pointer(page: 4, birth: 1), .tree, to: disk)
        let sealed = disk.get(Pages.sizeBytes, at: 4 * Pages.sizeBytes)
        var new = try seal.write(
            SealingFixture.bytes(Pages.sizeBytes, seed: 8), SealingFixture.pointer(page: 4, birth: 2), .tree, to: disk)
        disk.put(sealed, at: 4 * Pages.sizeBytes)
        #expect(seal.read(new, .tree) == nil)
        (new.check, new.checkHigh) = (old.check, old.checkHigh)
        #expect(seal.read(new, .tree) == nil)
        // Under the pointer that an old header leads to it is the right one.
        #expect(seal.read(old, .tree) != nil)
    }

    @Test("a page of another file with the same key and session is refused")
    func refusesOtherFile() throws {
        let disk = SealingDisk()
        let seal = try SealingFixture.seal(disk)
        let pointer = try seal.write(
            SealingFixture.bytes(Pages.sizeBytes), SealingFixture.pointer(page: 4, birth: 1), .tree, to: disk)
        let other = PageSeal(try SealingFixture.key(), fileID: FileID(low: 1, high: 2), disk: disk)
        try other.join(Session(firstBirth: 0, salt: SealingFixture.salt))
        #expect(other.read(pointer, .tree) == nil)
    }

    @Test("a file that ends within a page, or before it, is refused")
    func refusesShortFile() throws {
        let disk = SealingDisk()
        let seal = try SealingFixture.seal(disk)
        let pointer = try seal.write(
            SealingFixture.bytes(Pages.sizeBytes), SealingFixture.pointer(page: 4, birth: 1), .tree, to: disk)
        for count in [0, 1, 4 * Pages.sizeBytes, 5 * Pages.sizeBytes - 1] {
            let shorter = SealingDisk()
            shorter.put(disk.get(count, at: 0), at: 0)
            #expect(try SealingFixture.seal(shorter).read(pointer, .tree) == nil, "\(count) bytes are left")
        }
    }
}

extension PagePointer {
    fileprivate func flipping(bit: Int) -> PagePointer {
        withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { bytes in
            store(to: bytes.baseAddress!)
            bytes[bit / 8] ^= 1 << (bit % 8)
            return PagePointer.load(from: bytes.baseAddress!)
        }
    }
}
