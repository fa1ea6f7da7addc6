/// What became of the writes that no sync covered when the power failed.
///
/// Disks write sectors whole and in any order, so each sector of each piece is kept or lost on its own. Changes of a
/// file's length go through the file system's journal: they are kept in order.
struct CrashOutcome {
    /// For each piece a bit for each sector of its page.
    var sectors: [UInt8]
    /// So many of the changes of length, from the first.
    var keptResizes: Int

    static func everything(of pending: PendingWrites) -> CrashOutcome {
        CrashOutcome(
            sectors: Array(repeating: 0xFF, count: pending.pieces.count), keptResizes: pending.resizes.count)
    }
}

// MARK: - Every outcome

extension CrashOutcome {
    private static let masks = 254

    /// How many outcomes are looked at when all are: every subset of the pieces with every length, and every way of
    /// tearing one piece while the others are kept. Nil when that is too many.
    static func enumeratedCount(of pending: PendingWrites, limit: Int) -> Int? {
        let pieces = pending.pieces.count
        guard pieces < 20 else { return nil }
        let count = (pending.resizes.count + 1) << pieces + pieces * masks
        return count <= limit ? count : nil
    }

    static func enumerated(_ index: Int, of pending: PendingWrites) -> CrashOutcome {
        let pieces = pending.pieces.count
        var outcome = everything(of: pending)
        let subsets = (pending.resizes.count + 1) << pieces
        if index < subsets {
            for piece in 0..<pieces where index >> piece & 1 == 0 { outcome.sectors[piece] = 0 }
            outcome.keptResizes = index >> pieces
        } else {
            let torn = index - subsets
            outcome.sectors[torn / masks] = UInt8(torn % masks + 1)
        }
        return outcome
    }
}

// MARK: - Some outcomes

extension CrashOutcome {
    /// An outcome by chance. Independent coins alone would hardly ever lose just one sector of many, or keep a header
    /// without its pages, so there are several ways to toss them.
    static func sampled(_ random: inout SeededRandom, of pending: PendingWrites) -> CrashOutcome {
        var outcome = everything(of: pending)
        let pieces = pending.pieces.count
        if random.happens(1, in: 2) { outcome.keptResizes = random.number(below: pending.resizes.count + 1) }
        guard pieces > 0 else { return outcome }
        switch random.number(below: 10) {
        case 0: outcome.keepPieces(&random, chance: 1, in: 2)
        case 1: outcome.keepPieces(&random, chance: 7, in: 8)
        case 2: outcome.keepPieces(&random, chance: 1, in: 8)
        case 3: outcome.sectors[random.number(below: pieces)] = 0
        case 4: outcome.sectors[random.number(below: pieces)] &= ~(1 << UInt8(random.number(below: 8)))
        case 5: outcome.keepFirst(random.number(below: pieces + 1), &random)
        case 6: outcome.keepSectors { random.next() }
        case 7: outcome.keepSectors { random.next() | random.next() | random.next() | random.next() }
        case 8: outcome.keepHeaders(of: pending, &random)
        default: outcome.keepLast(random.number(below: pieces + 1), &random)
        }
        return outcome
    }

    private mutating func keepPieces(_ random: inout SeededRandom, chance: Int, in many: Int) {
        for piece in sectors.indices where !random.happens(chance, in: many) { sectors[piece] = 0 }
    }

    private mutating func keepSectors(_ bits: () -> UInt64) {
        for piece in sectors.indices { sectors[piece] = UInt8(truncatingIfNeeded: bits()) }
    }

    /// In order, with a torn piece at the end.
    private mutating func keepFirst(_ count: Int, _ random: inout SeededRandom) {
        for piece in count..<sectors.count { sectors[piece] = 0 }
        if count < sectors.count { sectors[count] = UInt8(truncatingIfNeeded: random.next()) }
    }

    private mutating func keepLast(_ count: Int, _ random: inout SeededRandom) {
        for piece in 0..<sectors.count - count { sectors[piece] = 0 }
        if count < sectors.count {
            sectors[sectors.count - count - 1] = UInt8(truncatingIfNeeded: random.next())
        }
    }

    /// What stands at the beginning of the file overtakes the rest.
    private mutating func keepHeaders(of pending: PendingWrites, _ random: inout SeededRandom) {
        for (piece, place) in pending.pieces.enumerated() where place.offset >= 4 * DiskMemory.pageBytes {
            if random.happens(1, in: 4) { sectors[piece] = 0 }
        }
    }
}
