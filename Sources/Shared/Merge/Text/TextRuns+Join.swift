package import CausewayModel
package import CausewayOperations

extension TextRuns {
    /// Joins an operation, and returns the edits that do the same to the text.
    package mutating func join(_ operation: TextOperation) -> [TextEdit] {
        switch operation {
        case .insert(let id, let left, let right, let text):
            return join(text.scalarCount, id, left: left, right: right).map { [.insert(text, at: $0)] } ?? []
        case .delete(let first, let count):
            var edits: [TextEdit] = []
            join(deleted: first, count) { edits.append(.remove($0)) }
            return edits
        }
    }

    /// Joins an insertion by the rules T1 to T9 and U1 to U5, and returns where the scalars stand in the text; nil
    /// without an effect.
    ///
    /// - Complexity: O(n / 128) in pieces if nothing concurrent stands at the place; otherwise also by the depth of
    ///   what does
    package mutating func join(_ count: Int, _ id: ElementID, left: ElementID?, right: ElementID?) -> Int? {
        guard count > 0, !id.counter.addingReportingOverflow(UInt64(count)).overflow else { return nil }
        let key = key(id)
        guard !knowsAny(of: key, count) else { return nil }
        // An unknown left origin counts as none (U2).
        let leftSpot = left.flatMap { knownKey($0) }.flatMap { find($0) }
        return add(key, count, left: leftSpot, right: right.map { knownKey($0) ?? .root })
    }

    mutating func knowsAny(of key: Key, _ count: Int) -> Bool {
        makeIndex()
        guard let entry = index?.last(key.client, through: key.counter + UInt64(count - 1)) else { return false }
        if entry.counter >= key.counter { return true }
        return find(key) != nil
    }

    /// Joins a deletion by the same rules.
    ///
    /// - Parameter removed: gets the scalars that leave the text, one range after another, each as the text is then.
    package mutating func join(
        deleted first: ElementID, _ count: Int, _ removed: (Range<Int>) -> Void
    ) {
        guard count > 0, let key = knownKey(first),
            case let (end, overflow) = key.counter.addingReportingOverflow(UInt64(count)), !overflow
        else { return }
        var next = key
        while next.counter < end {
            guard let spot = find(next) else {
                // Unknown scalars are skipped (U1).
                makeIndex()
                guard let entry = index?.first(key.client, after: next.counter) else { break }
                next.counter = entry.counter
                continue
            }
            let piece = self[spot.block, spot.piece]
            let part = min(piece.count - spot.offset, Int(end - next.counter))
            if !piece.isRemoved { removed(remove(spot, count: part)) }
            next.counter += UInt64(part)
        }
    }
}

// MARK: - The tree

extension TextRuns {
    /// Puts a run where the tree has it: its first scalar by the origins, the others each behind the one before.
    ///
    /// - Returns: the visible scalars before it.
    mutating func add(_ key: Key, _ count: Int, left: Spot?, right: Key?) -> Int {
        guard var spot = left else {
            if blocks.isEmpty {
                insert(Piece(key: key, count: count, isRemoved: false, link: .right, parent: .root), 0, 0)
                return finishAdding(count, 0, 0, 0)
            }
            return addAtRoot(key, count, right)
        }
        makeRoom(&spot)
        let piece = self[spot.block, spot.piece]
        let parent = piece.key.advanced(by: spot.offset)
        let isNext = key.client == parent.client && key.counter == parent.counter + 1
        if spot.offset == piece.count - 1, !piece.hasRightChildren {
            if isNext, !piece.isRemoved { return extend(spot, count) }
            if isNext {
                blocks[spot.block].pieces[spot.piece].continues = true
            } else {
                blocks[spot.block].pieces[spot.piece].hasOthers = true
                note(key, below: parent, isLeft: false)
            }
            return put(key, count, link: isNext ? .continuation : .right, parent, spot.block, spot.piece + 1)
        }
        if let right, let next = successor(spot), self.key(next) == right {
            // Nothing stands between the two. The scalar behind one with right children descends from one of these.
            cut(spot.block, spot.piece, at: spot.offset + 1)
            note(key, below: right, isLeft: true)
            return put(key, count, link: .left, right, spot.block, spot.piece + 1)
        }
        return addBesideOthers(key, count, left: parent, right: right)
    }

