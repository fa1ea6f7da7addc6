import CausewayObjectStore

/// Names for the elements of one list, or for the scalars of one text, that stay with them while others edit it.
///
/// 1. A piece is a run of elements with consecutive names. The pieces that are here, in order, are the present content.
/// 2. A piece that is gone marks the place where its elements come back. Only elements that this Realm's writes removed
///    leave such a piece.
/// 3. A name is given once. An element that comes back has its old name; an element that was replaced or moved gets
///    another one.
///
/// Names follow from recorded edits alone. Contents are never compared: equal elements have different names.
struct TrackedSequence {
    struct Piece {
        var name: Int
        var count: Int
        var isHere: Bool

        var names: Range<Int> { name..<name + count }
    }

    /// The most pieces. A part that is edited in more places than that is not followed any more.
    static let piecesMax = 1 << 14

    private(set) var pieces: [Piece]
    /// How many elements are here.
    private(set) var count: Int
    private var nextName: Int
    /// The new names of elements that others moved.
    private var movedByOthers: [Int: Int] = [:]
    /// The new names of elements that others replaced, in the same order.
    private var replacements: [(old: Range<Int>, new: Int)] = []
    /// Whether an edit was not told, or there were too many. Nothing is known of the elements from then on.
    private(set) var isLost = false
    /// The piece found last, and how many elements are here before it: most edits go on where the last one was.
    private var near = (piece: 0, start: 0)

    /// How much is remembered of it.
    var size: Int { pieces.count + movedByOthers.count + replacements.count }

    init(count: Int) {
        pieces = count > 0 ? [Piece(name: 0, count: count, isHere: true)] : []
        self.count = count
        nextName = count
    }

    mutating func lose() {
        isLost = true
        pieces = []
        movedByOthers = [:]
        replacements = []
        near = (0, 0)
    }

    // MARK: - Finding

    /// The piece in which the element at a place is, and its offset there. Behind the last element: the end of all pieces.
    private mutating func find(_ place: Int) -> (piece: Int, offset: Int) {
        var (piece, start) = near
        while piece > 0, start > place || piece >= pieces.count {
            piece -= 1
            if pieces[piece].isHere { start -= pieces[piece].count }
        }
        while piece < pieces.count {
            let length = pieces[piece].isHere ? pieces[piece].count : 0
            if place < start + length { break }
            start += length
            piece += 1
        }
        near = (piece, start)
        return (piece, place - start)
    }

    /// Makes a piece begin at the element at a place, and returns the piece.
    private mutating func cut(at place: Int) -> Int {
        let (piece, offset) = find(place)
        guard piece < pieces.count else { return pieces.count }
        guard offset > 0 else { return piece }
        cut(piece, at: offset)
        return piece + 1
    }

    private mutating func cut(_ piece: Int, at offset: Int) {
        var rest = pieces[piece]
        rest.name += offset
        rest.count -= offset
        pieces[piece].count = offset
        pieces.insert(rest, at: piece + 1)
        if pieces.count > Self.piecesMax { lose() }
    }

    /// The piece and offset of a name; nil for one that is forgotten.
    private func find(name: Int) -> (piece: Int, offset: Int)? {
        guard let piece = pieces.firstIndex(where: { $0.names.contains(name) }) else { return nil }
        return (piece, name - pieces[piece].name)
    }

    private func countHere(before piece: Int) -> Int {
        pieces[..<piece].reduce(0) { $1.isHere ? $0 + $1.count : $0 }
    }

    /// Where an element is, or where it would come back.
    ///
    /// - Complexity: O(pieces)
    func place(of name: Int) -> (place: Int, isHere: Bool)? {
        guard let (piece, offset) = find(name: name) else { return nil }
        let isHere = pieces[piece].isHere
        return (countHere(before: piece) + (isHere ? offset : 0), isHere)
    }

    func name(at place: Int) -> Int? {
        var copy = self
        let (piece, offset) = copy.find(place)
        return piece < pieces.count ? pieces[piece].name + offset : nil
    }

    /// The names of the elements that are here, ascending.
    var namesHere: [Range<Int>] { Self.joined(pieces.filter(\.isHere).map(\.names)) }

