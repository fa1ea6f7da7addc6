/// The pages that can be used now: one bit for each page, and a tree of summaries that finds the lowest stretch of any
/// length.
///
/// Neighbours join by themselves. A change costs the logarithm of the file's size, however fragmented the free space
/// is. The lowest stretch that is long enough is taken, not the shortest: that wastes about as little, and it empties
/// the end of the file, which can then be cut off.
/// Takes an eighth of a byte for each page up to the last hole, and a fifth of that again for the summaries.
struct HoleMap {
    /// The free pages at the beginning, at the end, and in the longest run of a chunk, or of two neighbours of one
    /// length.
    private struct Summary: Equatable {
        var prefix: UInt32 = 0
        var suffix: UInt32 = 0
        var longest: UInt32 = 0
    }

    private static let wordsPerChunk = 8
    private static let chunkPages = wordsPerChunk * 64

    /// A set bit is a free page.
    private var words = [UInt64](repeating: 0, count: wordsPerChunk)
    /// A heap: node 1 is the whole, the children of n are 2n and 2n + 1, and the last half are the chunks.
    private var summaries = [Summary](repeating: Summary(), count: 2)
    private var chunkCount = 1
    private(set) var pageCount = 0

    // MARK: - Changing

    /// Makes pages free. Some may be free already.
    mutating func insert(_ run: PageRun) {
        grow(to: Int(run.page) + Int(run.count))
        set(run, isFree: true)
        summarize(run)
    }

    /// Makes several runs free at once.
    mutating func insert(_ runs: [PageRun]) {
        guard let first = runs.map(\.page).min(), let end = runs.map(\.end).max() else { return }
        guard runs.count > Int(end - first) / Self.chunkPages else {
            for run in runs { insert(run) }
            return
        }
        grow(to: Int(end))
        for run in runs { set(run, isFree: true) }
        summarize(PageRun(page: first, count: end - first))
    }

    mutating func remove(_ run: PageRun) {
        grow(to: Int(run.page) + Int(run.count))
        set(run, isFree: false)
        summarize(run)
    }

    private mutating func set(_ run: PageRun, isFree: Bool) {
        let (start, end) = (Int(run.page), Int(run.page) + Int(run.count))
        guard start < end else { return }
        for place in start / 64...(end - 1) / 64 {
            let mask = Self.ones(from: max(start - place * 64, 0), upTo: min(end - place * 64, 64))
            let word = words[place]
            words[place] = isFree ? word | mask : word & ~mask
            pageCount += words[place].nonzeroBitCount - word.nonzeroBitCount
        }
    }

    /// Bits `low` up to, not including, `high`. Requires 0 <= low < high <= 64.
    private static func ones(from low: Int, upTo high: Int) -> UInt64 {
        (UInt64.max << UInt64(low)) & (UInt64.max >> UInt64(64 - high))
    }

    private mutating func grow(to pages: Int) {
        guard pages > words.count * 64 else { return }
        while chunkCount * Self.chunkPages < pages { chunkCount *= 2 }
        words += [UInt64](repeating: 0, count: chunkCount * Self.wordsPerChunk - words.count)
        let old = summaries
        summaries = [Summary](repeating: Summary(), count: 2 * chunkCount)
        for chunk in 0..<old.count / 2 { summaries[chunkCount + chunk] = old[old.count / 2 + chunk] }
        joinAll()
    }

    // MARK: - Finding

    func contains(_ page: UInt32) -> Bool {
        let place = Int(page) / 64
        return place < words.count && words[place] & 1 << UInt64(page % 64) != 0
    }

    /// The lowest page at which a stretch of `count` free pages begins.
    func lowest(_ count: Int) -> UInt32? {
        guard Int(summaries[1].longest) >= count else { return nil }
        var (node, start, length) = (1, 0, chunkCount * Self.chunkPages)
        while node < chunkCount {
            length /= 2
            let (left, right) = (summaries[2 * node], summaries[2 * node + 1])
            if Int(left.longest) >= count {
                node = 2 * node
            } else if Int(left.suffix) + Int(right.prefix) >= count {
                return UInt32(start + length - Int(left.suffix))
            } else {
                node = 2 * node + 1
                start += length
            }
        }
        let end = start + Self.chunkPages
        while start < end {
            let first = next(from: start, upTo: end, isFree: true)
            start = next(from: first, upTo: end, isFree: false)
            if start - first >= count { return UInt32(first) }
        }
        return nil
    }

