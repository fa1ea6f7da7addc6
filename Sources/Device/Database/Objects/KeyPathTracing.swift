import Synchronization

/// The dotted name of the property that a key path leads to, for queries and sort descriptors.
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
    /// Unchecked: a key path is immutable. Its subscripts capture only indices and keys of collections.
    struct Path: Hashable, @unchecked Sendable {
        let path: AnyKeyPath
    }

    static let names = Mutex<[Path: String]>([:])
}

/// Collects the names of the properties that reading through a key path visits.
///
/// Objects made for a recorder record each property read instead of holding values. Links return further such objects,
/// and collections return one for every index.
public final class _PathRecorder {
    private var names: [String] = []
    private var visited: [Int] = []
    /// The parent recorder and the position of the property, when this recorder stands for a property box.
    private let box: (recorder: _PathRecorder, position: Int32)?

    init() {
        box = nil
    }

    /// A recorder for a property box. A read of the box is noticed only when its content is asked for.
    init(ofBox position: Int, in recorder: _PathRecorder) {
        box = (recorder, Int32(position))
    }

    /// Records the collection itself, and returns the recorder for its elements.
    func entered() -> _PathRecorder {
        guard let box else { return self }
        box.recorder.visit(box.position)
        return box.recorder
    }

    /// The names of the properties visited, one after another.
    var visitedNames: [String] { visited.map { names[$0] } }

    var path: String { visitedNames.joined(separator: ".") }

    /// Adds a property and returns the position that it reports to `visit(_:)`.
    func register(_ name: String) -> Int {
        names.append(name)
        return names.count - 1
    }

    func visit(_ position: Int32) {
        visited.append(Int(position))
    }
}

extension ObjectModel {
    /// An unmanaged object whose properties all report to a recorder.
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
