// Which member of a collection a key path names. Key paths are equal only if they were written for the same declaration,
// so each collection compares with its own.

enum PredicateCollectionMember {
    case count
    case isEmpty
    case first
    case last
    case keys
    case values
    case value(key: String)
}

/// A collection that a predicate can ask for its members.
protocol PredicateCollection {
    static func member(_ keyPath: AnyKeyPath) -> PredicateCollectionMember?
}

extension List: PredicateCollection {
    static func member(_ keyPath: AnyKeyPath) -> PredicateCollectionMember? {
        switch keyPath {
        case \List.count: .count
        case \List.isEmpty: .isEmpty
        case \List.first: .first
        case \List.last: .last
        default: nil
        }
    }
}

extension MutableSet: PredicateCollection {
    static func member(_ keyPath: AnyKeyPath) -> PredicateCollectionMember? {
        switch keyPath {
        case \MutableSet.count: .count
        case \MutableSet.isEmpty: .isEmpty
        default: nil
        }
    }
}

extension LinkingObjects: PredicateCollection {
    static func member(_ keyPath: AnyKeyPath) -> PredicateCollectionMember? {
        switch keyPath {
        case \LinkingObjects.count: .count
        case \LinkingObjects.isEmpty: .isEmpty
        default: nil
        }
    }
}

extension Map: PredicateCollection {
    static func member(_ keyPath: AnyKeyPath) -> PredicateCollectionMember? {
        switch keyPath {
        case \Map.count: .count
        case \Map.isEmpty: .isEmpty
        case \Map.keys: .keys
        case \Map.values: .values
        default:
            KeyedRead.key(of: { Map(state: .tracing(_PathRecorder())) }, keyPath).map { .value(key: $0) }
        }
    }
}

/// Finds out the key in a key path such as `\Map["key"]` by reading through it: the subscript notes its key.
enum KeyedRead {
    final class Seen {
        var keys: [String] = []
    }

    @TaskLocal static var seen: Transferred<Seen>?

    /// The one key that a read through the key path uses; nil where it uses none.
    static func key<Root>(of root: () -> Root, _ keyPath: AnyKeyPath) -> String? {
        guard let keyPath = keyPath as? PartialKeyPath<Root> else { return nil }
        let seen = Seen()
        _ = $seen.withValue(Transferred(seen)) { root()[keyPath: keyPath] }
        return seen.keys.count == 1 ? seen.keys[0] : nil
    }

    static func note(_ key: String) {
        seen?.value.keys.append(key)
    }
}