    private mutating func addAtRoot(_ key: Key, _ count: Int, _ right: Key?) -> Int {
        var first = Spot(block: 0, piece: 0, offset: 0)
        guard let right, self.key(first) == right else {
            return addBesideOthers(key, count, left: .root, right: right)
        }
        makeRoom(&first)
        note(key, below: right, isLeft: true)
        return put(key, count, link: .left, right, 0, 0)
    }

    /// The writer types on: the piece grows.
    private mutating func extend(_ spot: Spot, _ added: Int) -> Int {
        let start = start(spot.block, spot.piece)
        let before = self[spot.block, spot.piece].count
        blocks[spot.block].pieces[spot.piece].count += added
        blocks[spot.block].visible += added
        _ = finishAdding(added, spot.block, spot.piece, start)
        return start + before
    }

    private mutating func put(
        _ key: Key, _ count: Int, link: Link, _ parent: Key, _ block: Int, _ place: Int
    ) -> Int {
        let start = start(block, place)
        insert(Piece(key: key, count: count, isRemoved: false, link: link, parent: parent), block, place)
        return finishAdding(count, block, place, start)
    }

    private mutating func finishAdding(_ added: Int, _ block: Int, _ place: Int, _ start: Int) -> Int {
        count += added
        cursor = Cursor(block: block, piece: place, start: start)
        return start
    }
}

// MARK: - Beside concurrent runs

extension TextRuns {
    /// Adds a run by the full tree rule, at a place where the writer had not seen everything that is there now.
    ///
    /// - Parameter right: nil for none; the root for an origin of a writer who never wrote here.
    private mutating func addBesideOthers(_ key: Key, _ count: Int, left: Key, right: Key?) -> Int {
        makeChildren()
        if let right = right.flatMap({ known($0, behind: left) }), descends(right, from: left) {
            let beside = children?[right]?.left.neighbours(of: key, where: precedes)
            note(key, below: right, isLeft: true)
            let (block, place) =
                if let next = beside?.next { boundary(beside?.previous, next) } else { boundary(before: right) }
            return put(key, count, link: .left, right, block, place)
        }
        let (previous, next) = rightNeighbours(of: key, below: left)
        let place = boundary(previous, next)
        let start = put(key, count, link: .right, left, place.block, place.piece)
        if left == .root { note(key, below: left, isLeft: false) } else { hang(key, below: left) }
        return start
    }

    /// The right origin; if it is unknown, what follows the left one (U3).
    private mutating func known(_ right: Key, behind left: Key) -> Key? {
        if right != .root, find(right) != nil { return right }
        return successor(left == .root ? nil : find(left)).map { key($0) }
    }

    /// Notes a right child at its parent, which becomes the last scalar of its piece.
    private mutating func hang(_ key: Key, below parent: Key) {
        guard var spot = find(parent) else { return }
        makeRoom(&spot)
        if spot.offset + 1 < self[spot.block, spot.piece].count {
            cut(spot.block, spot.piece, at: spot.offset + 1)
        }
        if key.client == parent.client, key.counter == parent.counter + 1 {
            blocks[spot.block].pieces[spot.piece].continues = true
            guard let added = find(key) else { return }
            blocks[added.block].pieces[added.piece].link = .continuation
        } else {
            blocks[spot.block].pieces[spot.piece].hasOthers = true
            note(key, below: parent, isLeft: false)
        }
    }

