import CausewayModel

/// The base class of projections, which show some properties of an object, under names of their own.
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
/// A projection stores nothing: it reads and writes its `rootObject`. An observer of it is not notified of changes of
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

/// The protocol of all projections.
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

/// Projections are confined to the thread or queue of their object.
@available(*, unavailable)
extension Projection: Sendable {}

// MARK: - Equality

extension Projection {
    /// Whether two projections are of one class and show the same object.
    ///
    /// ```swift
    /// let isTheSame = projection == PersonProjection(projecting: projection.rootObject)    // true
    /// ```
    public static func == (left: Projection, right: Projection) -> Bool {
        type(of: left) == type(of: right) && left.rootObject.isSameRow(as: right.rootObject)
    }

    /// Hashes what `==` compares.
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

    /// The projection of the object as it is now. It never changes and may be read on any thread.
    ///
    /// ```swift
    /// let frozen = people[0].freeze()
    /// ```
    public func freeze() -> Self { Self(projecting: rootObject.freeze()) }

    /// The live form of a frozen projection, in the Realm of the caller's thread; nil when the object has been deleted.
    ///
    /// ```swift
    /// let frozen = projection.freeze()
    /// let live = frozen.thaw()
    /// ```
    public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }
}

// MARK: - As elements of results

extension Projection {
    /// Stops the program: projections are not stored.
    public static var _shape: _PropertyShape {
        misuse("A projection ('\(self)') is not stored: store its object instead.")
    }

    /// A projection of an empty object.
    public static func _zeroValue() -> Self { Self(projecting: Root._zeroValue()) }

    /// The projection of the object with the stored key. Other values stop the program.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> Self {
        // A row deleted since a loop began still gets its turn, as the projection of an invalidated object.
        guard case .object(let key) = stored.value, let links else {
            misuse("A projection shows an object, and '\(stored.value)' is none.")
        }
        return Self(projecting: links.object(key, as: Root.self))
    }

    /// The stored link to the object.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { rootObject._toStored(links) }

    /// A value whose properties continue the recorded key path.
    public static func _tracing(_ recorder: _PathRecorder) -> Self { Self(projecting: Root._tracing(recorder)) }
}