    /// The beginning of the free pages directly before `end`; `end` itself when there are none.
    func start(ofRunUpTo end: UInt32) -> UInt32 {
        var page = Int(end)
        guard page <= words.count * 64 else { return end }
        while page > 0 {
            let place = (page - 1) / 64
            // The used pages of the word before `page`.
            let used = ~words[place] & Self.ones(from: 0, upTo: page - place * 64)
            if used != 0 { return UInt32(place * 64 + 64 - used.leadingZeroBitCount) }
            page = place * 64
        }
        return 0
    }

    /// All free runs, ascending.
    var runs: [PageRun] {
        var runs: [PageRun] = []
        var page = 0
        while page < words.count * 64 {
            let first = next(from: page, upTo: words.count * 64, isFree: true)
            page = next(from: first, upTo: words.count * 64, isFree: false)
            if page > first { runs.append(PageRun(page: UInt32(first), count: UInt32(page - first))) }
        }
        return runs
    }

    private func next(from start: Int, upTo end: Int, isFree: Bool) -> Int {
        var page = start
        while page < end {
            let place = page / 64
            let word = (isFree ? words[place] : ~words[place]) & UInt64.max << UInt64(page % 64)
            if word != 0 { return min(place * 64 + word.trailingZeroBitCount, end) }
            page = (place + 1) * 64
        }
        return end
    }

    // MARK: - Summaries

    private mutating func summarize(_ run: PageRun) {
        guard run.count > 0 else { return }
        var first = Int(run.page) / Self.chunkPages + chunkCount
        var last = Int(run.end - 1) / Self.chunkPages + chunkCount
        for node in first...last { summaries[node] = summary(ofChunk: node - chunkCount) }
        var length = UInt32(Self.chunkPages)
        while first > 1 {
            first /= 2
            last /= 2
            var isChanged = false
            for node in first...last {
                let summary = Self.joined(summaries[2 * node], summaries[2 * node + 1], length: length)
                if summary != summaries[node] {
                    summaries[node] = summary
                    isChanged = true
                }
            }
            if !isChanged { return }
            // May overflow for the whole file, whose length is never used.
            length &*= 2
        }
    }

    private mutating func joinAll() {
        var length = UInt32(Self.chunkPages)
        var first = chunkCount / 2
        while first > 0 {
            for node in first..<2 * first {
                summaries[node] = Self.joined(summaries[2 * node], summaries[2 * node + 1], length: length)
            }
            first /= 2
            length &*= 2
        }
    }

    /// - Parameter length: the pages of each of the two.
    private static func joined(_ left: Summary, _ right: Summary, length: UInt32) -> Summary {
        Summary(
            prefix: left.prefix == length ? length + right.prefix : left.prefix,
            suffix: right.suffix == length ? length + left.suffix : right.suffix,
            longest: max(left.longest, right.longest, left.suffix + right.prefix))
    }

    private func summary(ofChunk chunk: Int) -> Summary {
        var summary = Summary()
        // The free pages directly before the current place.
        var run: UInt32 = 0
        var isAtBeginning = true
        for place in chunk * Self.wordsPerChunk..<(chunk + 1) * Self.wordsPerChunk {
            let word = words[place]
            guard word != .max else {
                run += 64
                continue
            }
            run += UInt32((~word).trailingZeroBitCount)
            if isAtBeginning { summary.prefix = run }
            isAtBeginning = false
            summary.longest = max(summary.longest, run, Self.longestRun(word))
            run = UInt32((~word).leadingZeroBitCount)
        }
        if isAtBeginning { summary.prefix = run }
        summary.suffix = run
        summary.longest = max(summary.longest, run)
        return summary
    }

    /// The longest run of ones. Each step makes every run shorter by one.
    private static func longestRun(_ word: UInt64) -> UInt32 {
        var rest = word
        var length: UInt32 = 0
        while rest != 0 {
            rest &= rest << 1
            length += 1
        }
        return length
    }
}
