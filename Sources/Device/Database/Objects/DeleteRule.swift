import CausewayModel

/// What becomes of the objects that a property links to when the object that has the property is deleted.
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
/// A rule belongs to the property of the owner, and is followed by every way an app deletes: `delete`, with the objects of
/// a result, a list or a migration. Taking an object out of the property, or giving the property another value, deletes
/// nothing. Cycles end, and no chain is too long. Rules can be changed without a migration.
///
/// In a synced Realm the device that deletes decides: it deletes what it has of the objects that go along, as if the app
/// had deleted each of them. What the server sends, and what leaves a subscription, takes nothing along.
public enum DeleteRule: Sendable {
    /// They stay; this is what a property without a rule does.
    case nullify
    /// They are deleted, whoever else links to them.
    case cascade
    /// They are deleted unless another object is left that links to them through a property with `cascade` or
    /// `cascadeWhenLast`. Objects that own each other in a circle keep each other, until one of them is deleted.
    case cascadeWhenLast
}

/// A type that `@Persisted(deleteRule:)` accepts: a link to an `Object`, and lists, sets and maps of them.
public protocol _OwningLink: _Persistable {}

extension Optional: _OwningLink where Wrapped: Object {}
extension List: _OwningLink where Element: Object {}
extension MutableSet: _OwningLink where Element: Object {}
extension Map: _OwningLink where Value: _OwningLink {}

extension Persisted where Value: _OwningLink {
    /// Declares a link, or a collection of links, with a rule for what it leads to.
    public init(deleteRule: DeleteRule) {
        storage = .zero(flags: PersistedFlags.flags(deleteRule))
    }

    /// Declares a link, or a collection of links, with a default and a rule for what it leads to.
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
