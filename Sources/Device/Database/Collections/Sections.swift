import CausewayModel
import CausewayObjectStore
import Foundation

/// The sections of a collection: the keys in the order in which they first appear, and the elements of each.
struct Sections<Key: Hashable> {
    private(set) var keys: [Key] = []
    /// The positions in the collection of each section's elements, ascending.
    private(set) var positions: [[Int]] = []
    private var indices: [Key: Int] = [:]
    private(set) var elementCount = 0

    func index(of key: Key) -> Int? { indices[key] }

    /// Adds the next element.
    fileprivate mutating func append(under key: Key) {
        let position = elementCount
        elementCount += 1
        // Elements of one section usually follow each other.
        if let last = keys.indices.last, keys[last] == key {
            positions[last].append(position)
        } else if let index = indices[key] {
            positions[index].append(position)
        } else {
            indices[key] = keys.count
            keys.append(key)
            positions.append([position])
        }
    }
}

/// A collection and the rule that gives each element the key of its section. Evaluated on demand, and again after a
/// change that the rule may have read.
final class SectionSource<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let source: _ResultsSource
    private let keyOf: (Element) -> Key
    private var known: Sections<Key>?
    /// The instance's content version when `known` was last confirmed.
    private var contentVersion: UInt = 0
    /// The generation of the content that `known` was made from, and the version read; no version during a write.
    private var generation: UInt = 0
    private var version: UInt64?
    /// Held to read or write `known` where the source is frozen, which several threads may read.
    private let lock = NSLock()

    init(_ source: _ResultsSource, by keyOf: @escaping (Element) -> Key) {
        self.source = source
        self.keyOf = keyOf
    }

    func moved(to instance: RealmInstance) -> SectionSource {
        SectionSource(source.moved(to: instance), by: keyOf)
    }

    /// The sections as they are now.
    var current: Sections<Key> {
        source.check()
        return source.instance.isFrozen ? frozen() : upToDate()
    }

    private func frozen() -> Sections<Key> {
        if let known = lock.withLock({ known }) { return known }
        // Without the lock, since the rule is the app's: threads that ask at the same time find the same sections.
        let found = find()
        lock.withLock { known = found }
        return found
    }

    private func upToDate() -> Sections<Key> {
        let instance = source.instance
        if let known, contentVersion == instance.contentVersion { return known }
        // Read first, because reading updates the source's generation.
        _ = source.current
        defer {
            contentVersion = instance.contentVersion
            generation = source.generation
            version = instance.isInWrite ? nil : instance.transaction.version
        }
        if let known, generation == source.generation, isUntouched(instance) { return known }
        let sections = find()
        known = sections
        return sections
    }

    private func find() -> Sections<Key> {
        let content = source.current
        var sections = Sections<Key>()
        for element in Results<Element>(source) { sections.append(under: keyOf(element)) }
        precondition(sections.elementCount == content.count, "A loop over results goes over all they show.")
        return sections
    }

    /// Whether nothing changed that a key could depend on.
    private func isUntouched(_ instance: RealmInstance) -> Bool {
        if source.access == nil { return true }
        guard let version, !instance.isInWrite,
            let record = instance.observedChanges(version, instance.transaction.version)
        else { return false }
        return source.classesThatShow.isDisjoint(with: record.classes.keys)
    }

    func element(_ position: Int) -> Element { source.element(position) }

    /// The elements of a section, as they were when asked for.
    func elements(under key: Key) -> [Element] {
        let sections = current
        return sections.index(of: key).map { sections.positions[$0].map { element($0) } } ?? []
    }
}

extension _ResultsSource {
    /// The classes whose changes can show in the elements.
    var classesThatShow: Set<String> {
        var classes = access.map { instance.classesReachable(from: $0.model.className) } ?? []
        switch origin {
        case .table: break
        case .list(_, let owner, _), .inverse(_, let owner, _): classes.insert(owner.model.className)
        }
        return classes
    }
}
