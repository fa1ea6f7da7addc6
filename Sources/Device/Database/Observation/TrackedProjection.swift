public import Observation

/// A projection for the Observation framework that tracks the properties that a view reads.
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
/// Changes that the projection does not show are not reported. `onChange` is called where the Realm is confined to,
/// after the Realm has moved to the commit.
@dynamicMemberLookup
public final class TrackedProjection<Shown: ProjectionObservable>: Observable {
    private let tracked: Shown
    private let registrar = ObservationRegistrar()
    private var token: NotificationToken?
    /// The projected properties that a key path reads, filled on first use.
    private var names: [PartialKeyPath<Shown>: [String]] = [:]

    /// Observes a projection of a managed object until the last reference to this `TrackedProjection` is released.
    ///
    /// ```swift
    /// let person = TrackedProjection(realm.objects(PersonProjection.self)[0])
    /// ```
    public init(_ projection: Shown) {
        tracked = projection
        let (access, observer) = projection.observation(nil) { [weak self] change in self?.tell(change) }
        token = access.instance.startObserving(on: nil, observer)
    }

    /// The projection itself. Reading it tracks all projected properties.
    ///
    /// ```swift
    /// let person = realm.objects(PersonProjection.self)[0].tracked()
    /// print(person.projection.firstName)
    /// ```
    public var projection: Shown {
        registrar.access(self, keyPath: \.projection)
        return tracked
    }

    /// Whether the projected object can no longer be read; tracked. Check it before reading an object that others may
    /// delete.
    public var isInvalidated: Bool {
        registrar.access(self, keyPath: \.isInvalidated)
        return tracked.isInvalidated
    }

    /// A read-only property, such as a computed one. It tracks all projected properties, because it may depend on any
    /// of them.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Shown, Member>) -> Member {
        projection[keyPath: keyPath]
    }

    /// A projected property. Only this property is tracked.
    public subscript<Member>(dynamicMember keyPath: ReferenceWritableKeyPath<Shown, Member>) -> Member {
        let names = projectedNames(keyPath)
        for name in names { registrar.access(self, keyPath: \.[property: name]) }
        return names.isEmpty ? projection[keyPath: keyPath] : tracked[keyPath: keyPath]
    }

    /// Sets a property of the projected object, in its own write transaction if none is open.
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

    /// Identifies a property by name in key paths for the registrar. Its value is never used.
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
    /// The identity of this `TrackedProjection`.
    ///
    /// ```swift
    /// let person = realm.objects(PersonProjection.self)[0].tracked()
    /// print(person.id == person.id)    // true
    /// ```
    public var id: ObjectIdentifier { ObjectIdentifier(self) }
}

extension ProjectionObservable {
    /// Makes a ``TrackedProjection`` of the projection, for the Observation framework.
    ///
    /// ```swift
    /// let person = realm.objects(PersonProjection.self)[0].tracked()
    /// ```
    public func tracked() -> TrackedProjection<Self> { TrackedProjection(self) }
}
