import CausewaySeeds
import Testing

@testable import CausewayStorage

@Suite("Holes")
struct HoleMapTests {
    private static let seeds = SeedList.drawn(for: "holes", count: 12)

    @Test("agree with a set of pages", arguments: seeds)
    func agreesWithSet(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var map = HoleMap()
        var pages: Set<UInt32> = []
        let limit = [70, 600, 3000][Int(seed % 3)]
        for step in 0..<300 {
            let page = UInt32(random.below(limit))
            let run = PageRun(page: page, count: UInt32(1 + random.below(random.below(4) == 0 ? limit : 5)))
            if random.below(2) == 0 {
                map.insert(run)
                pages.formUnion(run.page..<run.end)
            } else {
                map.remove(run)
                pages.subtract(run.page..<run.end)
            }
            let naive = runs(of: pages)
            let wanted = 1 + random.below(20)
            let end = UInt32(random.below(limit))
            #expect(map.runs == naive, "seed \(seed), step \(step)")
            #expect(map.pageCount == pages.count, "seed \(seed), step \(step)")
            #expect(map.contains(page) == pages.contains(page), "seed \(seed), step \(step)")
            #expect(map.lowest(wanted) == naive.first { $0.count >= wanted }?.page, "seed \(seed), step \(step)")
            #expect(
                map.start(ofRunUpTo: end)
                    == (naive.first { $0.page < end && end <= $0.end }?.page ?? end), "seed \(seed), step \(step)")
        }
    }

    @Test("reach to the end of a file of 16 TiB")
    func largestFile() {
        var map = HoleMap()
        let last = PageRun(page: .max - 10, count: 9)
        map.insert(PageRun(page: 1 << 31, count: 5))
        map.insert(last)
        #expect(map.pageCount == 14)
        #expect(map.lowest(5) == 1 << 31)
        #expect(map.lowest(9) == last.page)
        #expect(map.lowest(10) == nil)
        map.remove(PageRun(page: 1 << 31, count: 5))
        #expect(map.lowest(1) == last.page)
        #expect(map.start(ofRunUpTo: last.end) == last.page)
    }

    private func runs(of pages: Set<UInt32>) -> [PageRun] {
        var runs: [PageRun] = []
        for page in pages.sorted() {
            if runs.last?.end == page {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(PageRun(page: page, count: 1))
            }
        }
        return runs
    }
}
