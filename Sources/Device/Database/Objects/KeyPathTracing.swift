import Synchronization

/// The name of the property a key path leads to, as queries and sort descriptors write it.
///
/// ```swift
/// _name(for: \Person.address?.city)   // "address.city"
/// _name(for: \Person.dogs[0].name)    // "dogs.name"
/// ```
///
/// - Complexity: O(1) after the first use of a key path.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String {
    tracedName(of: keyPath) { Root.self }
}

/// The same for a key path whose root is known only at run time.
func tracedName<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>, _ root: () -> Root.Type) -> String {
    if let known = KnownPaths.names.withLock({ $0[KnownPaths.Path(path: keyPath)] }) { return known }
    let recorder = _PathRecorder()
    let object = ObjectModel.of(root()).traced(by: recorder)
    guard let object = object as? Root else { misuse("Key path \(keyPath) does not start at an object.") }
    touchElements(object[keyPath: keyPath])
    let name = recorder.path
    guard !name.isEmpty else {
        misuse("Key path \(keyPath) does not visit a persisted property of '\(Root.className())'.")
    }
    let path = KnownPaths.Path(path: keyPath)
    KnownPaths.names.withLock { $0[path] = name }
    return name
}

private enum KnownPaths {
    /// Unchecked: a key path is immutable; what its subscripts capture here are indices and keys of collections.
    struct Path: Hashable, @unchecked Sendable {
        let path: AnyKeyPath
    }

    static let names = Mutex<[Path: String]>([:])
}

/// Collects the names of the properties that reading through a key path visits.
///
/// It hands out objects whose properties record instead of holding values; links lead to further such objects, and
/// collections give one for every index.
public final class _PathRecorder {
    private var names: [String] = []
    private var visited: [Int] = []
    /// The property that this recorder stands for, of the recorder that the object behind it reports to.
    private let box: (recorder: _PathRecorder, position: Int32)?

    init() {
        box = nil
    }

    /// For a property that is an object of its own: that it is read shows only when somebody asks it for its content.
    init(ofBox position: Int, in recorder: _PathRecorder) {
        box = (recorder, Int32(position))
    }

    /// The recorder of what lies behind a collection, once the collection itself is recorded.
    func entered() -> _PathRecorder {
        guard let box else { return self }
        box.recorder.visit(box.position)
        return box.recorder
    }

    /// The names of the properties visited, one after another.
    var visitedNames: [String] { visited.map { names[$0] } }

    var path: String { visitedNames.joined(separator: ".") }

    /// The number under which a property will report that it was visited.
    func register(_ name: String) -> Int {
        names.append(name)
        return names.count - 1
    }

    func visit(_ position: Int32) {
        visited.append(Int(position))
    }
}

extension ObjectModel {
    /// An unmanaged object all of whose properties report to a recorder.
    func traced(by recorder: _PathRecorder) -> ObjectBase {
        let object = type.init()
        let base = Unmanaged.passUnretained(object).toOpaque()
        for property in properties {
            property.wrapper.trace(base + property.offset, recorder, recorder.register(property.name))
        }
        for inverse in inverses {
            inverse.wrapper.trace(base + inverse.offset, recorder, recorder.register(inverse.name))
        }
        return object
    }
}
