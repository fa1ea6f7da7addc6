import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What collections may forget once the history no longer reaches back to a version: RULES.md, section 12.
///
/// A *mark* notes what a collection remembers of removed elements. It is made when such a collection is written and no
/// mark of it waits; for a list or text, only once that is more than what shows. Once the history begins after the
/// mark's version, everybody has seen that version, except those who are behind the history. Then what is still as the
/// mark has it is forgotten. What was removed meanwhile gets the next mark. So no removed element carries a time of its
/// own, and none stays for longer than twice the reach of the history.
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

    /// A mark whose version the history has passed.
    struct Mark {
        var place: PartTree.Place
        var version: ServerVersion
        var bytes: [UInt8]
    }

    /// Takes out the marks of versions up to one, as many as one commit has time for.
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

    /// How much one commit forgets, by the size of the marks.
    private static let bytesAtOnce = 1 << 20
    private static let bytesEach = 64

    // MARK: - What was forgotten

    /// Notes that positions were forgotten that showed nothing at a version.
    func noteForgotten(at place: PartTree.Place, _ version: ServerVersion) {
        transaction.tree(Layout.folded).put(place.bytes, Layout.bytes(version.rawValue))
    }

    /// The version that a writer must have seen to know all positions; zero where none was forgotten.
    func forgotten(at place: PartTree.Place) -> ServerVersion {
        guard let bytes = transaction.tree(Layout.folded).get(place.bytes) else { return .zero }
        return ServerVersion(bytes.withUnsafeBytes { Layout.number($0) } ?? 0)
    }

    /// Removes what is noted of a deleted list or text. A mark that waits finds out about the deletion by itself.
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

    /// What it remembers of removed elements, as a mark stores it.
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
