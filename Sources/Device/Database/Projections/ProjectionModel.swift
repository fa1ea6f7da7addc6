import CausewayQuery
import Synchronization

/// The properties that a class of projections shows. Found once per class by inspecting one instance.
struct ProjectionModel: Sendable {
    /// Unchecked: a key path is immutable, and those of projections capture nothing.
    struct Path: @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    struct Property: Sendable {
        var name: String
        var path: Path
        /// The object's properties that the value is read from, as dotted paths. Several when it is computed.
        var rootPaths: [String]

        /// Whether it shows the object's property of the same name.
        var isPassthrough: Bool { rootPaths == [name] }
    }

    let properties: [Property]

    func property(named name: String) -> Property? {
        properties.first { $0.name == name }
    }

    /// The object's paths for an observer: those behind the named properties, or behind all.
    func rootPaths(of names: [String]?, in type: Any.Type) -> [String] {
        guard let names else { return properties.flatMap(\.rootPaths) }
        return names.flatMap { name -> [String] in
            guard let property = property(named: name) else {
                misuse("Invalid property name '\(name)' for projection '\(type)'.")
            }
            return property.rootPaths
        }
    }

    /// Stops the program if a condition names a property that the projection shows under a name or type of its own.
    func check(_ predicate: CausewayQuery.Predicate, in type: Any.Type) {
        for path in predicate.paths {
            guard let first = path.names.first, let property = property(named: first), !property.isPassthrough else {
                continue
            }
            refuse(property.name, in: type)
        }
    }

    func refuse(_ name: String, in type: Any.Type) -> Never {
        misuse(
            "Property '\(name)' of projection '\(type)' cannot be queried: only a projected property with the name and "
                + "type of the object's own property can. Query the object's property, and project the results.")
    }
}

extension ProjectionModel {
    private static let known = Mutex<[ObjectIdentifier: ProjectionModel]>([:])

    /// The model of a class of projections, discovered on first use.
    static func of<P: ProjectionObservable>(_ type: P.Type) -> ProjectionModel {
        let identifier = ObjectIdentifier(type)
        if let model = known.withLock({ $0[identifier] }) { return model }
        // Discovery runs the app's initialisers, which may themselves ask for models: not under the lock.
        let model = discover(type)
        known.withLock { $0[identifier] = model }
        return model
    }

    private static func discover<P: ProjectionObservable>(_ type: P.Type) -> ProjectionModel {
        var properties: [Property] = []
        // Not `P(…)`: for a projection that is known by a superclass, `P` is that class and `type` the actual one.
        var mirror: Mirror? = Mirror(reflecting: type.init(projecting: P.Root()))
        while let current = mirror {
            var own: [Property] = []
            for child in current.children {
                guard let wrapper = child.value as? any ProjectedWrapper, let label = child.label else { continue }
                let path = wrapper.erasedKeyPath
                let rootPaths = P.Root.paths(readBy: path)
                if rootPaths.isEmpty {
                    misuse("@Projected property '\(label.dropFirst())' must be a part of Realm object")
                }
                // The wrapper of `name` is stored as `_name`.
                own.append(
                    Property(
                        name: String(label.dropFirst()), path: Path(keyPath: path),
                        rootPaths: rootPaths))
            }
            properties = own + properties
            mirror = current.superclassMirror
        }
        return ProjectionModel(properties: properties)
    }
}

extension ObjectBase {
    /// The stored paths that reading through a key path visits.
    fileprivate class func paths(readBy keyPath: AnyKeyPath) -> [String] {
        let recorder = _PathRecorder()
        let model = ObjectModel.of(self)
        touchElements(model.traced(by: recorder)[keyPath: keyPath])
        return model.paths(along: recorder.visitedNames)
    }
}

extension ObjectModel {
    /// The names that a recorder saw, in this order, as paths. A name that does not continue the path before it begins
    /// a new path at the object.
    fileprivate func paths(along names: [String]) -> [String] {
        var paths: [String] = []
        var current: ObjectModel?
        for name in names {
            if let here = current, here.declares(name) {
                paths[paths.count - 1] += "." + name
                current = here.target(of: name)
            } else {
                paths.append(name)
                current = target(of: name)
            }
        }
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }
}

/// Completes a recorded path that ends in a projected collection or in a boxed property. The first has not yet read the
/// property of its elements, and the second has not yet accessed the box.
func touchElements(_ value: Any?) {
    (value as? any _ProjectedElements)?._touch()
    (value as? any PropertyBox)?.touch()
}

protocol _ProjectedElements {
    func _touch()
}

/// The key paths in the names of the observed objects. Those of a projection are translated.
func observedKeyPaths(_ element: Any.Type, _ keyPaths: [String]?) -> [String]? {
    guard let projection = element as? any ProjectionObservable.Type else { return keyPaths }
    return ProjectionModel.of(projection).rootPaths(of: keyPaths, in: projection)
}

/// Stops the program if a condition names a property that a projection shows under a name or type of its own.
func checkProjected(_ predicate: CausewayQuery.Predicate, _ element: Any.Type) {
    guard let projection = element as? any ProjectionObservable.Type else { return }
    ProjectionModel.of(projection).check(predicate, in: projection)
}

extension CausewayQuery.Predicate {
    /// All paths of the condition that begin at the queried object.
    fileprivate var paths: [PropertyPath] {
        switch self {
        case .constant: []
        case .and(let parts), .or(let parts): parts.flatMap(\.paths)
        case .not(let part): part.paths
        case .comparison(let comparison): comparison.left.paths + comparison.right.paths
        case .geoWithin(let within): [within.path]
        }
    }
}

extension CausewayQuery.Expression {
    fileprivate var paths: [PropertyPath] {
        switch self {
        case .path(let path): [path]
        case .subquery(let subquery): [subquery.collection]
        case .arithmetic(let arithmetic): arithmetic.paths
        case .typeOf(let path): [path]
        case .value, .values, .quantified, .claim: []
        }
    }
}
