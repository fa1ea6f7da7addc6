import CausewaySeeds
import Testing

@testable import CausewayStorage

@Suite("Free space")
struct FreeSpaceTests {
    private static let seeds = SeedList.drawn(for: "free-space", count: 30)

    @Test("agrees with a naive account of every page, whatever happens", arguments: seeds)
    func agreesWithModel(seed: UInt64) throws {
        var model = try SpaceModel(seed: seed)
        for step in 0..<300 {
            try model.step()
            guard model.problems.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(model.problems.prefix(5))")
                return
            }
        }
        try model.settle()
        #expect(model.problems.isEmpty, "seed \(seed)")
        #expect(model.segmentsSeen > 0, "seed \(seed)")
    }

    @Test("a page waits exactly as long as a protected state contains it")
    func waitsForItsStates() throws {
        let file = try MemoryFile()
        var pointer = PagePointer.none
        try file.commit { pointer = try $0.add(run: [1]) }
        let birth = file.transaction
        try file.commit()
        try file.commit { $0.free(pointer, kind: .run) }
        let freed = file.transaction
        for state in [birth, freed - 1] {
            try file.commit(protected: [birth - 1, state, file.transaction])
            #expect(file.freeSpace.waitingPages == 1)
        }
        // A range stands for the states in it.
        file.transaction += 1
        file.freeSpace.begin(transaction: file.transaction, protected: [], ranges: [birth - 1...freed + 1])
        #expect(file.freeSpace.waitingPages == 1)
        file.freeSpace.abort()
        try file.commit(protected: [birth - 1, freed])
        #expect(file.freeSpace.waitingPages == 0)
        #expect(file.freeSpace.freePages == 1)
    }

    @Test("a page that a transaction takes and gives back is not handed out under the same birth")
    func neverTwiceUnderOneBirth() throws {
        let file = try MemoryFile()
        var pages: [UInt32] = []
        try file.commit { output in
            for _ in 0..<3 {
                let pointer = try output.add(run: [1])
                pages.append(pointer.page)
                output.free(pointer, kind: .run)
            }
        }
        #expect(Set(pages).count == 3)
        #expect(file.freeSpace.freePages == 3)
        try file.commit { _ = try $0.add(run: [2]) }
        #expect(file.freeSpace.freePages == 2)
    }

    @Test("single pages of a commit lie together when a stretch is free")
    func singlePagesLieTogether() throws {
        let file = try MemoryFile()
        var pointers: [PagePointer] = []
        try file.commit { output in for _ in 0..<100 { pointers.append(try output.add(run: [1])) } }
        // Every other page at the beginning, and ten in a row behind it.
        try file.commit { output in
            for place in stride(from: 0, to: 40, by: 2) { output.free(pointers[place], kind: .run) }
            for place in 60..<70 { output.free(pointers[place], kind: .run) }
        }
        try file.commit()
        var taken: [UInt32] = []
        try file.commit { output in for _ in 0..<10 { taken.append(try output.add(run: [2]).page) } }
        #expect(taken == Array(pointers[60].page..<pointers[60].page + 10))
        try file.commit { output in taken.append(try output.add(run: [3]).page) }
        #expect(taken.last == pointers[0].page)
    }

    @Test("the end is cut off when much of it is free, or when asked for")
    func cutsTheEnd() throws {
        let file = try MemoryFile()
        var pointers: [PagePointer] = []
        try file.commit { output in for _ in 0..<1000 { pointers.append(try output.add(run: [1])) } }
        try file.commit { output in for pointer in pointers[900...] { output.free(pointer, kind: .run) } }
        try file.commit()
        #expect(file.freeSpace.endPage == 1004)
        try file.commit { _ in file.freeSpace.cutEnd() }
        #expect(file.freeSpace.endPage == 904)
        try file.commit { output in for pointer in pointers[500..<900] { output.free(pointer, kind: .run) } }
        try file.commit()
        #expect(file.freeSpace.endPage == 504)
        #expect(try FreeSpace(record: try file.commit(), space: file.space).endPage == 504)
    }

    @Test("segments at the end move forward when the lowest pages are asked for")
    func movesSegments() throws {
        let file = try MemoryFile()
        var pointers: [PagePointer] = []
        try file.commit { output in for _ in 0..<1000 { pointers.append(try output.add(run: [1])) } }
        // Every other page, so that the list is long and its segment lies behind everything.
        try file.commit(inlineLimit: 512) { output in
            for place in stride(from: 1, to: 1000, by: 2) { output.free(pointers[place], kind: .run) }
        }
        let segment = try #require(file.freeSpace.segments.first)
        #expect(segment.page >= pointers[999].page)
        file.freeSpace.takesLowest = true
        var record = FreeSpaceRecord.empty
        for _ in 0..<3 { record = try file.commit { _ in file.freeSpace.cutEnd() } }
        #expect(record.endPage == pointers[998].page + 1)
        #expect(try FreeSpace(record: record, space: file.freshSpace()).freePages + file.freeSpace.waitingPages > 490)
    }

    @Test("a run takes the hole at the end of the file and goes on behind it")
    func runsBeginInTheLastHole() throws {
        let file = try MemoryFile()
        var last = PagePointer.none
        try file.commit { output in
            _ = try output.add(run: [1])
            last = try output.add(run: [UInt8](repeating: 1, count: 3 * Pages.sizeBytes))
        }
        try file.commit { $0.free(last, kind: .run) }
        try file.commit { output in
            _ = try output.add(run: [UInt8](repeating: 1, count: 5 * Pages.sizeBytes))
        }
        #expect(file.freeSpace.endPage == last.page + 5)
        #expect(file.freeSpace.freePages == 0)
    }

    @Test("what does not fit into a file is a page beyond any limit, and nothing is lost")
    func hugeRuns() throws {
        let file = try MemoryFile()
        try file.commit { _ in
            #expect(file.freeSpace.allocate(Int(UInt32.max) - 2) == .max)
            #expect(file.freeSpace.allocate(Int.max) == .max)
            #expect(file.freeSpace.allocate(1) == FreeSpace.firstPage)
        }
        #expect(file.freeSpace.endPage == FreeSpace.firstPage + 1)
    }

    @Test("pointers of a damaged file free nothing that is not there")
    func freesOfForeignPages() throws {
        let file = try MemoryFile()
        var pointer = PagePointer.none
        try file.commit { pointer = try $0.add(run: [1]) }
        try file.commit { _ in
            file.freeSpace.free(0, 1, birth: 1)
            file.freeSpace.free(.max, 1, birth: 1)
            file.freeSpace.free(pointer.page, Int(UInt32.max), birth: 1)
            file.freeSpace.free(pointer.page, 1, birth: .max)
            file.freeSpace.free(pointer.page, 1, birth: 1)
        }
        let record = try file.commit()
        #expect(file.freeSpace.freePages == 1)
        #expect(try FreeSpace(record: record, space: file.space).freePages + file.freeSpace.waitingPages <= 1)
    }

    @Test("many fragments make few segments, and a commit writes few of them again")
    func segmentsGrowGeometrically() throws {
        let file = try MemoryFile()
        var random = SeededNumbers(seed: 1)
        var pointers: [PagePointer] = []
        try file.commit { output in for _ in 0..<20_000 { pointers.append(try output.add(run: [1])) } }
        var written = 0
        let commits = 1500
        for _ in 0..<commits {
            try file.commit(inlineLimit: 1000) { output in
                for _ in 0..<5 {
                    let place = random.below(pointers.count)
                    output.free(pointers[place], kind: .run)
                    pointers[place] = try output.add(run: [1])
                }
                // Fragments that stay.
                output.free(pointers.remove(at: random.below(pointers.count)), kind: .run)
            }
            written += file.freeSpace.segments.last.map { $0.birth == file.transaction ? Int($0.extent) : 0 } ?? 0
            #expect(file.freeSpace.segments.count <= FreeSpaceRecord.segmentLimit)
        }
        #expect(written / commits < 1000, "a commit of six pages wrote \(written / commits) bytes of segments")
    }
}
