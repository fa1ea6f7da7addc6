import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayStore

/// What is known of a row's list, set or map besides its values: ids of elements, stamps of entries.
enum CollectionTree<State: CollectionState> {
    static func bytes(
        _ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction
    ) -> [UInt8]? {
        transaction.tree(Layout.lists).get(Layout.list(classNumber, column, key))
    }

    static func decode(_ bytes: [UInt8]) throws(StoreFailure) -> State {
        do {
            return try State(encoded: bytes)
        } catch {
            throw StoreFailure(damaged: Layout.lists, error)
        }
    }

    /// An empty one where nothing is kept.
    static func load(
        _ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction
    ) throws(StoreFailure) -> State {
        guard let bytes = bytes(classNumber, column, key, in: transaction) else { return State() }
        return try decode(bytes)
    }

    static func save(
        _ state: State, _ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction
    ) {
        transaction.tree(Layout.lists).put(Layout.list(classNumber, column, key), state.encoded())
    }

    static func remove(_ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction) {
        transaction.tree(Layout.lists).remove(Layout.list(classNumber, column, key))
    }
}

protocol CollectionState: EncodedState {
    /// An empty one.
    init()
}

extension ListState: CollectionState {}
extension KeyedState: CollectionState {}

typealias ListTree = CollectionTree<ListState>
typealias KeyedTree = CollectionTree<KeyedState>

/// The runs of texts, in the same tree as lists; the text itself stands in its column.
enum TextTree {
    static func load(
        _ classNumber: Int, _ column: Int, _ key: ObjectKey, _ table: Table, in transaction: Transaction
    ) throws(StoreFailure) -> TextState {
        guard let bytes = transaction.tree(Layout.lists).get(Layout.list(classNumber, column, key)) else {
            return TextState()
        }
        guard case .string(let text) = table.value(key, column) else { return TextState() }
        do {
            return try TextState(runs: bytes, text: text)
        } catch {
            throw StoreFailure(damaged: Layout.lists, error)
        }
    }

    static func save(
        _ text: TextState, _ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction
    ) {
        transaction.tree(Layout.lists).put(Layout.list(classNumber, column, key), text.encodedRuns())
    }
}
