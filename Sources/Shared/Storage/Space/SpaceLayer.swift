/// The use of a stretch of the file, in one layer of the record.
enum PageUse: Hashable {
    case used
    case free
    case waiting(birth: UInt64, freed: UInt64)
}

/// The use of some pages. All other pages are as in the layer below.
///
/// The record of the free space is a stack of layers, and each commit puts one on top. Adjacent layers can be merged at
/// any time. Below the lowest layer all pages are used.
struct SpaceLayer: Equatable {
    struct Piece: Equatable {
        var page: UInt32
        /// The first page behind it.
        var end: UInt32
        var use: PageUse
    }

    /// Ascending, not empty, not overlapping, and no two neighbours of the same use.
    private(set) var pieces: [Piece] = []

    /// Adds a piece behind all others.
    mutating func append(_ piece: Piece) {
        guard piece.page < piece.end else { return }
        if let last = pieces.last, last.end == piece.page, last.use == piece.use {
            pieces[pieces.count - 1].end = piece.end
        } else {
            pieces.append(piece)
        }
    }

    /// Makes a layer of pieces in any order. Where pieces overlap, as only in a damaged file, the lower one counts.
    init(_ pieces: [Piece] = []) {
        if Self.isLayer(pieces) {
            self.pieces = pieces
            return
        }
        var end: UInt32 = 0
        for piece in pieces.sorted(by: { $0.page < $1.page }) {
            append(Piece(page: max(piece.page, end), end: piece.end, use: piece.use))
            end = max(end, piece.end)
        }
    }

    private static func isLayer(_ pieces: [Piece]) -> Bool {
        var last: Piece?
        for piece in pieces {
            guard piece.page < piece.end else { return false }
            if let last, last.end > piece.page || last.end == piece.page && last.use == piece.use { return false }
            last = piece
        }
        return true
    }

    // MARK: - Merging layers

    /// Merges this layer with an older one below it.
    func over(_ older: SpaceLayer) -> SpaceLayer {
        if pieces.isEmpty { return older }
        var result = SpaceLayer()
        result.pieces.reserveCapacity(pieces.count + older.pieces.count)
        var rest = older.pieces[...]
        for piece in pieces {
            while let below = rest.first, below.page < piece.end {
                result.append(Piece(page: below.page, end: min(below.end, piece.page), use: below.use))
                // The rest behind the piece is handled later.
                if below.end > piece.end {
                    rest[rest.startIndex].page = piece.end
                    break
                }
                rest.removeFirst()
            }
            result.append(piece)
        }
        for below in rest { result.append(below) }
        return result
    }

    /// Merges layers, given from the oldest to the newest. Merges neighbours first, so that small layers are not merged
    /// with a large one one by one.
    static func pile(_ layers: [SpaceLayer]) -> SpaceLayer {
        var layers = layers
        while layers.count > 1 {
            var halved: [SpaceLayer] = []
            for place in stride(from: 0, to: layers.count, by: 2) {
                halved.append(place + 1 < layers.count ? layers[place + 1].over(layers[place]) : layers[place])
            }
            layers = halved
        }
        return layers.first ?? SpaceLayer()
    }

    /// The same layer, where pages that no protected state contains are free. The lowest layer drops its used pages.
    func settled(_ protected: ProtectedStates, isLowest: Bool) -> SpaceLayer {
        var result = SpaceLayer()
        for var piece in pieces {
            if case .waiting(let birth, let freed) = piece.use {
                let run = WaitingRun(
                    run: PageRun(page: piece.page, count: piece.end - piece.page), birth: birth, freed: freed)
                if protected.holder(of: run) == nil { piece.use = .free }
            }
            if !isLowest || piece.use != .used { result.append(piece) }
        }
        return result
    }
}

// MARK: - Bytes

/// The bytes of a layer in a segment, as numbers of seven bits a byte.
///
///     youngest    the largest `freed` below
///     count       of the pieces, then for each
///     head        pages between the piece before and this one × 8, plus 4 when it has more than one page,
///                 plus 0 used, 1 free, 2 waiting
///     length      only with more than one page
///     freed       only when waiting: youngest - freed, then freed - birth
extension SpaceLayer {
    func encoded() -> [UInt8] {
        var youngest: UInt64 = 0
        for case .waiting(_, let freed) in pieces.lazy.map(\.use) { youngest = max(youngest, freed) }
        var writer = NumberWriter()
        writer.put(youngest)
        writer.put(UInt64(pieces.count))
        var end: UInt32 = 0
        for piece in pieces {
            let length = UInt64(piece.end - piece.page)
            writer.put(UInt64(piece.page - end) << 3 | (length > 1 ? 4 : 0) | piece.use.code)
            if length > 1 { writer.put(length) }
            if case .waiting(let birth, let freed) = piece.use {
                writer.put(youngest - freed)
                writer.put(freed - birth)
            }
            end = piece.end
        }
        return writer.bytes
    }

    /// Nil when the bytes are not a layer whose pages are all below the limit.
    init?(_ bytes: UnsafeRawBufferPointer, pageLimit: UInt32) {
        var reader = NumberReader(bytes)
        guard let youngest = reader.take(), youngest < PagePointer.birthLimit, let count = reader.take(),
            count <= UInt64(reader.bytesLeft)
        else { return nil }
        var end: UInt64 = 0
        for _ in 0..<count {
            guard let head = reader.take(), let length = head & 4 == 0 ? 1 : reader.take(), length > 0 else {
                return nil
            }
            let page = end + head >> 3
            guard page < pageLimit, length <= UInt64(pageLimit) - page,
                let use = Self.use(code: head & 3, youngest, &reader)
            else { return nil }
            end = page + length
            append(Piece(page: UInt32(page), end: UInt32(end), use: use))
        }
        guard reader.isAtEnd else { return nil }
    }

    private static func use(code: UInt64, _ youngest: UInt64, _ reader: inout NumberReader) -> PageUse? {
        switch code {
        case 0: return .used
        case 1: return .free
        case 2:
            guard let age = reader.take(), age <= youngest, let life = reader.take(), life <= youngest - age else {
                return nil
            }
            return .waiting(birth: youngest - age - life, freed: youngest - age)
        default: return nil
        }
    }
}

extension PageUse {
    fileprivate var code: UInt64 {
        switch self {
        case .used: 0
        case .free: 1
        case .waiting: 2
        }
    }
}
