import CausewayModel
package import CausewayOperations

extension TextState {
    /// Joins one operation by the rules T1 to T9 and U1 to U5.
    ///
    /// - Complexity: O(log n) for a run in pieces of n, where nothing concurrent stands at its place; otherwise by the
    ///   depth of what does
    @discardableResult
    package mutating func join(_ operation: TextOperation) -> Outcome {
        switch operation {
        case .insert(let id, let left, let right, var text):
            text.withUTF8 { utf8 in
                join(id, left, right, utf8)
            }
        case .delete(let first, let count):
            join(deleted: first, count)
        }
    }

    private mutating func join(
        _ id: ElementID, _ left: ElementID?, _ right: ElementID?, _ utf8: UnsafeBufferPointer<UInt8>
    ) -> Outcome {
        let count = utf8.scalarCount
        guard count > 0, !id.counter.addingReportingOverflow(UInt64(count)).overflow else { return .noEffect }
        let key = key(id)
        guard !knowsAny(of: key, count) else { return .noEffect }
        // A left origin that is not known counts as none (U2).
        let leftSpot = left.flatMap { knownKey($0) }.flatMap { find($0) }
        add(key, count, utf8, left: leftSpot, right: right.map { knownKey($0) ?? .root })
        return .applied
    }

    private mutating func knowsAny(of key: Key, _ count: Int) -> Bool {
        makeIndex()
        guard let entry = index?.last(key.client, through: key.counter + UInt64(count - 1)) else { return false }
        if entry.counter >= key.counter { return true }
        return find(key) != nil
    }

    private mutating func join(deleted first: ElementID, _ count: Int) -> Outcome {
        guard count > 0, let key = knownKey(first),
            case let (end, overflow) = key.counter.addingReportingOverflow(UInt64(count)), !overflow
        else { return .noEffect }
        var outcome = Outcome.noEffect
        var next = key
        while next.counter < end {
            guard let spot = find(next) else {
                // Scalars that are not known are passed over (U1).
                makeIndex()
                guard let entry = index?.first(key.client, after: next.counter) else { break }
                next.counter = entry.counter
                continue
            }
            let piece = self[spot.block, spot.piece]
            let part = min(piece.count - spot.offset, Int(end - next.counter))
            if !piece.isRemoved {
                remove(spot, count: part)
                outcome = .applied
            }
            next.counter += UInt64(part)
        }
        return outcome
    }
}

// MARK: - The tree

extension TextState {
    /// Puts a run where the tree has it: its first scalar by the origins, the others each behind the one before.
    mutating func add(_ key: Key, _ count: Int, _ utf8: UnsafeBufferPointer<UInt8>, left: Spot?, right: Key?) {
        guard var spot = left else {
            if blocks.isEmpty {
                insert(
                    Piece(key: key, count: count, bytes: utf8.count, isRemoved: false, link: .right, parent: .root), 0,
                    0)
                return finishAdding(utf8, count, 0, 0, Start())
            }
            return addAtRoot(key, count, utf8, right)
        }
        makeRoom(&spot)
        let piece = self[spot.block, spot.piece]
        let parent = piece.key.advanced(by: spot.offset)
        let isNext = key.client == parent.client && key.counter == parent.counter + 1
        if spot.offset == piece.count - 1, !piece.hasRightChildren {
            if isNext, !piece.isRemoved { return extend(spot, utf8, count) }
            if isNext {
                blocks[spot.block].pieces[spot.piece].continues = true
            } else {
                blocks[spot.block].pieces[spot.piece].hasOthers = true
                note(key, below: parent, isLeft: false)
            }
            return put(key, count, utf8, link: isNext ? .continuation : .right, parent, spot.block, spot.piece + 1)
        }
        if let right, let next = successor(spot), self.key(next) == right {
            // Nothing has come between the two, and what stands behind a scalar with right children descends from one.
            cut(spot.block, spot.piece, at: spot.offset + 1)
            note(key, below: right, isLeft: true)
            return put(key, count, utf8, link: .left, right, spot.block, spot.piece + 1)
        }
        addBesideOthers(key, count, utf8, left: parent, right: right)
    }

    private mutating func addAtRoot(_ key: Key, _ count: Int, _ utf8: UnsafeBufferPointer<UInt8>, _ right: Key?) {
        var first = Spot(block: 0, piece: 0, offset: 0)
        guard let right, self.key(first) == right else {
            return addBesideOthers(key, count, utf8, left: .root, right: right)
        }
        makeRoom(&first)
        note(key, below: right, isLeft: true)
        put(key, count, utf8, link: .left, right, 0, 0)
    }

