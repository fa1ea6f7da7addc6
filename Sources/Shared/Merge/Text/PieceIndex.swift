import CausewayModel

/// Where the pieces of a text are, by id: in ascending order, in chunks so that a new one moves few others.
struct PieceIndex: Sendable {
    struct Entry: Sendable {
        var client: Int32
        /// The number of the block that holds the piece.
        var block: Int32
        /// The counter of the piece's first scalar.
        var counter: UInt64
    }

    private var chunks: [[Entry]] = []
    private static let chunkMax = 256

    init(_ entries: [Entry]) {
        let sorted = entries.sorted { ($0.client, $0.counter) < ($1.client, $1.counter) }
        for start in stride(from: 0, to: sorted.count, by: Self.chunkMax / 2) {
            chunks.append(Array(sorted[start..<min(start + Self.chunkMax / 2, sorted.count)]))
        }
    }

    /// The last piece of a client that begins at a counter or before it.
    func last(_ client: Int32, through counter: UInt64) -> Entry? {
        guard let place = place(client, through: counter) else { return nil }
        let entry = chunks[place.chunk][place.index]
        return entry.client == client ? entry : nil
    }

    /// The first piece of a client that begins after a counter.
    func first(_ client: Int32, after counter: UInt64) -> Entry? {
        var next = (chunk: 0, index: 0)
        if let place = place(client, through: counter) {
            next =
                place.index + 1 < chunks[place.chunk].count
                ? (place.chunk, place.index + 1) : (place.chunk + 1, 0)
        }
        guard next.chunk < chunks.count else { return nil }
        let entry = chunks[next.chunk][next.index]
        return entry.client == client ? entry : nil
    }

    mutating func insert(_ entry: Entry) {
        guard let place = place(entry.client, through: entry.counter) else {
            if chunks.isEmpty { chunks.append([entry]) } else { chunks[0].insert(entry, at: 0) }
            return divide(0)
        }
        chunks[place.chunk].insert(entry, at: place.index + 1)
        divide(place.chunk)
    }

    mutating func remove(_ client: Int32, _ counter: UInt64) {
        guard let place = exact(client, counter) else { return }
        chunks[place.chunk].remove(at: place.index)
        if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
    }

    /// Changes the counter at which a piece begins, between those of its neighbours.
    mutating func move(_ client: Int32, _ counter: UInt64, to other: UInt64) {
        guard let place = exact(client, counter) else { return }
        chunks[place.chunk][place.index].counter = other
    }

    mutating func set(_ client: Int32, _ counter: UInt64, block: Int32) {
        guard let place = exact(client, counter) else { return }
        chunks[place.chunk][place.index].block = block
    }

    private mutating func divide(_ chunk: Int) {
        guard chunks[chunk].count > Self.chunkMax else { return }
        let half = Array(chunks[chunk][(Self.chunkMax / 2)...])
        chunks[chunk].removeLast(half.count)
        chunks.insert(half, at: chunk + 1)
    }

    private func exact(_ client: Int32, _ counter: UInt64) -> (chunk: Int, index: Int)? {
        guard let place = place(client, through: counter) else { return nil }
        let entry = chunks[place.chunk][place.index]
        return entry.client == client && entry.counter == counter ? place : nil
    }

    /// The last entry that is not behind a key.
    private func place(_ client: Int32, through counter: UInt64) -> (chunk: Int, index: Int)? {
        let chunk = chunks.partitioningIndex { $0[0].isBehind(client, counter) } - 1
        guard chunk >= 0 else { return nil }
        return (chunk, chunks[chunk].partitioningIndex { $0.isBehind(client, counter) } - 1)
    }
}

extension PieceIndex.Entry {
    fileprivate func isBehind(_ client: Int32, _ counter: UInt64) -> Bool {
        (self.client, self.counter) > (client, counter)
    }
}
