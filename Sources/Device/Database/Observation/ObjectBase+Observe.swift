import CausewayModel
import CausewayObjectStore
public import Dispatch
public import Foundation

/// One changed property: its name, and for single values the values before and after.
///
/// ```swift
/// func tell(_ change: PropertyChange) {
///     print("\(change.name): \(change.oldValue ?? "nothing") became \(change.newValue ?? "nothing")")
/// }
/// ```
public struct PropertyChange {
    /// The name of the property in Swift.
    public let name: String
    /// The value before; nil for collections, inverse relations and nil optionals.
    public let oldValue: Any?
    /// The value after; nil for collections, inverse relations and nil optionals.
    public let newValue: Any?
}

/// How an object changed since the last notification.
///
/// ```swift
/// func tell(_ change: ObjectChange<Dog>) {
///     switch change {
///     case .change(let dog, let properties): print(dog.name, properties.map(\.name))
///     case .deleted: print("gone")
///     case .error: break
///     }
/// }
/// ```
public enum ObjectChange<T> {
    /// Kept for compatibility; never sent.
    case error(_ error: NSError)
    /// Properties of the object changed, with their old and new values.
    case change(T, [PropertyChange])
    /// The object was deleted. No notification follows.
    case deleted
}

/// An object that can be observed: every class of objects and embedded objects.
///
/// ```swift
/// func follow<T: ObservableObjectBase>(_ object: T) -> NotificationToken {
///     object.observe { (change: ObjectChange<T>) in print(change) }
/// }
/// ```
public protocol ObservableObjectBase: ObjectBase {}

extension Object: ObservableObjectBase {}
extension EmbeddedObject: ObservableObjectBase {}

extension ObservableObjectBase {
    /// Calls the block after every commit that changes the object.
    ///
    /// ```swift
    /// token = dog.observe { change in
    ///     if case .change(_, let properties) = change { print(properties.map(\.name)) }
    /// }
    /// ```
    ///
    /// There is no initial call. The block runs where the Realm is confined to, or on the given queue.
    ///
    /// - Parameter keyPaths: Report only these properties; nil means all. A path beyond a link also reports changes of
    ///   the linked object. A path through an inverse relation reports added, removed and changed linking objects, by
    ///   the relation's name only.
    /// - Returns: A token to keep as long as notifications are wanted.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let (access, observer) = observation(keyPaths, block)
        return access.instance.startObserving(on: queue, observer)
    }

    /// Observes with key paths that the compiler checks.
    ///
    /// ```swift
    /// token = dog.observe(keyPaths: [\Dog.age, \Dog.favoriteToy?.name]) { change in show(change) }
    /// ```
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Observes with a block that takes objects of a base class.
    ///
    /// ```swift
    /// let log: (ObjectChange<Object>) -> Void = { change in print(change) }
    /// let tokens = [dog.observe(log), person.observe(log)]
    /// ```
    ///
    /// An object that is not of the block's class stops the program.
    @_disfavoredOverload
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        guard self is T else {
            misuse("An object of type '\(Self.className())' cannot be observed as '\(T.className())'.")
        }
        return observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<Self>) in
            switch change {
            case .change(let object, let properties):
                if let object = object as? T { block(.change(object, properties)) }
            case .error(let error): block(.error(error))
            case .deleted: block(.deleted)
            }
        }
    }

    /// Calls the block on an actor after every commit that changes the object.
    ///
    /// ```swift
    /// token = await dog.observe(on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let (access, observer) = observation(keyPaths, isolatedBlock(to: actor, block))
        return await access.instance.startObserving(on: actor, observer)
    }

    /// Observes on an actor, with key paths that the compiler checks.
    ///
    /// ```swift
    /// token = await dog.observe(keyPaths: [\.name], on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }

    /// The object's class access, and a function that makes an observer of the object in any instance of the file.
    func observation(
        _ keyPaths: [String]?, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> (_ClassAccess, ObserverMaker) {
        guard _header != nil else { misuse("Only objects which are managed by a Realm support change notifications") }
        let access = _checkedAccess()
        let (name, key) = (access.model.className, _key)
        if let keyPaths { _ = ObservedProperties(keyPaths, of: access) }
        return (
            access,
            { instance, state in
                let access = instance.access(named: name)
                let observer = ObjectObserver(access, key, keyPaths, state) { changes in
                    guard let changes else {
                        block(.deleted)
                        return
                    }
                    if let object = access.object(key) as? Self { block(.change(object, changes)) }
                }
                observer.skip(instance)
                return observer
            }
        )
    }
}

