import CausewayModel
import CausewayObjectStore
import Foundation

/// The changes of sections, by positions of sections and of their elements.
struct SectionChanges: Equatable {
    var deletions: [IndexPath] = []
    var insertions: [IndexPath] = []
    var modifications: [IndexPath] = []
    var sectionsToInsert = IndexSet()
    var sectionsToDelete = IndexSet()

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && sectionsToInsert.isEmpty
            && sectionsToDelete.isEmpty
    }

    /// The changes of one section, given its positions before and after.
    func only(_ old: Int?, _ new: Int?) -> SectionChanges {
        var part = SectionChanges()
        part.deletions = deletions.filter { $0.section == old }
        part.insertions = insertions.filter { $0.section == new }
        part.modifications = modifications.filter { $0.section == new }
        part.sectionsToDelete = sectionsToDelete.filteredIndexSet { $0 == old }
        part.sectionsToInsert = sectionsToInsert.filteredIndexSet { $0 == new }
        return part
    }
}

/// Reports the changes of sections.
private final class SectionObserver<Key: _Persistable & Hashable, Element: RealmCollectionValue>: ChangeObserver {
    private typealias Content = _ResultsSource.Content

    private let source: SectionSource<Key, Element>
    private let observed: ObservedProperties?
    private var linking: LinkingMemory
    /// The key of the observed section; nil for all sections.
    private let key: Key?
    private let block: (SectionSource<Key, Element>, SectionObservation) -> Void
    private let classes: Set<String>
    /// The sections at the last notification.
    private var sections = Sections<Key>()
    private var content = Content.keys([])
    /// Nil until the initial notification.
    private var version: UInt64?

    init(
        _ source: SectionSource<Key, Element>, keyPaths: [String]?, of key: Key?, _ state: ObservationState,
        _ block: @escaping (SectionSource<Key, Element>, SectionObservation) -> Void
    ) {
        self.source = source
        self.key = key
        self.block = block
        observed = keyPaths.flatMap { keyPaths in source.source.access.map { ObservedProperties(keyPaths, of: $0) } }
        linking = LinkingMemory(observed)
        classes = source.source.classesThatShow.union(observed?.classes ?? [])
        super.init(state)
    }

    override func deliver(_ instance: RealmInstance) {
        guard let version else {
            skip(instance)
            block(source, .initial)
            return
        }
        let newest = instance.transaction.version
        guard version != newest else { return }
        let record = instance.observedChanges(version, newest)
        if let record, classes.isDisjoint(with: record.classes.keys) {
            self.version = newest
            return
        }
        let (oldSections, oldContent) = (sections, content)
        moveOn(instance)
        var changes = difference(from: oldSections, oldContent, modified: modifiedKeys(record))
        if let key { changes = changes.only(oldSections.index(of: key), sections.index(of: key)) }
        if !changes.isEmpty { block(source, .update(changes)) }
    }

    override func skip(_ instance: RealmInstance) {
        moveOn(instance)
        look(since: nil)
    }

    private func moveOn(_ instance: RealmInstance) {
        version = instance.transaction.version
        sections = source.current
        content = source.source.current
    }

    /// Records the links to the elements now. Returns those elements whose linking objects changed.
    @discardableResult
    private func look(since record: ChangeRecord?) -> Set<ObjectKey> {
        guard case .keys(let keys) = content, let access = source.source.access else { return [] }
        return linking.look(at: keys, access, since: record)
    }

    /// Nil when every object may have been modified.
    private func modifiedKeys(_ record: ChangeRecord?) -> Set<ObjectKey>? {
        guard let access = source.source.access else { return [] }
        return ModificationSearch(record, observed, relinked: look(since: record)).modifiedKeys(access)
    }

    // MARK: - The difference

    private func difference(
        from oldSections: Sections<Key>, _ oldContent: Content, modified: Set<ObjectKey>?
    ) -> SectionChanges {
        var changes = SectionChanges()
        let whole = indexChanges(from: oldSections.keys, to: sections.keys)
        changes.sectionsToDelete = IndexSet(whole.deletions)
        changes.sectionsToInsert = IndexSet(whole.insertions)
        for (new, key) in sections.keys.enumerated() {
            let positions = sections.positions[new]
            guard !changes.sectionsToInsert.contains(new), let old = oldSections.index(of: key) else {
                changes.insertions += positions.indices.map { IndexPath(item: $0, section: new) }
                continue
            }
            let inside = difference(from: oldContent, oldSections.positions[old], to: content, positions)
            changes.deletions += inside.deletions.map { IndexPath(item: $0, section: old) }
            changes.insertions += inside.insertions.map { IndexPath(item: $0, section: new) }
            changes.modifications += places(of: modified, among: positions, but: inside.insertions)
                .map { IndexPath(item: $0, section: new) }
        }
        return changes
    }

    /// The difference between the old and the new elements of one section.
    private func difference(
        from old: Content, _ oldPositions: [Int], to new: Content, _ newPositions: [Int]
    ) -> IndexChanges {
        switch (old, new) {
        case (.keys(let old), .keys(let new)):
            return indexChanges(from: oldPositions.map { old[$0] }, to: newPositions.map { new[$0] })
        case (.values(let old), .values(let new)):
            return indexChanges(from: oldPositions.map { old[$0] }, to: newPositions.map { new[$0] })
        case (.keys, .values), (.values, .keys):
            preconditionFailure("A collection holds objects or values, and always the same.")
        }
    }

    /// The positions in a section of modified objects that were not inserted.
    private func places(of modified: Set<ObjectKey>?, among positions: [Int], but inserted: [Int]) -> [Int] {
        guard case .keys(let keys) = content, modified?.isEmpty != true else { return [] }
        let inserted = Set(inserted)
        return positions.indices.filter { place in
            !inserted.contains(place) && modified?.contains(keys[positions[place]]) != false
        }
    }
}

/// A notification to an observer of sections.
enum SectionObservation {
    case initial
    case update(SectionChanges)

    func told<C>(of collection: C) -> SectionedResultsChange<C> {
        switch self {
        case .initial: .initial(collection)
        case .update(let changes):
            .update(
                collection, deletions: changes.deletions, insertions: changes.insertions,
                modifications: changes.modifications, sectionsToInsert: changes.sectionsToInsert,
                sectionsToDelete: changes.sectionsToDelete)
        }
    }
}

extension SectionSource {
    /// Makes an observer of these sections in an instance of the file.
    func observer(
        in instance: RealmInstance, _ keyPaths: [String]?, _ state: ObservationState, of key: Key?,
        _ block: @escaping (SectionSource, SectionObservation) -> Void
    ) -> ChangeObserver {
        let moved = source.instance === instance ? self : self.moved(to: instance)
        let keyPaths = observedKeyPaths(Element.self, keyPaths)
        return SectionObserver(moved, keyPaths: keyPaths, of: key, state, block)
    }
}