    /// Sorts ranges that do not overlap, and joins those that touch.
    static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, last.upperBound == range.lowerBound {
                result[result.count - 1] = last.lowerBound..<range.upperBound
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Visits the parts of some elements in the order of the sequence: names, where they are or would come back, and
    /// whether they are here.
    ///
    /// - Parameter names: Ascending, without overlaps.
    /// - Complexity: O(pieces + parts), times the logarithm of the ranges.
    func visit(_ names: [Range<Int>], _ body: (Range<Int>, _ place: Int, _ isHere: Bool) -> Void) {
        if names.isEmpty { return }
        var start = 0
        for piece in pieces {
            var index = names.firstAtLeast(piece.name)
            while index < names.count, names[index].lowerBound < piece.name + piece.count {
                let part = names[index].clamped(to: piece.names)
                body(part, piece.isHere ? start + part.lowerBound - piece.name : start, piece.isHere)
                index += 1
            }
            if piece.isHere { start += piece.count }
        }
    }

    /// The elements as they are named now: those that others moved have new names.
    func followed(_ names: [Range<Int>]) -> [Range<Int>] {
        if movedByOthers.isEmpty { return names }
        var result = names
        for name in movedByOthers.keys.sorted() {
            let index = names.firstAtLeast(name)
            guard index < names.count, names[index].contains(name) else { continue }
            var now = name
            while place(of: now)?.isHere != true, let next = movedByOthers[now] { now = next }
            if now != name, !names.hasName(now) { result.append(now..<now + 1) }
        }
        return Self.joined(result)
    }

    // MARK: - Edits

    /// Names new elements.
    ///
    /// - Returns: The first name.
    @discardableResult
    mutating func insert(_ count: Int, at place: Int) -> Int {
        let name = nextName
        nextName += count
        put(Piece(name: name, count: count, isHere: true), at: place)
        return name
    }

    /// Directly behind the element before. What is gone between the two stays behind it.
    private mutating func put(_ piece: Piece, at place: Int) {
        if isLost || piece.count == 0 { return }
        guard place >= 0, place <= count else { return lose() }
        count += piece.count
        guard place > 0 else {
            pieces.insert(piece, at: 0)
            near = (0, 0)
            if pieces.count > Self.piecesMax { lose() }
            return
        }
        let (before, offset) = find(place - 1)
        if offset + 1 < pieces[before].count {
            cut(before, at: offset + 1)
            if isLost { return }
        } else if pieces[before].name + pieces[before].count == piece.name {
            // Typed on.
            pieces[before].count += piece.count
            return
        }
        pieces.insert(piece, at: before + 1)
        if pieces.count > Self.piecesMax { lose() }
    }

    /// Removes elements.
    ///
    /// - Parameter remembering: whether they may come back.
    mutating func remove(_ count: Int, at place: Int, remembering: Bool) {
        if isLost || count == 0 { return }
        guard place >= 0, count > 0, place + count <= self.count else { return lose() }
        var piece = cut(at: place)
        var left = count
        self.count -= count
        while left > 0, !isLost {
            guard pieces[piece].isHere else {
                piece += 1
                continue
            }
            if pieces[piece].count > left { cut(piece, at: left) }
            if isLost { return }
            left -= pieces[piece].count
            if remembering {
                pieces[piece].isHere = false
                if !joinToPrevious(piece) { piece += 1 }
            } else {
                pieces.remove(at: piece)
            }
        }
        if !isLost { joinToPrevious(piece) }
    }

    /// Makes one piece of two if they are one run. Near the bound, long work must not leave it in single elements.
    @discardableResult
    private mutating func joinToPrevious(_ piece: Int) -> Bool {
        guard piece > 0, piece < pieces.count else { return false }
        let (previous, this) = (pieces[piece - 1], pieces[piece])
        guard previous.isHere == this.isHere, previous.names.upperBound == this.name else { return false }
        if near.piece == piece {
            near = (piece - 1, near.start - (previous.isHere ? previous.count : 0))
        } else if near.piece > piece {
            near.piece -= 1
        }
        pieces[piece - 1].count += this.count
        pieces.remove(at: piece)
        return true
    }

    /// An element that is gone comes back under its name: where it was, if that is the place, or else at the place.
    mutating func bringBack(_ name: Int, _ count: Int = 1, at place: Int) {
        if isLost || count == 0 { return }
        movedByOthers[name] = nil
        guard let (found, offset) = find(name: name), !pieces[found].isHere, offset + count <= pieces[found].count
        else {
            // Forgotten: it was gone before others rearranged everything.
            return put(Piece(name: name, count: count, isHere: true), at: place)
        }
        var piece = found
        if offset > 0 {
            cut(piece, at: offset)
            piece += 1
        }
        if !isLost, pieces[piece].count > count { cut(piece, at: count) }
        if isLost { return }
        near = (0, 0)
        if countHere(before: piece) == place {
            pieces[piece].isHere = true
            self.count += count
            joinToPrevious(piece + 1)
            joinToPrevious(piece)
        } else {
            pieces.remove(at: piece)
            joinToPrevious(piece)
            put(Piece(name: name, count: count, isHere: true), at: place)
        }
    }

    /// Other elements take the places of some. What is gone beside them keeps its side.
    ///
    /// - Parameter remembering: whether those that are replaced may come back.
    /// - Returns: The names before, in order, and the first new name for each range.
    @discardableResult
    mutating func replace(_ count: Int, at place: Int, remembering: Bool) -> [(old: Range<Int>, new: Int)] {
        if isLost || count == 0 { return [] }
        guard place >= 0, count > 0, place + count <= self.count else {
            lose()
            return []
        }
        var replaced: [(old: Range<Int>, new: Int)] = []
        var piece = cut(at: place)
        var left = count
        while left > 0, !isLost {
            guard pieces[piece].isHere else {
                piece += 1
                continue
            }
            if pieces[piece].count > left { cut(piece, at: left) }
            if isLost { break }
            let old = pieces[piece]
            replaced.append((old.names, nextName))
            left -= old.count
            pieces[piece].name = nextName
            nextName += old.count
            piece += 1
            guard remembering else { continue }
            pieces.insert(Piece(name: old.name, count: old.count, isHere: false), at: piece)
            if pieces.count > Self.piecesMax { lose() }
            piece += 1
        }
        return replaced
    }

    /// An element that is gone comes back in the place of another one, which is gone from then on.
    ///
    /// - Returns: The names before and after.
    mutating func replace(at place: Int, by name: Int) -> (before: Int, after: Int)? {
        guard !isLost, place >= 0, place < count, let before = self.name(at: place) else {
            lose()
            return nil
        }
        movedByOthers[name] = nil
        // Exactly there, not where it was: what else is gone may lie between the two.
        if let found = isolated(name) { pieces.remove(at: found) }
        if isLost { return nil }
        near = (0, 0)
        let piece = cut(at: place)
        if !isLost, pieces[piece].count > 1 { cut(piece, at: 1) }
        if isLost { return nil }
        near = (0, 0)
        pieces[piece].isHere = false
        var behind = piece
        // A run that comes back one by one stays a run.
        if piece > 1, !pieces[piece - 1].isHere, pieces[piece - 1].names.upperBound == before,
            pieces[piece - 2].isHere, pieces[piece - 2].names.upperBound == name
        {
            pieces[piece - 2].count += 1
        } else {
            pieces.insert(Piece(name: name, count: 1, isHere: true), at: piece)
            behind += 1
            if pieces.count > Self.piecesMax { lose() }
        }
        if !isLost {
            joinToPrevious(behind + 1)
            joinToPrevious(behind)
        }
        return (before, name)
    }

    /// Makes a piece of a single element that is gone.
    private mutating func isolated(_ name: Int) -> Int? {
        guard var (piece, offset) = find(name: name), !pieces[piece].isHere else { return nil }
        near = (0, 0)
        if offset > 0 {
            cut(piece, at: offset)
            (piece, offset) = (piece + 1, 0)
        }
        if !isLost, pieces[piece].count > 1 { cut(piece, at: 1) }
        return isLost ? nil : piece
    }

    /// - Parameter name: the name of the element in its new place, where it was before; nil for a new name.
    /// - Returns: The names before and after.
    @discardableResult
    mutating func move(from: Int, to: Int, as name: Int? = nil, remembering: Bool) -> (before: Int, after: Int)? {
        guard !isLost, from >= 0, from < count, to >= 0, to < count, let before = self.name(at: from) else {
            lose()
            return nil
        }
        remove(1, at: from, remembering: remembering)
        let after: Int
        if let name {
            after = name
            bringBack(name, at: to)
        } else {
            after = insert(1, at: to)
        }
        if !remembering { movedByOthers[before] = after }
        if movedByOthers.count > Self.piecesMax { lose() }
        return (before, after)
    }

    /// Moves an element to where another one is that is gone.
    ///
    /// - Returns: The names before and after, and its place after.
    mutating func move(from: Int, beside gone: Int) -> (before: Int, after: Int, place: Int)? {
        guard !isLost, from >= 0, from < count, let before = self.name(at: from) else {
            lose()
            return nil
        }
        remove(1, at: from, remembering: true)
        guard !isLost, let piece = isolated(gone) else { return nil }
        let (place, after) = (countHere(before: piece), nextName)
        nextName += 1
        pieces.insert(Piece(name: after, count: 1, isHere: true), at: piece)
        count += 1
        if pieces.count > Self.piecesMax { lose() }
        return (before, after, place)
    }

    /// What somebody else did.
    mutating func followOthers(_ edits: [PlaceEdit]) {
        for edit in edits {
            switch edit {
            case .insert(let place, let count): insert(count, at: place)
            case .remove(let place, let count): remove(count, at: place, remembering: false)
            case .replace(let place, let count):
                replacements += replace(count, at: place, remembering: false)
                if replacements.count > Self.piecesMax { lose() }
            case .move(let from, let to): move(from: from, to: to, remembering: false)
            case .replaceAll(let count):
                remove(self.count, at: 0, remembering: false)
                insert(count, at: 0)
            case .change: lose()
            }
        }
    }

    // MARK: - Replaced by others

    /// The element that stands for one that others replaced, however often; nil if they did not, or removed that.
    func replacement(of name: Int) -> Int? {
        var now = name
        // Later replacements come behind.
        for replacement in replacements where replacement.old.contains(now) {
            now = replacement.new + now - replacement.old.lowerBound
        }
        return now == name ? nil : now
    }

    mutating func noteReplaced(_ name: Int, by other: Int) {
        if isLost { return }
        replacements.append((name..<name + 1, other))
        if replacements.count > Self.piecesMax { lose() }
    }

    // MARK: - Forgetting

    /// Forgets the names of all elements that nobody asks for, and the places of those among them that are gone.
    ///
    /// - Parameter names: Those that may be asked for, ascending.
    mutating func keep(_ names: [Range<Int>]) {
        if isLost { return }
        let here = namesHere
        movedByOthers = Dictionary(
            uniqueKeysWithValues: movedByOthers.keys.compactMap { name in
                guard names.hasName(name) else { return nil }
                var now = name
                while !here.hasName(now), let next = movedByOthers[now] { now = next }
                // One that others have removed in the end is gone.
                return here.hasName(now) && now != name ? (name, now) : nil
            })
        let replaced = replacementNames(of: followed(names))
        let names = Self.joined(followed(names) + replaced.subtracting(followed(names)))
        let old = pieces
        pieces = []
        near = (0, 0)
        for piece in old {
            var index = names.firstAtLeast(piece.name)
            var end = piece.name
            while index < names.count, names[index].lowerBound < piece.name + piece.count {
                let part = names[index].clamped(to: piece.names)
                forget(part.lowerBound - end, isHere: piece.isHere)
                pieces.append(Piece(name: part.lowerBound, count: part.count, isHere: piece.isHere))
                end = part.upperBound
                index += 1
            }
            forget(piece.name + piece.count - end, isHere: piece.isHere)
        }
    }

    /// The names that stand for some names which others have replaced. Forgets the other replacements.
    private mutating func replacementNames(of names: [Range<Int>]) -> [Range<Int>] {
        // New names ascend, because a name is given once.
        var result: [Range<Int>] = []
        replacements = replacements.filter { replacement in
            let old = names.clamped(to: replacement.old) + result.clamped(to: replacement.old)
            for range in old {
                let start = replacement.new + range.lowerBound - replacement.old.lowerBound
                if result.last.map({ $0.upperBound <= start }) ?? true { result.append(start..<start + range.count) }
            }
            return !old.isEmpty
        }
        return result
    }

    private mutating func forget(_ count: Int, isHere: Bool) {
        guard count > 0, isHere else { return }
        if let last = pieces.last, last.isHere, last.name + last.count == nextName {
            pieces[pieces.count - 1].count += count
        } else {
            pieces.append(Piece(name: nextName, count: count, isHere: true))
        }
        nextName += count
    }
}

extension [Range<Int>] {
    /// The first range that ends behind a number.
    ///
    /// - Precondition: They ascend.
    /// - Complexity: O(log n)
    fileprivate func firstAtLeast(_ number: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].upperBound <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// - Precondition: They ascend.
    func hasName(_ name: Int) -> Bool {
        let index = firstAtLeast(name)
        return index < count && self[index].contains(name)
    }

    /// What is in these and in another range.
    fileprivate func clamped(to range: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var index = firstAtLeast(range.lowerBound)
        while index < count, self[index].lowerBound < range.upperBound {
            let part = self[index].clamped(to: range)
            if !part.isEmpty { result.append(part) }
            index += 1
        }
        return result
    }

    /// What is in these and not in others. Both ascend.
    func subtracting(_ others: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in self {
            var start = range.lowerBound
            var index = others.firstAtLeast(start)
            while index < others.count, others[index].lowerBound < range.upperBound {
                if others[index].lowerBound > start { result.append(start..<others[index].lowerBound) }
                start = Swift.max(start, others[index].upperBound)
                index += 1
            }
            if start < range.upperBound { result.append(start..<range.upperBound) }
        }
        return result
    }
}
