package import CausewayModel

/// What is known of one text: its scalars with their ids, in Fugue order, removed ones included, kept as runs.
///
/// `RULES.md`, section 9, says what it means: a text is the list of its Unicode scalars. A *piece* is a run of them
/// that one client typed in one go: ids with consecutive counters, each the right child of the one before. Invariants:
/// 1. The pieces of all blocks, one after another, are the order of the tree.
/// 2. Only the first scalar of a piece has left children, and only its last one has right children outside the piece.
/// 3. The text holds the scalars of the pieces that are not removed, in their order.
package struct TextState: Sendable {
    var clients: [ClientID] = []
    var blocks: [Block] = []
    /// The index in `blocks` of each block, by its number.
    var places: [Int32] = []
    var buffer = TextBuffer()
    /// Unicode scalars that are not removed.
    package internal(set) var count = 0

    /// Where the piece edited last begins: the next edit is likely to be there.
    var cursor: Cursor?
    /// Pieces by id, made when an id is first searched for: edits by index need none.
    var index: PieceIndex?
    /// Children that are not in a piece with their parent, made when concurrent runs first meet.
    var children: [Key: Children]?

    package init() {}

    /// An id with a number for its client.
    struct Key: Hashable, Sendable {
        var client: Int32
        var counter: UInt64

        /// Stands for no scalar: the root, as a parent.
        static let root = Key(client: -1, counter: 0)
    }

    struct Piece: Sendable {
        /// The id of the first scalar.
        var key: Key
        var count: Int
        /// The bytes of UTF-8; 0 if removed.
        var bytes: Int
        var isRemoved: Bool
        var link: Link
        /// The parent of the first scalar; without meaning if `link` is `.continuation`.
        var parent: Key
        /// Whether the scalar with the id after the last one is a right child of the last one.
        var continues = false
        /// Whether the last scalar has other right children.
        var hasOthers = false
    }

    /// How the first scalar of a piece hangs in the tree.
    enum Link: UInt8, Sendable {
        /// The right child of the scalar whose id is one less.
        case continuation = 0
        case right = 1
        case left = 2
    }

    struct Block: Sendable {
        var number: Int32
        var pieces: [Piece]
        var visible: Int
        var bytes: Int

        static let piecesMax = 128
    }

    struct Cursor: Sendable {
        var block: Int
        var piece: Int
        /// Visible scalars and bytes before the piece.
        var start: Start
    }

    struct Start: Sendable {
        var visible = 0
        var bytes = 0
    }

    /// One scalar.
    struct Spot: Sendable {
        var block: Int
        var piece: Int
        var offset: Int
    }

    /// Ascending by id.
    struct Children: Sendable {
        var left = SortedChunks<Key>()
        var right = SortedChunks<Key>()
    }
}

extension TextState.Piece {
    var visible: Int { isRemoved ? 0 : count }
    var hasRightChildren: Bool { continues || hasOthers }
    var last: TextState.Key { key.advanced(by: count - 1) }

    func contains(_ key: TextState.Key) -> Bool {
        key.client == self.key.client && key.counter >= self.key.counter
            && key.counter - self.key.counter < UInt64(count)
    }

    /// Whether the piece behind this one could be joined with it.
    func isContinued(by next: Self) -> Bool {
        continues && !hasOthers && next.link == .continuation && key.client == next.key.client
            && key.counter + UInt64(count) == next.key.counter
    }
}

extension TextState.Key {
    func advanced(by count: Int) -> Self {
        Self(client: client, counter: counter + UInt64(count))
    }
}

// MARK: - What everybody sees

extension TextState {
    package var isEmpty: Bool { count == 0 }

    /// - Complexity: O(n)
    package var string: String { buffer.string }

    /// The bytes of UTF-8 that show.
    package var sizeBytes: Int { buffer.count }

    /// Whether a value is this text, scalar for scalar. `==` of strings is wider: it accepts equivalent scalars.
    package func isShown(by value: Value) -> Bool {
        if case .string(let shown) = value { shown.utf8.elementsEqual(string.utf8) } else { false }
    }

    /// How many runs are kept, removed ones included.
    package var pieceCount: Int { blocks.reduce(0) { $0 + $1.pieces.count } }

    /// An upper bound of `pieceCount` that takes no walk over the blocks.
    var piecesMax: Int { blocks.count * Block.piecesMax }

    /// Whether nobody ever typed here.
    package var isUntouched: Bool { blocks.isEmpty }
}

extension TextState: Hashable {
    /// Two texts that have seen the same operations are equal, however their pieces lie in memory.
    package static func == (left: TextState, right: TextState) -> Bool {
        left.count == right.count && left.encoded() == right.encoded()
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(string)
    }
}

// MARK: - Finding

extension TextState {
    subscript(block: Int, piece: Int) -> Piece {
        get { blocks[block].pieces[piece] }
        set { blocks[block].pieces[piece] = newValue }
    }

    func key(_ spot: Spot) -> Key { self[spot.block, spot.piece].key.advanced(by: spot.offset) }

    func id(_ key: Key) -> ElementID {
        ElementID(client: clients[Int(key.client)], counter: key.counter)
    }

