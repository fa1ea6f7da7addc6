import CausewayModel
package import CausewayOperations

// The byte table is in Operations/ENCODING.md, "State of a text". Equal states have equal bytes: pieces are written as
// long as they can be, in the order of the text.

extension TextRuns: EncodedState {
    /// Their order is not checked against the tree: see ``isOrderOfTree``.
    package init(from reader: inout ByteReader) throws(EncodingError) {
        try read(&reader)
    }
}

extension TextRuns {
    private enum Form {
        static let continuation: Int64 = 0
        static let atRoot: Int64 = 1
        static let right: Int64 = 2
        static let left: Int64 = 3
    }

    /// The pieces, each as long as it can be.
    private var longestPieces: [Piece] {
        var pieces: [Piece] = []
        pieces.reserveCapacity(pieceCount)
        for block in blocks {
            for piece in block.pieces {
                guard let last = pieces.last, last.isRemoved == piece.isRemoved, last.isContinued(by: piece) else {
                    pieces.append(piece)
                    continue
                }
                pieces[pieces.count - 1].count += piece.count
                pieces[pieces.count - 1].continues = piece.continues
                pieces[pieces.count - 1].hasOthers = piece.hasOthers
            }
        }
        return pieces
    }

    package func write(to writer: inout ByteWriter) {
        let pieces = longestPieces
        writer.write(varint: UInt64(pieces.count))
        if pieces.isEmpty { return }
        // Clients are numbered in the order of the pieces, so equal states have equal numbers.
        var numbers = [Int64](repeating: -1, count: clients.count)
        var named: [ClientID] = []
        func number(_ client: Int32) -> Int64 {
            if numbers[Int(client)] < 0 {
                numbers[Int(client)] = Int64(named.count)
                named.append(clients[Int(client)])
            }
            return numbers[Int(client)]
        }
        let owners = pieces.map { number($0.key.client) }
        let hung = pieces.filter { $0.link != .continuation && $0.parent != .root }
        let parents = hung.map { number($0.parent.client) }
        writer.write(clients: named)
        writer.write(integers: owners)
        writer.write(integers: pieces.map { Int64(bitPattern: $0.key.counter) })
        writer.write(integers: pieces.map { Int64($0.count) })
        writer.write(bits: pieces.map(\.isRemoved))
        writer.write(bits: pieces.map(\.continues))
        writer.write(bits: pieces.map(\.hasOthers))
        writer.write(
            integers: pieces.map { piece in
                switch piece.link {
                case .continuation: Form.continuation
                case .right: piece.parent == .root ? Form.atRoot : Form.right
                case .left: Form.left
                }
            })
        writer.write(integers: parents)
        writer.write(integers: hung.map { Int64(bitPattern: $0.key.counter &- $0.parent.counter) })
    }

    /// - Complexity: O(n), in memory too: ids differ, so each piece takes at least one byte of input.
    private mutating func read(_ reader: inout ByteReader) throws(EncodingError) {
        let total = try reader.readCount(minimumBytesEach: 1)
        if total == 0 { return }
        clients = try reader.readClients()
        guard Set(clients).count == clients.count else { throw reader.malformed("a text lists a client twice") }
        let owners = try reader.readIntegers(count: total)
        let counters = try reader.readIntegers(count: total)
        let counts = try reader.readIntegers(count: total)
        let areRemoved = try reader.readBits(count: total)
        let continue_ = try reader.readBits(count: total)
        let haveOthers = try reader.readBits(count: total)
        let forms = try reader.readIntegers(count: total)
        let hungCount = forms.count { $0 == Form.right || $0 == Form.left }
        var parents = try reader.readIntegers(count: hungCount).makeIterator()
        var distances = try reader.readIntegers(count: hungCount).makeIterator()
        var pieces: [Piece] = []
        pieces.reserveCapacity(total)
        for number in 0..<total {
            let key = Key(client: try client(owners[number], reader), counter: UInt64(bitPattern: counters[number]))
            guard counts[number] > 0, counts[number] <= Int64(Int32.max),
                !key.counter.addingReportingOverflow(UInt64(counts[number])).overflow
            else { throw reader.malformed("a run of a text has no length") }
            var piece = Piece(
                key: key, count: Int(counts[number]), isRemoved: areRemoved[number], link: .right,
                parent: .root, continues: continue_[number], hasOthers: haveOthers[number])
            switch forms[number] {
            case Form.continuation: piece.link = .continuation
            case Form.atRoot: break
            case Form.right, Form.left:
                piece.link = forms[number] == Form.left ? .left : .right
                piece.parent = Key(
                    client: try client(parents.next() ?? -1, reader),
                    counter: key.counter &- UInt64(bitPattern: distances.next() ?? 0))
            default: throw reader.malformed("a run of a text hangs in no known form")
            }
            pieces.append(piece)
        }
        take(pieces)
    }

    private func client(_ number: Int64, _ reader: ByteReader) throws(EncodingError) -> Int32 {
        guard number >= 0, number < Int64(clients.count) else {
            throw reader.malformed("a text names a client that it does not list")
        }
        return Int32(number)
    }

    private mutating func take(_ pieces: [Piece]) {
        let size = Block.piecesMax / 2
        for start in stride(from: 0, to: pieces.count, by: size) {
            let part = Array(pieces[start..<min(start + size, pieces.count)])
            let visible = part.reduce(0) { $0 + $1.visible }
            places.append(Int32(blocks.count))
            blocks.append(Block(number: Int32(blocks.count), pieces: part, visible: visible))
            count += visible
        }
    }
}
