import CausewayModel
package import CausewayOperations

// Forgetting removed scalars: RULES.md, section 12. The tree is rebuilt as in `ListState+Forgetting`, piece by piece.

extension TextRuns {
    /// Whether removed runs outnumber visible ones by more than four. Then forgetting them is worth sending the text
    /// whole.
    package var isWorthForgetting: Bool {
        let removed = blocks.reduce(0) { $0 + $1.pieces.count(where: \.isRemoved) }
        return 2 * removed > pieceCount + Self.removedKept
    }

    private static var removedKept: Int { 4 }

    /// F8: the origins of a writer who does not know all scalars, replaced by two neighbours here.
    ///
    /// Directly behind the left origin; if that is forgotten, directly before the right one. Without a right one: the
    /// end. If both are forgotten: the beginning.
    mutating func knownNeighbours(
        _ left: ElementID?, _ right: ElementID?
    ) -> (left: ElementID?, right: ElementID?) {
        let leftSpot = left.flatMap { knownKey($0) }.flatMap { find($0) }
        if left != nil, leftSpot == nil {
            guard let right else { return (predecessor(nil).map { id(key($0)) }, nil) }
            if let known = knownKey(right).flatMap({ find($0) }) {
                return (predecessor(known).map { id(key($0)) }, right)
            }
        }
        return (leftSpot == nil ? nil : left, successor(leftSpot).map { id(key($0)) })
    }

    /// Forgets scalars that were removed in an earlier state of the text.
    ///
    /// What everybody sees stays as it is. Nothing is forgotten if runs written since the mark could not keep their
    /// order; once they are part of a later mark, they can.
    ///
    /// - Parameter mark: the runs of the earlier state.
    /// - Returns: Whether anything was forgotten.
    /// - Complexity: O(n log m) in pieces
    package mutating func forget(_ mark: [UInt8]) throws(EncodingError) -> Bool {
        let older = OlderScalars(pieces: try Self.pieces(of: mark))
        guard let kept = kept(older) else { return false }
        var rebuilt = TextRuns()
        rebuilt.clients = clients
        rebuilt.blocks = [Block(number: 0, pieces: Self.chained(kept), visible: 0)]
        self = try TextRuns(encoded: rebuilt.encoded())
        return true
    }

    /// The pieces that stay, in the order of the text; nil if nothing can be forgotten.
    ///
    /// Newer pieces between two of the chain become siblings, so their ids must ascend. Where they do not, a scalar
    /// that could go stays between them.
    private func kept(_ older: OlderScalars) -> [KeptPiece]? {
        var kept: [KeptPiece] = []
        var forgets = false
        var last: Key?
        var divider: (piece: Piece, index: Int)?
        for piece in blocks.flatMap(\.pieces) {
            for (part, age) in older.parts(of: piece, clients) {
                switch age {
                case .older:
                    kept.append(KeptPiece(piece: part, place: .chain))
                    (last, divider) = (nil, nil)
                case .gone:
                    forgets = true
                    divider = (part, kept.count)
                    divider?.piece.count = 1
                case .newer where older.contain(parent(of: part), clients):
                    if let last, precedes(part.key, last) {
                        guard let divider else { return nil }
                        // Not at the end: left children of this piece stand between the divider and the piece.
                        kept.insert(KeptPiece(piece: divider.piece, place: .chain), at: divider.index)
                    }
                    kept.append(KeptPiece(piece: part, place: .beside))
                    (last, divider) = (part.key, nil)
                case .newer:
                    kept.append(KeptPiece(piece: part, place: .asBefore))
                }
            }
        }
        return forgets ? kept : nil
    }

    private func parent(of piece: Piece) -> Key {
        piece.link == .continuation
            ? Key(client: piece.key.client, counter: piece.key.counter - 1) : piece.parent
    }

