import CausewayModel
import CausewayObjectStore

/// Tells what became of a collection, by position.
final class CollectionObserver: ChangeObserver {
    enum Change {
        case initial
        case update(IndexChanges)
    }

    private let source: _ResultsSource
    private let observed: ObservedProperties?
    private let block: (Change) -> Void
    /// Classes whose changes can show in the collection.
    private let classes: Set<String>
    private var content = _ResultsSource.Content.keys([])
    /// Nil until the initial notification.
    private var version: UInt64?

    init(
        _ source: _ResultsSource, keyPaths: [String]?, _ state: ObservationState,
        _ block: @escaping (Change) -> Void
    ) {
        self.source = source
        self.block = block
        observed = keyPaths.flatMap { keyPaths in source.access.map { ObservedProperties(keyPaths, of: $0) } }
        var classes = source.access.map { source.instance.classesReachable(from: $0.model.className) } ?? []
        if case .list(_, let owner, _) = source.origin { classes.insert(owner.model.className) }
        self.classes = classes
        super.init(state)
    }

    override func deliver(_ changes: ChangesBetweenVersions) {
        guard let version else {
            skip(changes)
            block(.initial)
            return
        }
        guard version != changes.version else { return }
        let record = changes.since(version)
        self.version = changes.version
        if let record, classes.isDisjoint(with: record.classes.keys) { return }
        let old = content
        content = source.current
        let difference = difference(from: old, to: content, ModificationSearch(record, observed))
        if !difference.isEmpty { block(.update(difference)) }
    }

    override func skip(_ changes: ChangesBetweenVersions) {
        version = changes.version
        content = source.current
    }

    private func difference(
        from old: _ResultsSource.Content, to new: _ResultsSource.Content, _ search: ModificationSearch
    ) -> IndexChanges {
        switch (old, new) {
        case (.keys(let old), .keys(let new)):
            guard let access = source.access else { return IndexChanges() }
            return indexChanges(from: old, to: new) { search.isModified($0, access) }
        case (.values(let old), .values(let new)):
            return valueChanges(from: old, to: new)
        case (.keys(let old), .values(let new)):
            return replaced(old.count, new.count)
        case (.values(let old), .keys(let new)):
            return replaced(old.count, new.count)
        }
    }

    private func replaced(_ oldCount: Int, _ newCount: Int) -> IndexChanges {
        var changes = IndexChanges()
        changes.deletions = Array(0..<oldCount)
        changes.insertions = Array(0..<newCount)
        return changes
    }

    /// A value that took another's place is a modification of that place.
    private func valueChanges(from old: [Value], to new: [Value]) -> IndexChanges {
        var changes = indexChanges(from: old, to: new) { _ in false }
        guard changes.deletions == changes.insertions else { return changes }
        changes.modifications = changes.insertions
        changes.deletions = []
        changes.insertions = []
        return changes
    }
}
