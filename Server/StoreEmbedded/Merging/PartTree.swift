import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What is stored of a row's list, set, map or text besides its values: ids of elements, stamps of entries, runs of
/// texts.
///
/// The string of a text is in its column only.
struct PartTree {
    /// The place of a list, set, map or text.
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

    private let transaction: Transaction
    private let tree: Tree

    init(in transaction: Transaction) {
        self.transaction = transaction
        tree = transaction.tree(Layout.lists)
    }

    func bytes(at place: Place) -> [UInt8]? { tree.get(place.bytes) }

    /// - Parameter bytes: of a list, set or map its encoded state; of a text its runs.
    func content(_ kind: ObjectState.Kind, _ bytes: [UInt8], at place: Place, _ table: Table) throws(StoreFailure)
        -> ObjectState.Content
    {
        do {
            switch kind {
            case .list: return .list(try ListState(encoded: bytes))
            case .keyed: return .keyed(try KeyedState(encoded: bytes))
            case .text:
                guard case .string(let text) = table.value(place.key, place.column) else { return .text(TextState()) }
                return .text(try TextState(runs: bytes, text: text))
            }
        } catch {
            throw StoreFailure(damaged: Layout.lists, error)
        }
    }

    /// The content at a place; empty where nothing is stored.
    func load(_ kind: ObjectState.Kind, at place: Place, _ table: Table) throws(StoreFailure) -> ObjectState.Content {
        guard let bytes = bytes(at: place) else { return ObjectState.Content(kind) }
        return try content(kind, bytes, at: place, table)
    }

    /// - Returns: how many bytes the whole state takes.
    @discardableResult
    func save(_ content: ObjectState.Content, at place: Place) -> Int {
        switch content {
        case .list, .keyed:
            let bytes = content.encoded()
            tree.put(place.bytes, bytes)
            return bytes.count
        case .text(let text):
            let bytes = text.encodedRuns()
            tree.put(place.bytes, bytes)
            return bytes.count + text.sizeBytes
        }
    }

    func remove(_ place: Place) { tree.remove(place.bytes) }
}