    /// Whether `right` is a right child of `left`, or a left child of a left child … of one.
    private mutating func descends(_ right: Key, from left: Key) -> Bool {
        var climbing = right
        // A tree has no cycles; the bound holds even for bytes from outside that have one.
        for _ in 0...piecesMax {
            guard let spot = find(climbing) else { return false }
            let piece = self[spot.block, spot.piece]
            if spot.offset > 0 || piece.link == .continuation {
                return left.client == climbing.client && left.counter + 1 == climbing.counter
            }
            if piece.link == .right { return piece.parent == left }
            climbing = piece.parent
        }
        return false
    }

    /// The right children of `parent` between which a scalar belongs.
    private mutating func rightNeighbours(of key: Key, below parent: Key) -> (previous: Key?, next: Key?) {
        var (previous, next) = children?[parent]?.right.neighbours(of: key, where: precedes) ?? (nil, nil)
        guard let continuation = continuation(of: parent) else { return (previous, next) }
        if precedes(key, continuation) {
            if next.map({ precedes(continuation, $0) }) ?? true { next = continuation }
        } else if previous.map({ precedes($0, continuation) }) ?? true {
            previous = continuation
        }
        return (previous, next)
    }

    private mutating func lastRight(of parent: Key) -> Key? {
        let last = children?[parent]?.right.last
        guard let continuation = continuation(of: parent) else { return last }
        guard let last, precedes(continuation, last) else { return continuation }
        return last
    }

    /// The right child that the same writer typed next, which no list of children holds.
    private mutating func continuation(of parent: Key) -> Key? {
        guard parent != .root, let spot = find(parent) else { return nil }
        let piece = self[spot.block, spot.piece]
        return spot.offset + 1 < piece.count || piece.continues ? parent.advanced(by: 1) : nil
    }

    /// The place between the descendants of a child and those of the next one, found from whichever side is shorter.
    /// The run put there has no descendants, so nobody can cause the same long walk twice.
    private mutating func boundary(_ previous: Key?, _ next: Key?) -> (block: Int, piece: Int) {
        var (left, right) = (previous, next)
        // A tree has no cycles; the bound holds even for bytes from outside that have one.
        for _ in 0...piecesMax {
            if let key = left {
                // Only the last scalar of a piece has right children outside the piece.
                let end = find(key).map { self[$0.block, $0.piece].last } ?? key
                guard let child = lastRight(of: end) else { return boundary(after: end) }
                left = child
            }
            if let key = right {
                guard let child = children?[key]?.left.first else { return boundary(before: key) }
                right = child
            }
        }
        guard let key = left ?? right else {
            preconditionFailure("Nothing stands beside a run, yet its place is taken.")
        }
        return left == nil ? boundary(before: key) : boundary(after: key)
    }

    private mutating func boundary(before key: Key) -> (block: Int, piece: Int) {
        guard var spot = find(key) else { preconditionFailure("A scalar of a text is nowhere in it.") }
        makeRoom(&spot)
        guard spot.offset > 0 else { return (spot.block, spot.piece) }
        cut(spot.block, spot.piece, at: spot.offset)
        return (spot.block, spot.piece + 1)
    }

    private mutating func boundary(after key: Key) -> (block: Int, piece: Int) {
        guard var spot = find(key) else { preconditionFailure("A scalar of a text is nowhere in it.") }
        makeRoom(&spot)
        cut(spot.block, spot.piece, at: spot.offset + 1)
        return (spot.block, spot.piece + 1)
    }

    private mutating func makeChildren() {
        guard children == nil else { return }
        children = [:]
        for block in blocks {
            for piece in block.pieces where piece.link != .continuation {
                note(piece.key, below: piece.parent, isLeft: piece.link == .left)
            }
        }
    }

    private mutating func note(_ key: Key, below parent: Key, isLeft: Bool) {
        guard children != nil else { return }
        let (clients, none) = (clients, Children())
        func precedes(_ left: Key, _ right: Key) -> Bool { Self.precedes(left, right, clients) }
        if isLeft {
            children?[parent, default: none].left.insert(key, where: precedes)
        } else {
            children?[parent, default: none].right.insert(key, where: precedes)
        }
    }
}
