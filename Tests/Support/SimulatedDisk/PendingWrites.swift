/// What was done to a file since its last sync, in pieces of a page at most: each sector of each piece may have
/// reached the disk or not.
struct PendingWrites {
    static let sectorBytes = 512
    static let sectorsPerPiece = DiskMemory.pageBytes / sectorBytes

    struct Piece {
        var offset: Int
        var count: Int
        /// Where in the log its bytes are.
        var start: Int
        /// How many changes of length were made before it.
        var resizesBefore: Int
    }

    private(set) var pieces: [Piece] = []
    /// New lengths, in order.
    private(set) var resizes: [Int] = []

    var isEmpty: Bool { pieces.isEmpty && resizes.isEmpty }

    mutating func addWrite(offset: Int, count: Int, start: Int) {
        var done = 0
        while done < count {
            let place = offset + done
            let inPage = min(count - done, DiskMemory.pageBytes - place % DiskMemory.pageBytes)
            pieces.append(
                Piece(offset: place, count: inPage, start: start + done, resizesBefore: resizes.count))
            done += inPage
        }
    }

    mutating func addResize(to size: Int) {
        resizes.append(size)
    }

    mutating func removeAll() {
        pieces.removeAll(keepingCapacity: true)
        resizes.removeAll(keepingCapacity: true)
    }

    /// Applies what an outcome kept, in order: of several writes to one sector the latest kept one is there.
    func apply(_ outcome: CrashOutcome, bytes: [UInt8], to memory: DiskMemory) {
        var resized = 0
        func resize(upTo count: Int) {
            while resized < min(count, outcome.keptResizes) {
                memory.resize(to: resizes[resized])
                resized += 1
            }
        }
        bytes.withUnsafeBytes { bytes in
            for (index, piece) in pieces.enumerated() where outcome.sectors[index] != 0 {
                resize(upTo: piece.resizesBefore)
                piece.write(outcome.sectors[index], of: bytes, to: memory)
            }
        }
        resize(upTo: resizes.count)
    }

    /// Applies the pieces at the beginning of the file, and keeps the rest.
    mutating func applyFirst(_ limit: Int, bytes: [UInt8], to memory: DiskMemory) {
        for size in resizes { memory.resize(to: size) }
        resizes.removeAll()
        bytes.withUnsafeBytes { bytes in
            for piece in pieces where piece.offset < limit { piece.write(0xFF, of: bytes, to: memory) }
        }
        pieces.removeAll { $0.offset < limit }
        for index in pieces.indices { pieces[index].resizesBefore = 0 }
    }
}

extension PendingWrites.Piece {
    /// Puts the sectors of a mask in place.
    fileprivate func write(_ sectors: UInt8, of bytes: UnsafeRawBufferPointer, to memory: DiskMemory) {
        // A piece is not empty, so neither is the log.
        let source = bytes.baseAddress! + start
        if sectors == 0xFF {
            memory.write(source, count: count, at: offset)
            return
        }
        var done = 0
        while done < count {
            let place = offset + done
            let inSector = min(count - done, PendingWrites.sectorBytes - place % PendingWrites.sectorBytes)
            let sector = place / PendingWrites.sectorBytes % PendingWrites.sectorsPerPiece
            if sectors >> sector & 1 == 1 { memory.write(source + done, count: inSector, at: place) }
            done += inSector
        }
    }
}
