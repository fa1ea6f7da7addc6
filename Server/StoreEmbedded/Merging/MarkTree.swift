import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What collections may forget once the history does not reach back to a version any more: RULES.md, section 12.
///
/// When a collection that remembers something removed is written, and no mark of it waits, a *mark* notes what it
/// remembers now, of a list or text once that is more than what shows. Once the history begins behind that version
/// everybody has seen it, but those who are behind the history, and what still stands as the mark has it is forgotten. What
/// was removed meanwhile gets the next mark. So nothing removed carries its own time, and nothing stays for longer than the
/// history reaches back, twice.
struct MarkTree {
    let transaction: Transaction

    init(in transaction: Transaction) {
        self.transaction = transaction
    }

    // MARK: - Marking

    func mark(_ content: ObjectState.Content, at place: PartTree.Place, _ version: ServerVersion) {
        guard content.isWorthForgetting, !isMarked(place) else { return }
        transaction.tree(Layout.marks).put(Layout.bytes(version.rawValue) + place.bytes, content.gone)
        transaction.tree(Layout.marked).put(place.bytes, [])
    }

    private func isMarked(_ place: PartTree.Place) -> Bool {
        transaction.tree(Layout.marked).get(place.bytes) != nil
    }

    // MARK: - Forgetting

    /// A mark that has done its waiting.
    struct Mark {
        var place: PartTree.Place
        var version: ServerVersion
        var bytes: [UInt8]
    }

    /// Takes marks of versions up to one out, as many as one commit may take time for.
    func takeDue(through horizon: ServerVersion) -> (marks: [Mark], hasMore: Bool) {
        var marks: [Mark] = []
        var keys: [[UInt8]] = []
        var size = 0
        let end = Layout.bytes(horizon.rawValue + 1)
        transaction.tree(Layout.marks).scan(from: [], upTo: end) { key, value in
            keys.append(Array(key))
            if let mark = Mark(Array(key), Array(value)) { marks.append(mark) }
            size += value.count + Self.bytesEach
            return size < Self.bytesAtOnce
        }
        for key in keys { transaction.tree(Layout.marks).remove(key) }
        for mark in marks { transaction.tree(Layout.marked).remove(mark.place.bytes) }
        return (marks, size >= Self.bytesAtOnce)
    }

    /// What one commit forgets, by the size of the marks.
    private static let bytesAtOnce = 1 << 20
    private static let bytesEach = 64

    // MARK: - What was forgotten

    /// Notes that positions were forgotten which showed nothing at a version.
    func noteForgotten(at place: PartTree.Place, _ version: ServerVersion) {
        transaction.tree(Layout.folded).put(place.bytes, Layout.bytes(version.rawValue))
    }

    /// What one must have seen to know all the positions there are; zero where none was forgotten.
    func forgotten(at place: PartTree.Place) -> ServerVersion {
        guard let bytes = transaction.tree(Layout.folded).get(place.bytes) else { return .zero }
        return ServerVersion(bytes.withUnsafeBytes { Layout.number($0) } ?? 0)
    }

    /// Leaves nothing of a list or text that has ended; a mark that waits finds that out by itself.
    func remove(_ place: PartTree.Place) {
        transaction.tree(Layout.folded).remove(place.bytes)
    }
}

extension ObjectState.Content {
    fileprivate var isWorthForgetting: Bool {
        switch self {
        case .list(let list): list.isWorthForgetting
        case .keyed(let entries): entries.remembersRemoved
        case .text(let text): text.isWorthForgetting
        }
    }

    /// What it remembers of what is removed, as a mark has it.
    fileprivate var gone: [UInt8] {
        switch self {
        case .list(let list): list.places.encoded()
        case .keyed(let entries): entries.removed.encoded()
        case .text(let text): text.encodedRuns()
        }
    }
}

extension MarkTree.Mark {
    fileprivate init?(_ key: [UInt8], _ bytes: [UInt8]) {
        let numbers: (UInt64, UInt32, UInt32, UInt64)? = key.withUnsafeBytes { bytes in
            guard let version: UInt64 = Layout.number(bytes), let classNumber: UInt32 = Layout.number(bytes, at: 8),
                let column: UInt32 = Layout.number(bytes, at: 12), let row: UInt64 = Layout.number(bytes, at: 16)
            else { return nil }
            return (version, classNumber, column, row)
        }
        guard let (version, classNumber, column, row) = numbers else { return nil }
        place = PartTree.Place(Int(classNumber), Int(column), ObjectKey(Int64(bitPattern: row)))
        self.version = ServerVersion(version)
        self.bytes = bytes
    }
}
