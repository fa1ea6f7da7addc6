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

    /// A collection at rest.
    struct Place {
        var classNumber: Int
        var column: Int
        var key: ObjectKey

        init(_ classNumber: Int, _ column: Int, _ key: ObjectKey) {
            self.classNumber = classNumber
            self.column = column
            self.key = key
        }

        var bytes: [UInt8] { Layout.list(classNumber, column, key) }
    }

    // MARK: - Marking

    func mark(_ entries: KeyedState, at place: Place, _ version: ServerVersion) {
        guard entries.remembersRemoved, !isMarked(place) else { return }
        put(entries.removed.encoded(), place, version)
    }

    func mark(_ list: ListState, at place: Place, _ version: ServerVersion) {
        guard list.isWorthForgetting, !isMarked(place) else { return }
        put(list.places.encoded(), place, version)
    }

    func mark(_ text: TextState, at place: Place, _ version: ServerVersion) {
        guard text.isWorthForgetting, !isMarked(place) else { return }
        put(text.encodedRuns(), place, version)
    }

    private func isMarked(_ place: Place) -> Bool {
        transaction.tree(Layout.marked).get(place.bytes) != nil
    }

    private func put(_ bytes: [UInt8], _ place: Place, _ version: ServerVersion) {
        transaction.tree(Layout.marks).put(Layout.bytes(version.rawValue) + place.bytes, bytes)
        transaction.tree(Layout.marked).put(place.bytes, [])
    }

    // MARK: - Forgetting

    /// A mark that has done its waiting.
    struct Mark {
        var place: Place
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
    func noteForgotten(at place: Place, _ version: ServerVersion) {
        transaction.tree(Layout.folded).put(place.bytes, Layout.bytes(version.rawValue))
    }

    /// What one must have seen to know all the positions there are; zero where none was forgotten.
    func forgotten(at place: Place) -> ServerVersion {
        guard let bytes = transaction.tree(Layout.folded).get(place.bytes) else { return .zero }
        return ServerVersion(bytes.withUnsafeBytes { Layout.number($0) } ?? 0)
    }

    /// Leaves nothing of a list or text that has ended; a mark that waits finds that out by itself.
    func remove(_ place: Place) {
        transaction.tree(Layout.folded).remove(place.bytes)
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
        place = MarkTree.Place(Int(classNumber), Int(column), ObjectKey(Int64(bitPattern: row)))
        self.version = ServerVersion(version)
        self.bytes = bytes
    }
}