    mutating func key(_ id: ElementID) -> Key {
        Key(client: number(id.client), counter: id.counter)
    }

    func knownKey(_ id: ElementID) -> Key? {
        clients.firstIndex(of: id.client).map { Key(client: Int32($0), counter: id.counter) }
    }

    private mutating func number(_ client: ClientID) -> Int32 {
        if let number = clients.firstIndex(of: client) { return Int32(number) }
        clients.append(client)
        return Int32(clients.count - 1)
    }

    /// By id, as siblings are ordered.
    func precedes(_ left: Key, _ right: Key) -> Bool { Self.precedes(left, right, clients) }

    static func precedes(_ left: Key, _ right: Key, _ clients: [ClientID]) -> Bool {
        left.counter != right.counter
            ? left.counter < right.counter : clients[Int(left.client)] < clients[Int(right.client)]
    }

    /// The visible scalars and bytes before a piece.
    func start(_ block: Int, _ piece: Int) -> Start {
        if let cursor, cursor.block == block, cursor.piece <= piece, piece - cursor.piece < 4 {
            return start(block, from: cursor.piece, cursor.start, to: piece)
        }
        var start = Start()
        for before in blocks[..<block] {
            start.visible += before.visible
            start.bytes += before.bytes
        }
        return self.start(block, from: 0, start, to: piece)
    }

    private func start(_ block: Int, from first: Int, _ start: Start, to piece: Int) -> Start {
        var start = start
        for place in first..<piece {
            start.visible += self[block, place].visible
            start.bytes += self[block, place].bytes
        }
        return start
    }

    /// The visible scalar with this index; moves the cursor to its piece.
    ///
    /// - Precondition: there is one.
    mutating func seek(_ index: Int) -> Spot {
        if let cursor, index >= cursor.start.visible,
            index - cursor.start.visible < self[cursor.block, cursor.piece].visible
        {
            return Spot(block: cursor.block, piece: cursor.piece, offset: index - cursor.start.visible)
        }
        var start = Start()
        for block in blocks.indices {
            let (visible, bytes) = (blocks[block].visible, blocks[block].bytes)
            if index - start.visible >= visible {
                start.visible += visible
                start.bytes += bytes
                continue
            }
            for piece in blocks[block].pieces.indices {
                let (visible, bytes) = (self[block, piece].visible, self[block, piece].bytes)
                if index - start.visible < visible {
                    cursor = Cursor(block: block, piece: piece, start: start)
                    return Spot(block: block, piece: piece, offset: index - start.visible)
                }
                start.visible += visible
                start.bytes += bytes
            }
        }
        preconditionFailure("A text of \(count) scalars has no scalar \(index).")
    }

    /// The scalar behind another one in the whole order; for nil, the first of all.
    func successor(_ spot: Spot?) -> Spot? {
        guard let spot else { return blocks.isEmpty ? nil : Spot(block: 0, piece: 0, offset: 0) }
        if spot.offset + 1 < self[spot.block, spot.piece].count {
            return Spot(block: spot.block, piece: spot.piece, offset: spot.offset + 1)
        }
        if spot.piece + 1 < blocks[spot.block].pieces.count {
            return Spot(block: spot.block, piece: spot.piece + 1, offset: 0)
        }
        return spot.block + 1 < blocks.count ? Spot(block: spot.block + 1, piece: 0, offset: 0) : nil
    }

    /// The scalar before another one in the whole order; for nil, the last of all.
    func predecessor(_ spot: Spot?) -> Spot? {
        if let spot, spot.offset > 0 { return Spot(block: spot.block, piece: spot.piece, offset: spot.offset - 1) }
        var (block, piece) = spot.map { ($0.block, $0.piece) } ?? (blocks.count, 0)
        if piece == 0 {
            block -= 1
            guard block >= 0 else { return nil }
            piece = blocks[block].pieces.count
        }
        piece -= 1
        return Spot(block: block, piece: piece, offset: self[block, piece].count - 1)
    }

    /// Where a scalar is, removed or not.
    mutating func find(_ key: Key) -> Spot? {
        if let cursor, cursor.block < blocks.count {
            // Operations mostly name neighbours: try those before a search.
            for piece in max(0, cursor.piece - 1)...cursor.piece + 1
            where piece < blocks[cursor.block].pieces.count && self[cursor.block, piece].contains(key) {
                let offset = Int(key.counter - self[cursor.block, piece].key.counter)
                return Spot(block: cursor.block, piece: piece, offset: offset)
            }
        }
        makeIndex()
        guard let entry = index?.last(key.client, through: key.counter) else { return nil }
        let block = Int(places[Int(entry.block)])
        for piece in blocks[block].pieces.indices where self[block, piece].contains(key) {
            return Spot(block: block, piece: piece, offset: Int(key.counter - self[block, piece].key.counter))
        }
        return nil
    }

    mutating func makeIndex() {
        guard index == nil else { return }
        var entries: [PieceIndex.Entry] = []
        for block in blocks {
            for piece in block.pieces {
                entries.append(
                    PieceIndex.Entry(client: piece.key.client, block: block.number, counter: piece.key.counter))
            }
        }
        index = PieceIndex(entries)
    }
}