    /// Typing on: the piece grows.
    private mutating func extend(_ spot: Spot, _ utf8: UnsafeBufferPointer<UInt8>, _ added: Int) {
        let start = start(spot.block, spot.piece)
        let bytes = self[spot.block, spot.piece].bytes
        buffer.insert(utf8, at: start.bytes + bytes)
        blocks[spot.block].pieces[spot.piece].count += added
        blocks[spot.block].pieces[spot.piece].bytes = bytes + utf8.count
        blocks[spot.block].visible += added
        blocks[spot.block].bytes += utf8.count
        count += added
        cursor = Cursor(block: spot.block, piece: spot.piece, start: start)
    }

    private mutating func put(
        _ key: Key, _ count: Int, _ utf8: UnsafeBufferPointer<UInt8>, link: Link, _ parent: Key, _ block: Int,
        _ place: Int
    ) {
        let start = start(block, place)
        insert(
            Piece(key: key, count: count, bytes: utf8.count, isRemoved: false, link: link, parent: parent), block, place
        )
        finishAdding(utf8, count, block, place, start)
    }

    private mutating func finishAdding(
        _ utf8: UnsafeBufferPointer<UInt8>, _ added: Int, _ block: Int, _ place: Int, _ start: Start
    ) {
        buffer.insert(utf8, at: start.bytes)
        count += added
        cursor = Cursor(block: block, piece: place, start: start)
    }
}

// MARK: - Beside concurrent runs

extension TextState {
    /// The rule as it stands, for a place where the writer had not seen everything that is there now.
    ///
    /// - Parameter right: nil for none; an origin of a writer who never wrote here is the root.
    private mutating func addBesideOthers(
        _ key: Key, _ count: Int, _ utf8: UnsafeBufferPointer<UInt8>, left: Key, right: Key?
    ) {
        makeChildren()
        if let right = right.flatMap({ known($0, behind: left) }), descends(right, from: left) {
            let next = children?[right]?.left.first { precedes(key, $0) }
            note(key, below: right, isLeft: true)
            let (block, place) = boundary(before: next.map { leftmost($0) } ?? right)
            return put(key, count, utf8, link: .left, right, block, place)
        }
        let siblings = rightChildren(of: left)
        let place: (block: Int, piece: Int)
        if let next = siblings.first(where: { precedes(key, $0) }) {
            place = boundary(before: leftmost(next))
        } else if let previous = siblings.last {
            place = boundary(after: rightmost(previous))
        } else {
            preconditionFailure("Nothing stands beside a run, yet its place is taken.")
        }
        put(key, count, utf8, link: .right, left, place.block, place.piece)
        guard left != .root else { return note(key, below: left, isLeft: false) }
        hang(key, below: left)
    }

    /// For a right origin that is not known stands what follows the left one (U3).
    private mutating func known(_ right: Key, behind left: Key) -> Key? {
        if right != .root, find(right) != nil { return right }
        return successor(left == .root ? nil : find(left)).map { key($0) }
    }

    /// Makes a right child known to its parent, which ends its piece from now on.
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
        // A tree has no circles; bytes from outside that had one would still end here.
        for _ in 0...pieceCount {
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

    /// Ascending by id.
    private mutating func rightChildren(of parent: Key) -> [Key] {
        var found = children?[parent]?.right ?? []
        guard parent != .root, let spot = find(parent) else { return found }
        let piece = self[spot.block, spot.piece]
        guard spot.offset + 1 < piece.count || piece.continues else { return found }
        let next = parent.advanced(by: 1)
        found.insert(next, at: found.firstIndex { precedes(next, $0) } ?? found.count)
        return found
    }

    /// The first in the order among a scalar and all that descend from it.
    private func leftmost(_ key: Key) -> Key {
        var outermost = key
        for _ in 0...pieceCount {
            guard let child = children?[outermost]?.left.first else { break }
            outermost = child
        }
        return outermost
    }

    /// The last in the order among a scalar and all that descend from it.
    private mutating func rightmost(_ key: Key) -> Key {
        var outermost = key
        for _ in 0...pieceCount {
            guard let spot = find(outermost) else { break }
            // Within a piece nobody else has right children.
            outermost = self[spot.block, spot.piece].last
            guard let child = rightChildren(of: outermost).last else { break }
            outermost = child
        }
        return outermost
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
        var known = children?[parent] ?? Children()
        if isLeft {
            known.left.insert(key, at: known.left.firstIndex { precedes(key, $0) } ?? known.left.count)
        } else {
            known.right.insert(key, at: known.right.firstIndex { precedes(key, $0) } ?? known.right.count)
        }
        children?[parent] = known
    }
}
