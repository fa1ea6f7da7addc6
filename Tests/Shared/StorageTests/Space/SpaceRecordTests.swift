import CausewaySeeds
import Testing

@testable import CausewayStorage

@Suite("The record of the free space")
struct SpaceRecordTests {
    private static let seeds = SeedList.drawn(for: "space-records", count: 100)

    @Test("layers say what an array of pages says", arguments: seeds)
    func layersAgreeWithArrays(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let limit = 60
        var naive = [PageUse](repeating: .used, count: limit)
        var layers: [SpaceLayer] = []
        for _ in 0..<random.below(9) {
            let layer = randomLayer(&random, limit: limit)
            for piece in layer.pieces { for page in piece.page..<piece.end { naive[Int(page)] = piece.use } }
            layers.append(layer)
        }
        let pile = SpaceLayer.pile(layers)
        #expect(uses(pile, limit: limit) == naive, "seed \(seed)")
        let oneByOne = layers.reduce(SpaceLayer()) { $1.over($0) }
        #expect(pile == oneByOne, "seed \(seed)")
        let settled = pile.settled(ProtectedStates([3]), isLowest: true)
        for (page, use) in uses(settled, limit: limit).enumerated() {
            switch naive[page] {
            case .waiting(let birth, let freed) where !(birth <= 3 && 3 < freed):
                #expect(use == .free, "seed \(seed), page \(page)")
            default: #expect(use == naive[page], "seed \(seed), page \(page)")
            }
        }
        #expect(settled.pieces.allSatisfy { $0.use != .used })
        let bytes = pile.encoded()
        #expect(bytes.withUnsafeBytes { SpaceLayer($0, pageLimit: UInt32(limit)) } == pile, "seed \(seed)")
    }

    private func randomLayer(_ random: inout SeededNumbers, limit: Int) -> SpaceLayer {
        var pieces: [SpaceLayer.Piece] = []
        for _ in 0..<random.below(6) {
            let page = random.below(limit)
            let freed = UInt64(1 + random.below(6))
            let uses = [PageUse.used, .free, .waiting(birth: UInt64(random.below(Int(freed))), freed: freed)]
            pieces.append(
                .init(
                    page: UInt32(page), end: UInt32(page + 1 + random.below(limit - page)),
                    use: uses[random.below(3)]))
        }
        return SpaceLayer(pieces)
    }

    private func uses(_ layer: SpaceLayer, limit: Int) -> [PageUse] {
        var uses = [PageUse](repeating: .used, count: limit)
        for piece in layer.pieces { for page in piece.page..<piece.end { uses[Int(page)] = piece.use } }
        return uses
    }

    @Test("bytes of a record, changed at random, are refused or read as some free space", arguments: seeds)
    func changedBytes(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let record = try sampleRecord(&random)
        for _ in 0..<200 {
            var changed = record.0
            switch random.below(4) {
            case 0: changed.inline = changed.inline.dropLast(random.below(changed.inline.count))
            case 1: changed.endPage = UInt32(truncatingIfNeeded: random.next())
            default:
                for _ in 0...random.below(4) {
                    changed.inline[random.below(changed.inline.count)] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            use(try? FreeSpace(record: changed, space: record.1.freshSpace()), of: record.1)
        }
    }

    @Test("a segment with a right checksum and wrong bytes is refused or read as some free space", arguments: seeds)
    func hostileSegments(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let (record, file) = try sampleRecord(&random)
        for _ in 0..<100 {
            var pointer = try #require(record.segments.randomElement(using: &random))
            let bytes = UnsafeMutableRawBufferPointer(start: file.pages.page(pointer.page), count: Int(pointer.extent))
            let saved = Array(bytes)
            defer { bytes.copyBytes(from: saved) }
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            if random.below(4) == 0 { pointer.extent = UInt32(random.below(bytes.count)) }
            pointer.check = try #require(PageSpace.checksum(file.pages.page(pointer.page), pointer, .run))
            var changed = record
            changed.segments = [pointer]
            use(try? FreeSpace(record: changed, space: file.freshSpace()), of: file)
        }
    }

    @Test("a damaged segment is an error that names its page")
    func damagedSegment() throws {
        var random = SeededNumbers(seed: 7)
        let (record, file) = try sampleRecord(&random)
        let segment = try #require(record.segments.first)
        file.pages.page(segment.page).storeBytes(of: 0xFFFF, as: UInt16.self)
        let error = #expect(throws: StorageError.self) {
            try FreeSpace(record: record, space: file.freshSpace())
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("Page \(segment.page) ") == true)
    }

    /// Whatever was read must be good for another commit, without a trap.
    private func use(_ freeSpace: FreeSpace?, of file: MemoryFile) {
        guard let freeSpace else { return }
        #expect(freeSpace.endPage <= file.space.pageLimit)
        #expect((freeSpace.holes.runs + freeSpace.waiting.runs.map(\.run)).allSatisfy { $0.end <= freeSpace.endPage })
        let other = file.freeSpace
        defer { file.freeSpace = other }
        file.freeSpace = freeSpace
        file.transaction += 1
        freeSpace.begin(transaction: file.transaction, protected: [file.transaction - 1])
        let page = freeSpace.allocate(1)
        _ = freeSpace.allocate(3)
        freeSpace.free(page, 1, birth: file.transaction)
        freeSpace.free(FreeSpace.firstPage, 1, birth: 2)
        let output = CountingOutput(file, birth: file.transaction)
        let isEncoded = (try? freeSpace.encode(into: output, inlineLimit: 512)) != nil
        if isEncoded { freeSpace.commit() } else { freeSpace.abort() }
    }

    private func sampleRecord(_ random: inout SeededNumbers) throws -> (FreeSpaceRecord, MemoryFile) {
        let file = try MemoryFile()
        var pointers: [PagePointer] = []
        var record = try file.commit { output in for _ in 0..<600 { pointers.append(try output.add(run: [1])) } }
        for _ in 0..<60 + random.below(40) {
            record = try file.commit(inlineLimit: 512) { output in
                for _ in 0..<4 { output.free(pointers.remove(at: random.below(pointers.count)), kind: .run) }
                pointers.append(try output.add(run: [1]))
            }
        }
        return (record, file)
    }
}

/// Takes pages and writes nothing.
private final class CountingOutput: PageOutput {
    let birth: UInt64
    let space: PageSpace
    private let freeSpace: FreeSpace

    init(_ file: MemoryFile, birth: UInt64) {
        space = file.space
        freeSpace = file.freeSpace
        self.birth = birth
    }

    func makePage() -> UnsafeMutableRawPointer { preconditionFailure("free space has no nodes") }

    func finish(
        _ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32
    ) throws(StorageError) -> PagePointer { preconditionFailure("free space has no nodes") }

    func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer {
        let page = freeSpace.allocate(Pages.count(ofBytes: bytes.count))
        return PagePointer(
            page: page, extent: UInt32(bytes.count), birth: birth, level: 0, check: 0, checkHigh: 0)
    }

    func free(_ pointer: PagePointer, kind: PageKind) {
        freeSpace.free(pointer.page, pointer.pageCount(kind), birth: pointer.birth)
    }
}
