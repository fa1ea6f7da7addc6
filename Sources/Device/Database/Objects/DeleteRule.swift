import CausewayModel

/// What happens to the targets of a link when the object that has the link is deleted.
///
/// ```swift
/// class Kennel: Object {
///     @Persisted(deleteRule: .cascade) var dogs: List<Dog>
///     @Persisted(deleteRule: .cascadeWhenLast) var toys: MutableSet<DogToy>
///     @Persisted(deleteRule: .nullify) var owner: Person?
/// }
/// // The dogs go, toys that no other kennel has go, the owner stays.
/// try realm.write { realm.delete(realm.objects(Kennel.self)) }
/// ```
///
/// The rule applies whenever the app deletes the owner: with `delete`, of one object or of results and lists, and in a
/// migration. Removing an object from the property, or setting the property, deletes nothing. Cycles are handled, and
/// chains may have any length. Rules can be changed without a migration.
///
/// In a synced Realm the deleting device decides: it deletes those of the targets that it holds, as if the app had
/// deleted each of them. Deletes from the server, and objects that leave a subscription, delete no other objects.
public enum DeleteRule: Sendable {
    /// The targets stay. This is the default.
    case nullify
    /// The targets are deleted, even if other objects link to them.
    case cascade
    /// A target is deleted unless another object still links to it through a property with `cascade` or
    /// `cascadeWhenLast`. Objects that own each other in a cycle keep each other until one of them is deleted.
    case cascadeWhenLast
}

/// A type that `@Persisted(deleteRule:)` accepts: a link to an `Object`, and lists, sets and maps of them.
public protocol _OwningLink: _Persistable {}

extension Optional: _OwningLink where Wrapped: Object {}
extension List: _OwningLink where Element: Object {}
extension MutableSet: _OwningLink where Element: Object {}
extension Map: _OwningLink where Value: _OwningLink {}

extension Persisted where Value: _OwningLink {
    /// Declares a link, or a collection of links, with a rule for its targets.
    public init(deleteRule: DeleteRule) {
        storage = .zero(flags: PersistedFlags.flags(deleteRule))
    }

    /// Declares a link, or a collection of links, with a default and a rule for its targets.
    public init(wrappedValue: Value, deleteRule: DeleteRule) {
        storage = .unmanaged(wrappedValue, flags: PersistedFlags.flags(deleteRule))
    }
}

extension PersistedFlags {
    fileprivate static func flags(_ rule: DeleteRule) -> UInt8 {
        switch rule {
        case .nullify: 0
        case .cascade: cascade
        case .cascadeWhenLast: cascadeWhenLast
        }
    }

    static func deletionRule(_ flags: UInt8) -> DeletionRule {
        if flags & cascade != 0 { return .cascade }
        return flags & cascadeWhenLast != 0 ? .cascadeWhenLast : .none
    }
}
