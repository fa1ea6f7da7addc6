import CausewayModel
import CausewayObjectStore

/// Reports the changes of a collection by position.
final class CollectionObserver: ChangeObserver {
    enum Change {
        case initial
        case update(IndexChanges)
    }

    private let source: _ResultsSource
    private let observed: ObservedProperties?
    private var linking: LinkingMemory
    private let block: (Change) -> Void
    /// The classes whose changes can affect the collection.
    private let classes: Set<String>
    /// The content at the last notification, and the generation of the source that it came from.
    private var content = _ResultsSource.Content.keys([])
    private var generation: UInt = 0
    /// Nil until the initial notification.
    private var version: UInt64?

    init(
        _ source: _ResultsSource, keyPaths: [String]?, _ state: ObservationState,
        _ block: @escaping (Change) -> Void
    ) {
        self.source = source
        self.block = block
        observed = keyPaths.flatMap { keyPaths in source.access.map { ObservedProperties(keyPaths, of: $0) } }
        linking = LinkingMemory(observed)
        classes = source.classesThatShow.union(observed?.classes ?? [])
        super.init(state)
    }

    override func deliver(_ instance: RealmInstance) {
        guard let version else {
            skip(instance)
            block(.initial)
            return
        }
        let newest = instance.transaction.version
        guard version != newest else { return }
        let record = instance.observedChanges(version, newest)
        self.version = newest
        if let record, classes.isDisjoint(with: record.classes.keys) { return }
        var changes = moveOn()
        if case .values(let values) = content {
            addNestedModifications(to: &changes, values, record)
        } else {
            addModifications(to: &changes, ModificationSearch(record, observed, relinked: look(since: record)))
        }
        if !changes.isEmpty { block(.update(changes)) }
    }

    override func skip(_ instance: RealmInstance) {
        version = instance.transaction.version
        content = source.current
        generation = source.generation
        look(since: nil)
    }

    /// Records the links to the elements now. Returns those elements whose linking objects changed.
    @discardableResult
    private func look(since record: ChangeRecord?) -> Set<ObjectKey> {
        guard case .keys(let keys) = content, let access = source.access else { return [] }
        return linking.look(at: keys, access, since: record)
    }

    /// Moves to the current content of the source. Returns the insertions and deletions since the last call.
    private func moveOn() -> IndexChanges {
        source.check()
        var before: _ResultsSource.Content? = content
        content = .keys([])
        // If the source is at the observer's generation, release its keys here, so that it can change them in place.
        if generation == source.generation { before = nil }
        let progress = source.bringUpToDate()
        content = source.current
        generation = source.generation
        if let before { return difference(from: before, to: content) }
        switch progress {
        case .unchanged: return IndexChanges()
        case .updated(let update): return update.indexChanges
        case .spliced(let changes):
            if case .values = content { return Self.withModifications(changes) }
            return changes
        case .replaced(let before): return difference(from: before, to: content)
        }
    }

    private func difference(
        from old: _ResultsSource.Content, to new: _ResultsSource.Content
    ) -> IndexChanges {
        switch (old, new) {
        case (.keys(let old), .keys(let new)):
            return source.isAscending ? ascendingIndexChanges(from: old, to: new) : indexChanges(from: old, to: new)
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

    private func valueChanges(from old: [Value], to new: [Value]) -> IndexChanges {
        Self.withModifications(indexChanges(from: old, to: new))
    }

    /// A value that replaces another one at its position is a modification of that position.
    private static func withModifications(_ changes: IndexChanges) -> IndexChanges {
        guard changes.deletions == changes.insertions else { return changes }
        var changes = changes
        changes.modifications = changes.insertions
        changes.deletions = []
        changes.insertions = []
        return changes
    }

    /// Adds the collections among mixed elements that stayed and whose content changed.
    private func addNestedModifications(to changes: inout IndexChanges, _ values: [Value], _ record: ChangeRecord?) {
        guard source.instance.transaction.hasNestedCollections else { return }
        var seen = Set(changes.insertions + changes.modifications)
        for (position, value) in values.enumerated() where source.instance.isNestedModified(value, record) {
            if seen.insert(position).inserted { changes.modifications.append(position) }
        }
        changes.modifications.sort()
    }

    /// Adds the elements that stayed and were modified.
    private func addModifications(to changes: inout IndexChanges, _ search: ModificationSearch) {
        guard case .keys(let keys) = content, let access = source.access else { return }
        let inserted = Set(changes.insertions)
        if let modified = search.modifiedKeys(access) {
            let positions =
                source.isAscending
                ? modified.sorted().compactMap { keys.ascendingPosition(of: $0) }
                : keys.places(of: Array(modified)).map(\.position)
            changes.modifications = positions.filter { !inserted.contains($0) }
        } else {
            changes.modifications = keys.indices.filter { !inserted.contains($0) }
        }
    }
}
