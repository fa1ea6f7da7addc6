import CausewayModel
import CausewayObjectStore

/// Which sections a collection falls into: the keys in the order in which they first appear, and the elements of each.
struct Sections<Key: Hashable> {
    private(set) var keys: [Key] = []
    /// The positions in the collection of each section's elements, ascending.
    private(set) var positions: [[Int]] = []
    private var indices: [Key: Int] = [:]

    func index(of key: Key) -> Int? { indices[key] }

    fileprivate mutating func append(_ position: Int, under key: Key) {
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

/// A collection and the rule that gives each element its section's key. Evaluated when asked, and again when something
/// has changed that the rule may have read.
final class SectionSource<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let source: _ResultsSource
    private let keyOf: (Element) -> Key
    private var known: Sections<Key>?
    /// Where the instance stood when `known` was confirmed.
    private var contentVersion: UInt = 0
    /// The content that `known` was made of, and the version it was read from; no version where a write had begun.
    private var generation: UInt = 0
    private var version: UInt64?

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
        return upToDate()
    }

    private func upToDate() -> Sections<Key> {
        let instance = source.instance
        if let known, contentVersion == instance.contentVersion { return known }
        // Asked for first: it decides which generation it is.
        let content = source.current
        defer {
            contentVersion = instance.contentVersion
            generation = source.generation
            version = instance.isInWrite ? nil : instance.transaction.version
        }
        if let known, generation == source.generation, isUntouched(instance) { return known }
        var sections = Sections<Key>()
        var position = 0
        for element in Results<Element>(source) {
            sections.append(position, under: keyOf(element))
            position += 1
        }
        precondition(position == content.count, "A loop over results goes over all they show.")
        known = sections
        return sections
    }

    /// Whether nothing was changed that a key could be made of.
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
