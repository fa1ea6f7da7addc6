import CausewayObjectStore
public import Observation

/// An object for the Observation framework that tracks the properties that a view reads.
///
/// ```swift
/// let dog = TrackedObject(realm.objects(Dog.self)[0])
/// withObservationTracking {
///     label.text = "\(dog.name) is \(dog.age)"
/// } onChange: {
///     redrawSoon()    // once, after a commit that changed the name or the age
/// }
/// try dog.set(\.age, to: 3)
/// ```
///
/// Commits of this Realm, of other threads, of other processes and of other devices count alike. `onChange` is called
/// where the Realm is confined to, after the Realm has moved to the commit. Objects behind links are not tracked: track
/// them separately.
///
/// Objects do not track their own reads, because every read of every app would have to check for observers.
@dynamicMemberLookup
public final class TrackedObject<Object: ObservableObjectBase>: Observable {
    private let tracked: Object
    private let registrar = ObservationRegistrar()
    private var token: NotificationToken?
    /// The property names that a key path visits, filled on first use.
    private var names: [PartialKeyPath<Object>: [String]] = [:]

    /// Observes a managed object until the last reference to this `TrackedObject` is released.
    ///
    /// ```swift
    /// let rex = TrackedObject(realm.objects(Dog.self)[0])
    /// ```
    public init(_ object: Object) {
        tracked = object
        let (access, observer) = object.observation(Self.keyPaths(of: object)) { [weak self] in self?.tell($0) }
        token = access.instance.startObserving(on: nil, observer)
    }

    /// The object itself. Reading it tracks all properties of the object.
    ///
    /// ```swift
    /// let rex = dog.tracked()
    /// print(rex.object.favoriteToy?.name ?? "no toy")
    /// ```
    public var object: Object {
        registrar.access(self, keyPath: \.object)
        return tracked
    }

    /// Whether the object can no longer be read; tracked. Check it before reading an object that others may delete.
    ///
    /// ```swift
    /// let rex = dog.tracked()
    /// if !rex.isInvalidated { print(rex.name) }
    /// ```
    public var isInvalidated: Bool {
        registrar.access(self, keyPath: \.isInvalidated)
        return tracked.isInvalidated
    }

    /// A read-only property, such as a computed one. It tracks all properties of the object, because it may depend on
    /// any of them.
    ///
    /// ```swift
    /// print(dog.tracked().firstLetter)
    /// ```
    public subscript<Member>(dynamicMember keyPath: KeyPath<Object, Member>) -> Member {
        object[keyPath: keyPath]
    }

    /// A persisted property. Only this property is tracked.
    ///
    /// ```swift
    /// let rex = dog.tracked()
    /// print(rex.name, rex.age)
    /// ```
    public subscript<Member>(dynamicMember keyPath: ReferenceWritableKeyPath<Object, Member>) -> Member {
        for name in visitedNames(keyPath) { registrar.access(self, keyPath: \.[property: name]) }
        return tracked[keyPath: keyPath]
    }

    /// Sets a property, in its own write transaction if none is open.
    ///
    /// ```swift
    /// let rex = dog.tracked()
    /// try rex.set(\.name, to: "Rex")
    /// ```
    ///
    /// - Throws: `Realm.Error` when the commit fails; then nothing is set.
    public func set<Member>(_ keyPath: ReferenceWritableKeyPath<Object, Member>, to value: Member) throws {
        guard let realm = tracked.realm, !realm.isInWriteTransaction else {
            tracked[keyPath: keyPath] = value
            return
        }
        try realm.write { tracked[keyPath: keyPath] = value }
    }

    // MARK: - Tracking

    /// Nil for all properties. Inverse relations are observed only when named, so a class that has some gets all names.
    private static func keyPaths(of object: Object) -> [String]? {
        let model = ObjectModel.of(type(of: object))
        return model.inverses.isEmpty ? nil : model.properties.map(\.name) + model.inverses.map(\.name)
    }

    /// Identifies a property by name in key paths for the registrar. Its value is never used.
    private subscript(property name: String) -> Bool { !name.isEmpty }

    private func visitedNames(_ keyPath: PartialKeyPath<Object>) -> [String] {
        if let known = names[keyPath] { return known }
        let model = ObjectModel.of(type(of: tracked))
        let recorder = _PathRecorder()
        if let object = model.traced(by: recorder) as? Object { touchElements(object[keyPath: keyPath]) }
        let found = recorder.visitedNames.filter { model.declares($0) }
        names[keyPath] = found
        return found
    }

    private func tell(_ change: ObjectChange<Object>) {
        switch change {
        case .change(_, let properties):
            registrar.withMutation(of: self, keyPath: \.object) {}
            for property in properties { registrar.withMutation(of: self, keyPath: \.[property: property.name]) {} }
        case .deleted:
            registrar.withMutation(of: self, keyPath: \.isInvalidated) {}
            registrar.withMutation(of: self, keyPath: \.object) {}
            for name in Set(names.values.joined()) { registrar.withMutation(of: self, keyPath: \.[property: name]) {} }
        case .error: break
        }
    }
}

@available(*, unavailable)
extension TrackedObject: Sendable {}

extension TrackedObject: Identifiable {
    /// The identity of this `TrackedObject`.
    ///
    /// ```swift
    /// let rex = dog.tracked()
    /// print(rex.id == ObjectIdentifier(rex))    // true
    /// ```
    public var id: ObjectIdentifier { ObjectIdentifier(self) }
}

extension ObservableObjectBase {
    /// Makes a ``TrackedObject`` of the object, for the Observation framework.
    ///
    /// ```swift
    /// let dog = realm.objects(Dog.self)[0].tracked()
    /// ```
    public func tracked() -> TrackedObject<Self> { TrackedObject(self) }
}
