import CausewayModel

/// The directory of consecutive chunks of one list.
final class ListGroup {
    struct Part {
        /// 0 until it is stored.
        var id: UInt32
        var count: Int
        /// Nil until it is needed.
        var chunk: ListChunk?

        init(_ part: ListPart) {
            id = part.id
            count = part.count
        }

        init(_ chunk: ListChunk) {
            id = 0
            count = chunk.count
            self.chunk = chunk
        }
    }

    /// 0 until it is stored.
    var id: UInt32
    /// Elements of all its chunks.
    var count: Int
    var parts: [Part] = []
    private(set) var isLoaded: Bool
    /// Whether its directory or a chunk differs from what is stored.
    var isChanged = false

    /// A stored group whose chunks are not known yet.
    init(_ part: ListPart) {
        id = part.id
        count = part.count
        isLoaded = false
    }

    init(chunks: [ListPart], count: Int) {
        id = 0
        self.count = count
        parts = chunks.map { Part($0) }
        isLoaded = true
    }

    /// A group that is not stored yet.
    init(parts: [Part]) {
        id = 0
        count = parts.reduce(0) { $0 + $1.count }
        self.parts = parts
        isLoaded = true
        isChanged = true
    }

    func load(_ chunks: [ListPart]) {
        parts = chunks.map { Part($0) }
        isLoaded = true
    }

    /// The part that holds a position. Adds the number of elements before the part to `start`.
    func part(at position: Int, _ start: inout Int) -> Int {
        parts.withUnsafeBufferPointer { parts in
            var before = 0
            var index = 0
            while index < parts.count - 1, before + parts[index].count <= position {
                before += parts[index].count
                index += 1
            }
            start += before
            return index
        }
    }

    func split(at index: Int) -> ListGroup {
        let rest = ListGroup(parts: Array(parts[index...]))
        parts.removeLast(parts.count - index)
        count -= rest.count
        isChanged = true
        return rest
    }

    func append(_ other: ListGroup) {
        parts += other.parts
        count += other.count
        isChanged = true
    }

    /// The group's stored form, once all chunks have numbers.
    var directory: [ListPart] { parts.map { ListPart(id: $0.id, count: $0.count) } }
}
