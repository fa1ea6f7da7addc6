import CausewayModel
import CausewayObjectStore
public import Dispatch

extension ProjectionObservable {
    /// Calls the block after every commit that changes what the projection shows.
    ///
    /// ```swift
    /// token = projection.observe { change in
    ///     if case .change(_, let properties) = change { print(properties.map(\.name)) }
    /// }
    /// ```
    ///
    /// Changes of other properties of the object are not reported. The names are those of the projection. The block
    /// runs on the thread or queue of the Realm, or on the given queue. There is no initial call.
    ///
    /// - Parameter keyPaths: Report only these properties of the projection.
    /// - Returns: A token to keep as long as notifications are wanted.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let (access, start) = observation(keyPaths, block)
        return access.instance.startObserving(on: queue, start)
    }

    /// Calls the block after every commit that changes what the projection shows at these key paths.
    ///
    /// ```swift
    /// token = projection.observe(keyPaths: [\PersonProjection.firstName]) { change in show(change) }
    /// ```
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.flatMap { projectedNames($0) }, on: queue, block)
    }

    /// Calls the block on an actor after every commit that changes what the projection shows.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let (access, start) = observation(keyPaths, isolatedBlock(to: actor, block))
        return await access.instance.startObserving(on: actor, start)
    }

    /// Calls the block on an actor after every commit that changes what the projection shows at these key paths.
    ///
    /// ```swift
    /// token = await projection.observe(keyPaths: [\.firstName], on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.flatMap { projectedNames($0) }, on: actor, block)
    }

    func observation(
        _ keyPaths: [String]?, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> (_ClassAccess, ObserverMaker) {
        guard rootObject._header != nil else {
            misuse("Only projections of objects which are managed by a Realm support change notifications")
        }
        let access = rootObject._checkedAccess()
        let (name, key) = (access.model.className, rootObject._key)
        let model = ProjectionModel.of(type(of: self))
        if let unknown = keyPaths?.first(where: { model.property(named: $0) == nil }) {
            misuse("Invalid property name '\(unknown)' for projection '\(type(of: self))'.")
        }
        let properties = model.properties.filter { keyPaths?.contains($0.name) ?? true }
        let type = type(of: self)
        return (
            access,
            { instance, state in
                let observer = ProjectionObserver(type, properties, instance.access(named: name), key, state, block)
                observer.skip(instance)
                return observer
            }
        )
    }

    /// The names of the projected properties that are read from the same place as a key path of the projection.
    func projectedNames(_ keyPath: PartialKeyPath<Self>) -> [String] {
        let recorder = _PathRecorder()
        touchElements(Self._tracing(recorder)[keyPath: keyPath])
        return ProjectionModel.of(type(of: self)).properties.filter { $0.rootPaths == [recorder.path] }.map(\.name)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Calls the block with the collection now, and after every commit that changes it.
    ///
    /// - Parameter keyPaths: Report only modifications of these properties of the projection.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        let names = keyPaths.flatMap { keyPath in
            let recorder = _PathRecorder()
            touchElements(Element._tracing(recorder)[keyPath: keyPath])
            return ProjectionModel.of(Element.self).properties.filter { $0.rootPaths == [recorder.path] }.map(\.name)
        }
        return observe(keyPaths: names, on: queue, block)
    }
}

/// Reports which of a projection's properties changed, if any did.
private final class ProjectionObserver<P: ProjectionObservable>: ChangeObserver {
    // Owned by the instance whose registry holds this observer.
    private unowned let access: _ClassAccess
    private let type: P.Type
    private let key: ObjectKey
    private let properties: [ProjectionModel.Property]
    private let observed: [ObservedProperties]
    private var linking: [LinkingMemory]
    private let block: (ObjectChange<P>) -> Void
    private var version: UInt64 = 0
    private var values: [Any?] = []

    init(
        _ type: P.Type, _ properties: [ProjectionModel.Property], _ access: _ClassAccess, _ key: ObjectKey,
        _ state: ObservationState, _ block: @escaping (ObjectChange<P>) -> Void
    ) {
        self.type = type
        self.access = access
        self.key = key
        self.properties = properties
        self.block = block
        observed = properties.map { ObservedProperties($0.rootPaths, of: access) }
        linking = observed.map { LinkingMemory($0) }
        super.init(state)
    }

    private var root: P.Root { access.object(key, as: P.Root.self) }

    override func skip(_ instance: RealmInstance) {
        moveOn(instance)
        guard access.exists(key) else { return }
        for index in linking.indices { linking[index].look(at: [key], access, since: nil) }
    }

    private func moveOn(_ instance: RealmInstance) {
        version = instance.transaction.version
        guard access.exists(key) else { return }
        let root = root
        values = properties.map { flattened(root[keyPath: $0.path.keyPath] as Any) }
    }

    override func deliver(_ instance: RealmInstance) {
        guard version != instance.transaction.version else { return }
        guard access.exists(key) else {
            state.cancel()
            block(.deleted)
            return
        }
        let record = instance.observedChanges(version, instance.transaction.version)
        let old = values
        moveOn(instance)
        var changes: [PropertyChange] = []
        for (index, property) in properties.enumerated() {
            let relinked = linking[index].look(at: [key], access, since: record)
            let search = ModificationSearch(record, observed[index], relinked: relinked)
            guard search.isModified(key, access) else { continue }
            if values[index] is any RandomAccessCollection & ThreadConfined {
                changes.append(PropertyChange(name: property.name, oldValue: nil, newValue: nil))
            } else if !areEqual(old[index], values[index]) || (values[index] as? AnyRealmValue)?.isCollection == true {
                changes.append(PropertyChange(name: property.name, oldValue: old[index], newValue: values[index]))
            }
        }
        if !changes.isEmpty { block(.change(type.init(projecting: root), changes)) }
    }
}

/// Whether two values of one property are the same: objects by their row, all else by value.
private func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left as ObjectBase, let right as ObjectBase): left.isSameRow(as: right)
    case (let left as any Equatable, let right?): left.isEqual(to: right)
    default: false
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self).map { $0 == self } ?? false }
}
