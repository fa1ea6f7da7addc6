import CausewayObjectStore

/// A database of objects, as one thread, queue or actor sees it.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write { realm.add(Dog(value: ["name": "Rex", "age": 10])) }
/// let puppies = realm.objects(Dog.self).where { $0.age < 2 }
/// ```
///
/// A Realm shows a snapshot of its file and moves to newer ones by itself. Its objects, lists and results move with it.
/// It must be used where it was opened. Opening the same file again at the same place is cheap and gives the same
/// Realm; other places open their own.
public struct Realm {
    let instance: RealmInstance

    init(instance: RealmInstance) {
        self.instance = instance
    }

    /// The configuration the Realm was opened with.
    ///
    /// ```swift
    /// print(realm.configuration.fileURL?.path ?? "in memory")
    /// ```
    public var configuration: Configuration { instance.configuration }

    /// Whether the Realm holds no objects.
    ///
    /// ```swift
    /// if realm.isEmpty { try realm.write { realm.add(Dog(value: ["name": "Rex"])) } }
    /// ```
    ///
    /// - Complexity: O(number of classes).
    public var isEmpty: Bool {
        instance.checkThread()
        return instance.transaction.isEmpty
    }

    /// Whether the Realm is a snapshot that never changes.
    ///
    /// ```swift
    /// realm.freeze().isFrozen    // true
    /// ```
    public var isFrozen: Bool { instance.isFrozen }
}

/// A Realm is confined to where it was opened.
@available(*, unavailable)
extension Realm: Sendable {}

extension Realm: Equatable {
    /// Two values are equal when they are the same open Realm.
    ///
    /// ```swift
    /// let isTheSame = dog.realm == realm
    /// ```
    public static func == (left: Realm, right: Realm) -> Bool {
        left.instance === right.instance
    }
}
