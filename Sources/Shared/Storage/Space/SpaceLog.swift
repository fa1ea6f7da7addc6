/// The newest changes in the header, commit by commit. A commit adds a few bytes and leaves the others as they are.
///
/// Numbers of seven bits a byte. For each commit:
///
///     transaction   minus that of the commit before (the first: minus zero)
///     used          how many runs it took out of holes
///     freed         how many runs it freed; then for each used and each freed run
///     head          zigzag of (page - end of the run before) × 2, plus 1 when it has more than one page
///     length        only with more than one page
///     age           only when freed: transaction - birth; zero: free at once
struct SpaceLog: Equatable {
    private(set) var bytes: [UInt8] = []
    private var transaction: UInt64 = 0

    struct Changes {
        var transaction: UInt64
        var used: ArraySlice<PageRun>
        var freed: [(run: PageRun, birth: UInt64)]
    }

    init() {}

    // MARK: - Writing

    mutating func append(_ changes: Changes) {
        guard !changes.used.isEmpty || !changes.freed.isEmpty else { return }
        var writer = NumberWriter(bytes: bytes)
        bytes = []
        // In a damaged file the transaction may be smaller. Such a step wraps around, here and when it is read.
        writer.put(changes.transaction &- transaction)
        writer.put(UInt64(changes.used.count))
        writer.put(UInt64(changes.freed.count))
        var end: UInt32 = 0
        for run in changes.used { writer.put(run, behind: &end) }
        for (run, birth) in changes.freed {
            writer.put(run, behind: &end)
            writer.put(changes.transaction - birth)
        }
        bytes = writer.bytes
        transaction = changes.transaction
    }

    // MARK: - Reading

    /// Nil when the bytes are not a log whose pages are all below the limit.
    init?(_ bytes: [UInt8], pageLimit: UInt32) {
        self.bytes = bytes
        guard let parsed = parsed(pageLimit: pageLimit) else { return nil }
        transaction = parsed.transaction
    }

    /// All changes of the log as one layer.
    func layer(pageLimit: UInt32) -> SpaceLayer? { parsed(pageLimit: pageLimit)?.layer }

    private func parsed(pageLimit: UInt32) -> (layer: SpaceLayer, transaction: UInt64)? {
        bytes.withUnsafeBytes { bytes in
            var reader = NumberReader(bytes)
            var layers: [SpaceLayer] = []
            var transaction: UInt64 = 0
            while !reader.isAtEnd {
                guard let step = reader.take(), transaction &+ step < PagePointer.birthLimit,
                    let usedCount = reader.take(), let freedCount = reader.take(),
                    usedCount <= UInt64(reader.bytesLeft), freedCount <= UInt64(reader.bytesLeft)
                else { return nil }
                transaction &+= step
                var end: UInt32 = 0
                var used: [SpaceLayer.Piece] = []
                used.reserveCapacity(Int(usedCount))
                for _ in 0..<usedCount {
                    guard let run = reader.takeRun(behind: &end, pageLimit: pageLimit) else { return nil }
                    used.append(.init(page: run.page, end: run.end, use: .used))
                }
                var freed: [SpaceLayer.Piece] = []
                freed.reserveCapacity(Int(freedCount))
                for _ in 0..<freedCount {
                    guard let run = reader.takeRun(behind: &end, pageLimit: pageLimit), let age = reader.take(),
                        age <= transaction
                    else { return nil }
                    let use = age == 0 ? PageUse.free : .waiting(birth: transaction - age, freed: transaction)
                    freed.append(.init(page: run.page, end: run.end, use: use))
                }
                if !used.isEmpty { layers.append(SpaceLayer(used)) }
                if !freed.isEmpty { layers.append(SpaceLayer(freed)) }
            }
            return (SpaceLayer.pile(layers), transaction)
        }
    }
}

extension NumberWriter {
    fileprivate mutating func put(_ run: PageRun, behind end: inout UInt32) {
        let difference = Int64(run.page) - Int64(end)
        let zigzag = UInt64(bitPattern: difference << 1 ^ difference >> 63)
        put(zigzag << 1 | (run.count > 1 ? 1 : 0))
        if run.count > 1 { put(UInt64(run.count)) }
        end = run.end
    }
}

extension NumberReader {
    fileprivate mutating func takeRun(behind end: inout UInt32, pageLimit: UInt32) -> PageRun? {
        guard let head = take(), let count = head & 1 == 0 ? 1 : take(), count > 0 else { return nil }
        let zigzag = head >> 1
        // 63 bits on either side of zero, so the sum cannot overflow.
        let page = Int64(end) + (Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
        guard page >= 0, page < Int64(pageLimit), count <= UInt64(pageLimit) - UInt64(page) else { return nil }
        end = UInt32(page) + UInt32(count)
        return PageRun(page: UInt32(page), count: UInt32(count))
    }
}
