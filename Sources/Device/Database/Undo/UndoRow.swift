import CausewayModel
import CausewayObjectStore

/// A row that steps mention. It stays the same one when undo makes a deleted row again.
final class UndoRow {
    let className: String
    private(set) var key: ObjectKey
    /// Every key that it had. It has more than one once it was made again.
    private(set) var keys: [ObjectKey]
    var primaryKey: PrimaryKey?
    /// False once it was deleted. A row that somebody else makes under its key is not this one.
    var isHere = true
    /// The last commit of somebody else that changed it; 0: none that counts.
    private(set) var changedByOthers: UInt64 = 0
    /// The last commit of somebody else that changed a column.
    private var columnsByOthers: [Int: UInt64] = [:]
    /// What is followed of its lists and texts, by column.
    var parts: [Int: UndoPart] = [:]
    /// What is followed of its sets and maps, by column.
    var keyed: [Int: UndoKeys] = [:]

    init(_ className: String, _ key: ObjectKey) {
        self.className = className
        self.key = key
        keys = [key]
    }

    /// Whether steps may name it by an earlier key.
    var wasMadeAgain: Bool { keys.count > 1 }

    func madeAgain(as key: ObjectKey) {
        self.key = key
        isHere = true
        if keys.last != key { keys.append(key) }
    }

    /// It is gone after all, and was last known by an earlier key.
    func notMadeAgain(_ earlier: ObjectKey) {
        key = earlier
        isHere = false
    }

    // MARK: - What others do

    func noteChange(by version: UInt64, of columns: some Sequence<Int>) {
        changedByOthers = max(changedByOthers, version)
        for column in columns { columnsByOthers[column] = version }
    }

    func noteChange(by version: UInt64) {
        changedByOthers = max(changedByOthers, version)
    }

    /// Whether somebody else has set a property after a commit. Setting it to the value that it had counts too.
    func isChangedByOthers(_ column: Int, after version: UInt64) -> Bool {
        columnsByOthers[column, default: 0] > version
    }
}

/// What others did to a set or a map, element by element and key by key.
struct UndoKeys {
    /// The most elements or keys that are remembered.
    static let changesMax = 1 << 14

    /// The last commit of others that changed an element or a key, by its lasting hash.
    private var changes: [UInt32: UInt64] = [:]
    /// The last commit of others of which it is not known what it changed; 0: none.
    private(set) var unknown: UInt64 = 0

    mutating func follow(_ edits: [PlaceEdit], of version: UInt64) {
        for case .change(let hash) in edits { changes[hash] = version }
        if changes.count > Self.changesMax { lose(at: version) }
    }

    mutating func lose(at version: UInt64) {
        unknown = version
        changes = [:]
    }

    func isChanged(_ hashes: [UInt32], after version: UInt64) -> Bool {
        hashes.contains { changes[$0, default: 0] > version }
    }
}

/// A list or text of a row.
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
    /// In more pieces, names that no step mentions are forgotten.
    private var sizeUntidied = UndoPart.sizeTidied
    private static let sizeTidied = 1 << 10

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
                for (old, new) in now.replace(count, at: place, remembering: true) {
                    for index in 0..<old.count { note((old.lowerBound + index, new + index), isReplacement: true) }
                }
            case .move(let from, let to): note(now.move(from: from, to: to, remembering: true), isMove: true)
            case .replaceAll(let count):
                now.remove(now.count, at: 0, remembering: true)
                now.insert(count, at: 0)
            case .change: now.lose()
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

    /// Whether it is in so many pieces that names should be forgotten before it is in too many.
    var isUntidy: Bool { now.size > sizeUntidied }

    /// - Parameter names: Those that steps mention, ascending.
    func keep(_ names: [Range<Int>]) {
        now.keep(names)
        sizeUntidied = max(Self.sizeTidied, 2 * now.size)
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
