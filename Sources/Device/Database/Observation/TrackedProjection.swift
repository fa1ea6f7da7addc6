public import Observation

/// A projection for the Observation framework: what a view reads of it is tracked, property by property.
///
/// ```swift
/// let person = realm.objects(PersonProjection.self)[0].tracked()
/// withObservationTracking {
///     label.text = person.homeCity ?? ""
/// } onChange: {
///     redrawSoon()    // once, after a commit that changed the city, or the link to the address
/// }
/// try person.set(\.firstName, to: "Arya")
/// ```
///
/// What the projection does not show is not told. `onChange` is called where the Realm lives, when the Realm has moved to
/// the commit.
@dynamicMemberLookup
public final class TrackedProjection<Shown: ProjectionObservable>: Observable {
    private let tracked: Shown
    private let registrar = ObservationRegistrar()
    private var token: NotificationToken?
    /// Which projected properties a key path reads, once asked for.
    private var names: [PartialKeyPath<Shown>: [String]] = [:]

    /// Begins to observe a projection of an object that a Realm manages, until the last reference to this goes away.
    ///
    /// ```swift
    /// let person = TrackedProjection(realm.objects(PersonProjection.self)[0])
    /// ```
    public init(_ projection: Shown) {
        tracked = projection
        let (access, observer) = projection.observation(nil) { [weak self] change in self?.tell(change) }
        token = access.instance.startObserving(on: nil, observer)
    }

    /// The projection itself; reading it tracks every property that it shows.
    ///
    /// ```swift
    /// let person = realm.objects(PersonProjection.self)[0].tracked()
    /// print(person.projection.firstName)
    /// ```
    public var projection: Shown {
        registrar.access(self, keyPath: \.projection)
        return tracked
    }

    /// Whether the object behind can no longer be read, tracked: ask before you read what others may delete.
    public var isInvalidated: Bool {
        registrar.access(self, keyPath: \.isInvalidated)
        return tracked.isInvalidated
    }

    /// A property that can only be read, such as a computed one: tracks everything that the projection shows, since it may be
    /// made of any of it.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Shown, Member>) -> Member {
        projection[keyPath: keyPath]
    }

    /// A projected property, tracked by itself.
    public subscript<Member>(dynamicMember keyPath: ReferenceWritableKeyPath<Shown, Member>) -> Member {
        let names = projectedNames(keyPath)
        for name in names { registrar.access(self, keyPath: \.[property: name]) }
        return names.isEmpty ? projection[keyPath: keyPath] : tracked[keyPath: keyPath]
    }

    /// Sets a property of the object behind, in a write transaction of its own unless one is open.
    ///
    /// ```swift
    /// let person = realm.objects(PersonProjection.self)[0].tracked()
    /// try person.set(\.firstName, to: "Arya")
    /// ```
    ///
    /// - Throws: `Realm.Error` when the commit fails; then nothing is set.
    public func set<Member>(_ keyPath: ReferenceWritableKeyPath<Shown, Member>, to value: Member) throws {
        guard let realm = tracked.realm, !realm.isInWriteTransaction else {
            tracked[keyPath: keyPath] = value
            return
        }
        try realm.write { tracked[keyPath: keyPath] = value }
    }

    // MARK: - Tracking

    /// Stands for a property by its name, in key paths that nobody reads through.
    private subscript(property name: String) -> Bool { !name.isEmpty }

    private func projectedNames(_ keyPath: PartialKeyPath<Shown>) -> [String] {
        if let known = names[keyPath] { return known }
        let found = tracked.projectedNames(keyPath)
        names[keyPath] = found
        return found
    }

    private func tell(_ change: ObjectChange<Shown>) {
        switch change {
        case .change(_, let properties):
            registrar.withMutation(of: self, keyPath: \.projection) {}
            for property in properties { registrar.withMutation(of: self, keyPath: \.[property: property.name]) {} }
        case .deleted:
            registrar.withMutation(of: self, keyPath: \.isInvalidated) {}
            registrar.withMutation(of: self, keyPath: \.projection) {}
            for name in Set(names.values.joined()) { registrar.withMutation(of: self, keyPath: \.[property: name]) {} }
        case .error: break
        }
    }
}

@available(*, unavailable)
extension TrackedProjection: Sendable {}

extension TrackedProjection: Identifiable {
    /// The tracked projection, by identity.
    ///
    /// ```swift
    /// let person = realm.objects(PersonProjection.self)[0].tracked()
    /// print(person.id == person.id)    // true
    /// ```
    public var id: ObjectIdentifier { ObjectIdentifier(self) }
}

extension ProjectionObservable {
    /// The projection for the Observation framework. See ``TrackedProjection``.
    ///
    /// ```swift
    /// let person = realm.objects(PersonProjection.self)[0].tracked()
    /// ```
    public func tracked() -> TrackedProjection<Self> { TrackedProjection(self) }
}