/// Reports which properties of one object changed; nil when the object was deleted.
private final class ObjectObserver: ChangeObserver {
    // Owned by the instance whose registry holds this observer.
    private unowned let access: _ClassAccess
    private let key: ObjectKey
    /// The key paths by their first property; nil for all properties.
    private var paths: [String: NamedPaths]?
    private let block: ([PropertyChange]?) -> Void
    private var version: UInt64 = 0
    private var values: [Value] = []

    init(
        _ access: _ClassAccess, _ key: ObjectKey, _ keyPaths: [String]?, _ state: ObservationState,
        _ block: @escaping ([PropertyChange]?) -> Void
    ) {
        self.access = access
        self.key = key
        self.block = block
        paths = keyPaths.map { keyPaths in
            Dictionary(grouping: keyPaths) { String($0.prefix { $0 != "." }) }
                .mapValues { NamedPaths($0, of: access) }
        }
        super.init(state)
    }

    override func skip(_ instance: RealmInstance) {
        moveOn(instance)
        _ = modifiedBeyond(since: nil)
    }

    private func moveOn(_ instance: RealmInstance) {
        version = instance.transaction.version
        guard access.exists(key) else { return }
        values = zip(access.model.properties, access.columns).map { property, column in
            property.shape.collection == .none ? access.value(key, column) : .null
        }
    }

    override func deliver(_ instance: RealmInstance) {
        guard version != instance.transaction.version else { return }
        guard access.exists(key) else {
            state.cancel()
            block(nil)
            return
        }
        let record = instance.observedChanges(version, instance.transaction.version)
        let old = values
        moveOn(instance)
        let beyond = modifiedBeyond(since: record)
        var found: [PropertyChange] = []
        for (index, property) in access.model.properties.enumerated() {
            guard beyond[property.name] ?? isReported(property, index, record, old) else { continue }
            let isSingle = property.shape.collection == .none
            let links = access.target(access.columns[index])
            found.append(
                PropertyChange(
                    name: property.name,
                    oldValue: isSingle ? property.wrapper.value(old[index], links ?? access) : nil,
                    newValue: isSingle ? property.wrapper.value(values[index], links ?? access) : nil))
        }
        for inverse in access.model.inverses where beyond[inverse.name] == true {
            found.append(PropertyChange(name: inverse.name, oldValue: nil, newValue: nil))
        }
        if !found.isEmpty { block(found) }
    }

    /// For each property with key paths beyond it, whether anything changed along them.
    private func modifiedBeyond(since record: ChangeRecord?) -> [String: Bool] {
        guard access.exists(key) else { return [:] }
        var modified: [String: Bool] = [:]
        for name in paths.map({ $0.keys.sorted() }) ?? [] {
            modified[name] = paths?[name]?.isModified(key, access, since: record)
        }
        return modified
    }

    private func isReported(
        _ property: ObjectModel.Property, _ index: Int, _ record: ChangeRecord?, _ old: [Value]
    ) -> Bool {
        if let paths, paths[property.name] == nil { return false }
        if property.shape.collection == .none {
            return old[index] != values[index] || access.instance.isNestedModified(values[index], record)
        }
        guard let record else { return true }
        return record.classes[access.model.className]?.modified[key]?.contains(access.columns[index]) ?? false
    }
}

/// The key paths of an object's observer that begin with one property.
private struct NamedPaths {
    private let observed: ObservedProperties
    /// Whether the paths go beyond the property's own value.
    private let leadBeyond: Bool
    private var linking: LinkingMemory

    init(_ keyPaths: [String], of access: _ClassAccess) {
        observed = ObservedProperties(keyPaths, of: access)
        leadBeyond = observed.hasInverses || keyPaths.contains { $0.contains(".") }
        linking = LinkingMemory(observed)
    }

    /// Whether anything changed along the paths; nil when the paths end at the property itself.
    mutating func isModified(_ key: ObjectKey, _ access: _ClassAccess, since record: ChangeRecord?) -> Bool? {
        guard leadBeyond else { return nil }
        let relinked = linking.look(at: [key], access, since: record)
        return ModificationSearch(record, observed, relinked: relinked).isModified(key, access)
    }
}
