import CausewayModel
import CausewayObjectStore

/// A row that steps mention. It stays the same one when undo makes a deleted row again.
final class UndoRow {
    let className: String
    private(set) var key: ObjectKey
    var primaryKey: PrimaryKey?
    /// False once it was deleted. A row that somebody else makes under its key is not this one.
    var isHere = true
    /// The last commit of somebody else that changed it; 0: none that counts.
    var changedByOthers: UInt64 = 0
    /// What is followed of it, by column.
    var parts: [Int: UndoPart] = [:]
    /// Whether steps may name it by an earlier key.
    private(set) var wasMadeAgain = false

    init(_ className: String, _ key: ObjectKey) {
        self.className = className
        self.key = key
    }

    func madeAgain(as key: ObjectKey) {
        self.key = key
        isHere = true
        wasMadeAgain = true
    }

    /// It is gone after all, and was last known by an earlier key.
    func notMadeAgain(_ earlier: ObjectKey) {
        key = earlier
        isHere = false
    }
}

/// A list, set, map or text of a row.
final class UndoPart {
    let column: Int
    /// How it is, with what the open write has done as far as it was followed.
    var now: TrackedSequence
    /// How it was when the open write began; nil if that has not touched it.
    private(set) var before: TrackedSequence?
    /// How many edits of the open write are in `now`.
    var editsFollowed = 0
    /// Elements that the open write replaced or moved, by their names after that.
    private(set) var exchanges: [Int: UndoExchange] = [:]

    init(_ column: Int, count: Int) {
        self.column = column
        now = TrackedSequence(count: count)
    }

    func beginWrite() {
        if before == nil { before = now }
    }

    func note(_ exchange: (before: Int, after: Int)?, isMove: Bool = false, isReplacement: Bool = false) {
        guard let exchange, exchange.before != exchange.after else { return }
        var whole = UndoExchange(
            before: exchange.before, after: exchange.after, isMove: isMove, isReplacement: isReplacement)
        if let earlier = exchanges.removeValue(forKey: exchange.before) {
            whole.before = earlier.before
            whole.isMove = whole.isMove || earlier.isMove
            whole.isReplacement = whole.isReplacement || earlier.isReplacement
        }
        if whole.before != whole.after { exchanges[whole.after] = whole }
    }

    /// Follows edits of this Realm's own write.
    func follow(_ edits: some Sequence<PlaceEdit>) {
        beginWrite()
        for edit in edits {
            switch edit {
            case .insert(let place, let count): now.insert(count, at: place)
            case .remove(let place, let count): now.remove(count, at: place, remembering: true)
            case .replace(let place, let count):
                for index in place..<place + count {
                    note(now.replace(at: index, remembering: true), isReplacement: true)
                }
            case .move(let from, let to): note(now.move(from: from, to: to, remembering: true), isMove: true)
            case .replaceAll(let count):
                now.remove(now.count, at: 0, remembering: true)
                now.insert(count, at: 0)
            }
        }
    }

    func endWrite() {
        before = nil
        editsFollowed = 0
        exchanges = [:]
    }

    func cancelWrite() {
        if let before { now = before }
        endWrite()
    }
}

/// An element that a write replaced, or moved, or both.
struct UndoExchange {
    /// The names before and after the write.
    var before: Int
    var after: Int
    var isMove: Bool
    var isReplacement: Bool
}
