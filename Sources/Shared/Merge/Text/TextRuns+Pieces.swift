// Pieces in their blocks: cutting, joining, adding. Nothing here depends on the rules of merging.

extension TextRuns {
    /// Makes room for at least four more pieces in a block. The spot is moved along with its scalar.
    mutating func makeRoom(_ spot: inout Spot) {
        guard blocks[spot.block].pieces.count >= Block.piecesMax - 4 else { return }
        let half = blocks[spot.block].pieces.count / 2
        divide(spot.block, at: half)
        if spot.piece >= half {
            spot.block += 1
            spot.piece -= half
        }
    }

    private mutating func divide(_ block: Int, at piece: Int) {
        let moved = Array(blocks[block].pieces[piece...])
        blocks[block].pieces.removeLast(moved.count)
        let visible = moved.reduce(0) { $0 + $1.visible }
        blocks[block].visible -= visible
        let number = Int32(places.count)
        blocks.insert(Block(number: number, pieces: moved, visible: visible), at: block + 1)
        places.append(0)
        for place in (block + 1)..<blocks.count { places[Int(blocks[place].number)] = Int32(place) }
        if index != nil {
            for piece in moved { index?.set(piece.key.client, piece.key.counter, block: number) }
        }
        guard let cursor, cursor.block >= block else { return }
        if cursor.block > block {
            self.cursor?.block += 1
        } else if cursor.piece >= piece {
            self.cursor?.block += 1
            self.cursor?.piece -= piece
        }
    }

    /// Inserts a piece into a block that has room, and updates the counts.
    mutating func insert(_ piece: Piece, _ block: Int, _ place: Int) {
        if blocks.isEmpty {
            blocks.append(Block(number: 0, pieces: [], visible: 0))
            places = [0]
        }
        blocks[block].pieces.insert(piece, at: place)
        blocks[block].visible += piece.visible
        index?.insert(
            PieceIndex.Entry(client: piece.key.client, block: blocks[block].number, counter: piece.key.counter))
        if let cursor, cursor.block == block, cursor.piece >= place { self.cursor = nil }
    }

    /// Cuts a piece so that a scalar within it begins another one. The block has room.
    mutating func cut(_ block: Int, _ place: Int, at offset: Int) {
        let piece = self[block, place]
        guard offset > 0, offset < piece.count else { return }
        blocks[block].pieces[place].count = offset
        blocks[block].pieces[place].continues = true
        blocks[block].pieces[place].hasOthers = false
        var rest = piece
        rest.key = piece.key.advanced(by: offset)
        rest.count = piece.count - offset
        rest.link = .continuation
        blocks[block].pieces.insert(rest, at: place + 1)
        index?.insert(PieceIndex.Entry(client: rest.key.client, block: blocks[block].number, counter: rest.key.counter))
        if let cursor, cursor.block == block, cursor.piece > place { self.cursor?.piece += 1 }
    }

    /// Joins a removed piece with the one behind it, if that is removed and continues the run.
    mutating func joinRemoved(_ block: Int, _ place: Int) {
        guard place >= 0, place + 1 < blocks[block].pieces.count else { return }
        let (piece, next) = (self[block, place], self[block, place + 1])
        guard piece.isRemoved, next.isRemoved, piece.isContinued(by: next) else { return }
        blocks[block].pieces[place].count += next.count
        blocks[block].pieces[place].continues = next.continues
        blocks[block].pieces[place].hasOthers = next.hasOthers
        blocks[block].pieces.remove(at: place + 1)
        index?.remove(next.key.client, next.key.counter)
        if let cursor, cursor.block == block, cursor.piece > place { self.cursor = nil }
    }

    /// Removes scalars of one piece that is not removed, and returns where they stood in the text.
    mutating func remove(_ spot: Spot, count removed: Int) -> Range<Int> {
        var spot = spot
        makeRoom(&spot)
        let (block, place) = (spot.block, spot.piece)
        let piece = self[block, place]
        let start = start(block, place)
        let gone = start + spot.offset..<start + spot.offset + removed
        count -= removed
        blocks[block].visible -= removed
        cursor = Cursor(block: block, piece: place, start: start)

        let isHead = spot.offset == 0
        let isTail = spot.offset + removed == piece.count
        if isTail, !isHead, place + 1 < blocks[block].pieces.count, self[block, place + 1].isRemoved,
            piece.isContinued(by: self[block, place + 1])
        {
            // Deleting backwards: the removed piece behind grows to the front.
            let next = self[block, place + 1].key
            blocks[block].pieces[place].count -= removed
            blocks[block].pieces[place + 1].key.counter -= UInt64(removed)
            blocks[block].pieces[place + 1].count += removed
            index?.move(next.client, next.counter, to: next.counter - UInt64(removed))
            return gone
        }
        if isHead, !isTail, place > 0, self[block, place - 1].isRemoved, self[block, place - 1].isContinued(by: piece) {
            // Deleting forwards: the removed piece before grows to the back.
            blocks[block].pieces[place - 1].count += removed
            blocks[block].pieces[place].key.counter += UInt64(removed)
            blocks[block].pieces[place].count -= removed
            index?.move(piece.key.client, piece.key.counter, to: piece.key.counter + UInt64(removed))
            return gone
        }
        divideRemoved(spot, piece, removed: removed)
        return gone
    }

    /// Gives the removed scalars a piece of their own.
    private mutating func divideRemoved(_ spot: Spot, _ piece: Piece, removed: Int) {
        let (block, place) = (spot.block, spot.piece)
        var parts: [Piece] = []
        if spot.offset > 0 {
            var before = piece
            before.count = spot.offset
            before.continues = true
            before.hasOthers = false
            parts.append(before)
        }
        var gone = piece
        gone.key = piece.key.advanced(by: spot.offset)
        gone.count = removed
        gone.isRemoved = true
        if spot.offset > 0 { gone.link = .continuation }
        let rest = piece.count - spot.offset - removed
        if rest > 0 {
            gone.continues = true
            gone.hasOthers = false
        }
        parts.append(gone)
        if rest > 0 {
            var after = piece
            after.key = piece.key.advanced(by: spot.offset + removed)
            after.count = rest
            after.link = .continuation
            parts.append(after)
        }
        blocks[block].pieces.replaceSubrange(place...place, with: parts)
        for part in parts where part.key != piece.key {
            index?.insert(
                PieceIndex.Entry(client: part.key.client, block: blocks[block].number, counter: part.key.counter))
        }
        let middle = spot.offset > 0 ? place + 1 : place
        joinRemoved(block, middle)
        joinRemoved(block, middle - 1)
    }
}
