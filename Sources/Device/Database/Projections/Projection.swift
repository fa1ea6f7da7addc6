import CausewayModel

/// The class to inherit from to show a part of an object: some of its properties, under names of their own.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var firstName               // as it is
///     @Projected(\Person.address?.city) var homeCity            // renamed, and reached through a link
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
/// }
/// let people = realm.objects(PersonProjection.self)
/// ```
///
/// A projection stores nothing: it reads and writes the object behind it, its `rootObject`. Observing it says nothing of
/// properties that it does not show.
open class Projection<Root: ObjectBase & RealmCollectionValue>: ProjectionObservable {
    /// The object that the projection shows a part of.
    ///
    /// ```swift
    /// let behind: Person = projection.rootObject
    /// ```
    public let rootObject: Root

    /// Shows a part of an object.
    ///
    /// ```swift
    /// let shown = PersonProjection(projecting: person)
    /// ```
    public required init(projecting object: Root) {
        rootObject = object
    }
}

/// A class of projections.
///
/// ```swift
/// func show<P: ProjectionObservable>(_ shown: Results<P>) { for one in shown { print(type(of: one.rootObject)) } }
/// ```
public protocol ProjectionObservable: AnyObject, RealmCollectionValue, ThreadConfined {
    /// The class of the objects behind the projections.
    ///
    /// ```swift
    /// func root<P: ProjectionObservable>(_ shown: P) -> P.Root { shown.rootObject }
    /// ```
    associatedtype Root: ObjectBase & RealmCollectionValue

    /// The object that the projection shows a part of.
    ///
    /// ```swift
    /// func root<P: ProjectionObservable>(_ shown: P) -> P.Root { shown.rootObject }
    /// ```
    var rootObject: Root { get }

    /// Shows a part of an object.
    ///
    /// ```swift
    /// func shown<P: ProjectionObservable>(_ object: P.Root, as type: P.Type) -> P { type.init(projecting: object) }
    /// ```
    init(projecting object: Root)
}

/// Projections are confined to where their object is.
@available(*, unavailable)
extension Projection: Sendable {}

// MARK: - Equality

extension Projection {
    /// Two projections are equal when they are of one class and show the same object.
    ///
    /// ```swift
    /// let isTheSame = projection == PersonProjection(projecting: projection.rootObject)    // true
    /// ```
    public static func == (left: Projection, right: Projection) -> Bool {
        type(of: left) == type(of: right) && left.rootObject.isSameRow(as: right.rootObject)
    }

    /// Feeds what makes it equal to others to a hasher.
    ///
    /// ```swift
    /// let seen = Set(realm.objects(PersonProjection.self))    // calls hash(into:)
    /// ```
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: self)))
        if rootObject._header == nil {
            hasher.combine(ObjectIdentifier(rootObject))
        } else {
            hasher.combine(rootObject._key)
        }
    }
}

// MARK: - The object behind

extension Projection {
    /// The Realm that manages the object; nil for an unmanaged one.
    ///
    /// ```swift
    /// let isManaged = projection.realm != nil
    /// ```
    public var realm: Realm? { rootObject.realm }

    /// Whether the object can no longer be read.
    ///
    /// ```swift
    /// if !projection.isInvalidated { print(projection.firstName) }
    /// ```
    public var isInvalidated: Bool { rootObject.isInvalidated }

    /// Whether the object belongs to a frozen Realm.
    ///
    /// ```swift
    /// projection.freeze().isFrozen    // true
    /// ```
    public var isFrozen: Bool { rootObject.isFrozen }

    /// The projection of the object as it is now, never to change; it may be read on any thread.
    ///
    /// ```swift
    /// let frozen = people[0].freeze()
    /// ```
    public func freeze() -> Self { Self(projecting: rootObject.freeze()) }

    /// The live projection of a frozen one, in the Realm of where the caller runs; nil when the object has been deleted.
    ///
    /// ```swift
    /// let frozen = projection.freeze()
    /// let live = frozen.thaw()
    /// ```
    public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }
}

// MARK: - As elements of results

extension Projection {
    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape {
        misuse("A projection ('\(self)') is not stored: store its object instead.")
    }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Self { Self(projecting: Root._zeroValue()) }

    /// The value that the store holds, as this type.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        // A row deleted since a loop began still gets its turn, as the projection of an invalidated object.
        guard case .object(let key) = stored.value, let links else {
            misuse("A projection shows an object, and '\(stored.value)' is none.")
        }
        return Self(projecting: links.object(key, as: Root.self))
    }

    /// The value as the store holds it.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { rootObject._toStored(links) }

    /// A value whose own properties continue the recorded path.
    public static func _tracing(_ recorder: _PathRecorder) -> Self { Self(projecting: Root._tracing(recorder)) }
}