    /// The pieces with their new links.
    private static func chained(_ kept: [KeptPiece]) -> [Piece] {
        var followers = [Key?](repeating: nil, count: kept.count)
        var follower: Key?
        for number in kept.indices.reversed() {
            if kept[number].place == .chain { follower = kept[number].piece.key }
            followers[number] = follower
        }
        let end = kept.last { $0.place == .chain }?.piece.last ?? .root
        var previous = Key.root
        var pieces: [Piece] = []
        pieces.reserveCapacity(kept.count)
        for (number, part) in kept.enumerated() {
            var piece = part.piece
            switch part.place {
            case .chain:
                piece.hang(behind: previous)
                previous = piece.last
            case .beside:
                if let follower = followers[number] {
                    (piece.link, piece.parent) = (.left, follower)
                } else {
                    piece.hang(behind: end)
                }
            case .asBefore: break
            }
            pieces.append(piece)
        }
        var continued: Set<Key> = []
        var others: Set<Key> = []
        for piece in pieces {
            switch piece.link {
            case .continuation: continued.insert(Key(client: piece.key.client, counter: piece.key.counter - 1))
            case .right: others.insert(piece.parent)
            case .left: break
            }
        }
        for number in pieces.indices {
            pieces[number].continues = continued.contains(pieces[number].last)
            pieces[number].hasOthers = others.contains(pieces[number].last)
        }
        return pieces
    }

    /// The pieces of encoded runs, with the clients of their keys.
    private static func pieces(of runs: [UInt8]) throws(EncodingError) -> [(piece: Piece, client: ClientID)] {
        let state = try TextRuns(encoded: runs)
        return state.blocks.flatMap(\.pieces).map { ($0, state.clients[Int($0.key.client)]) }
    }
}

/// A piece that stays.
private struct KeptPiece {
    var piece: TextRuns.Piece
    var place: Place

    enum Place {
        /// Older than the mark: a right child of the previous piece of the chain.
        case chain
        /// Newer, with an older parent: before the next piece of the chain.
        case beside
        case asBefore
    }
}

extension TextRuns.Piece {
    /// Makes it the right child of a scalar.
    fileprivate mutating func hang(behind scalar: TextRuns.Key) {
        let isNext = scalar != .root && scalar.advanced(by: 1) == key
        (link, parent) = isNext ? (.continuation, .root) : (.right, scalar)
    }
}

/// The age of a run, compared with the mark.
private enum Age {
    case newer
    case older
    /// Older, and removed: it can go.
    case gone
}

/// The scalars of a mark by their ids.
private struct OlderScalars {
    private struct Run {
        var first: UInt64
        var end: UInt64
        var isRemoved: Bool
    }

    /// Ascending.
    private var runs: [ClientID: [Run]] = [:]

    init(pieces: [(piece: TextRuns.Piece, client: ClientID)]) {
        for (piece, client) in pieces {
            let first = piece.key.counter
            runs[client, default: []].append(
                Run(first: first, end: first + UInt64(piece.count), isRemoved: piece.isRemoved))
        }
        for client in runs.keys { runs[client]?.sort { $0.first < $1.first } }
    }

    /// Whether the mark has a scalar. It always has the root.
    func contain(_ key: TextRuns.Key, _ clients: [ClientID]) -> Bool {
        guard key != .root else { return true }
        let runs = runs[clients[Int(key.client)]] ?? []
        let index = Self.firstRun(of: runs, endingBehind: key.counter)
        return index < runs.count && runs[index].first <= key.counter
    }

    private static func firstRun(of runs: [Run], endingBehind counter: UInt64) -> Int {
        runs.partitioningIndex { $0.end > counter }
    }

    /// Splits a piece into parts of one age each. `continues` and `hasOthers` of the parts are wrong.
    func parts(of piece: TextRuns.Piece, _ clients: [ClientID]) -> [(TextRuns.Piece, Age)] {
        let runs = runs[clients[Int(piece.key.client)]] ?? []
        let end = piece.key.counter + UInt64(piece.count)
        var parts: [(TextRuns.Piece, Age)] = []
        var next = piece.key.counter
        func append(through last: UInt64, _ age: Age) {
            guard last > next else { return }
            var part = piece
            part.key.counter = next
            part.count = Int(last - next)
            if next > piece.key.counter { part.link = .continuation }
            parts.append((part, age))
            next = last
        }
        for run in runs[Self.firstRun(of: runs, endingBehind: next)...] {
            guard run.first < end else { break }
            append(through: run.first, .newer)
            append(through: min(run.end, end), run.isRemoved ? .gone : .older)
        }
        append(through: end, .newer)
        return parts
    }
}
