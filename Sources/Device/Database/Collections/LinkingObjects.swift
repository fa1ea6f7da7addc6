import CausewayModel

/// The objects that link to this one through a property of theirs: the inverse of that link.
///
/// ```swift
/// class Person: Object { @Persisted var dogs: List<Dog> }
/// class Dog: Object {
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
///
/// It is computed from the links and always up to date; it cannot be written.
///
/// - Complexity: An access is O(k) for k links to the object.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: RealmCollection {
    private enum State {
        case unmanaged(originProperty: String)
        case managed(_ResultsSource)
        case tracing(_PathRecorder)
    }
    private let state: State

    private init(state: State) {
        self.state = state
    }

    /// Creates the inverse of a property, for an unmanaged object.
    public init(fromType type: Element.Type, property: String) {
        state = .unmanaged(originProperty: property)
    }

    public var _source: _ResultsSource {
        guard case .managed(let source) = state else {
            misuse("Linking objects of an unmanaged object cannot be queried: add the object to a Realm first.")
        }
        return source
    }

    public func _moved(to source: _ResultsSource) -> LinkingObjects { LinkingObjects(state: .managed(source)) }

    private var source: _ResultsSource? {
        if case .managed(let source) = state { source } else { nil }
    }

    public var count: Int {
        switch state {
        case .unmanaged: 0
        case .managed(let source): source.count
        case .tracing: 1
        }
    }

    public subscript(position: Int) -> Element {
        switch state {
        case .unmanaged:
            checkBounds(position, 0)
            misuse("Linking objects of an unmanaged object are empty.")
        case .managed(let source): return source.element(position)
        case .tracing(let recorder): return Element._tracing(recorder)
        }
    }

    public func makeIterator() -> RealmCollectionIterator<Element> {
        source.map { RealmCollectionIterator($0) } ?? RealmCollectionIterator([])
    }

    public var realm: Realm? { source.map { Realm(instance: $0.instance) } }

    public var isInvalidated: Bool { source?.isInvalidated ?? false }

    public var isFrozen: Bool { source?.instance.isFrozen ?? false }

    public var description: String { describe(self, "LinkingObjects") }

    public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
        guard let left = left.source, let right = right.source else { return false }
        return left === right
    }
}

extension LinkingObjects: _InverseRelation {
    public init(_originProperty: String) {
        state = .unmanaged(originProperty: _originProperty)
    }

    public var _originProperty: String {
        if case .unmanaged(let property) = state { property } else { "" }
    }

    public static var _shape: _PropertyShape {
        _PropertyShape(.object, collection: .list, target: Element.self, isInverse: true)
    }

    public static func _zeroValue() -> LinkingObjects { LinkingObjects(_originProperty: "") }

    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> LinkingObjects {
        _zeroValue()
    }

    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _StoredValue(.null) }

    /// Here `column` is the position among the class's inverse relations.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> LinkingObjects {
        let access = object._checkedAccess()
        let inverse = access.model.inverses[column]
        let origin = access.instance.access(for: inverse.origin)
        guard let property = origin.model.property(named: inverse.property) else {
            misuse("Property '\(origin.model.className).\(inverse.property)' does not exist.")
        }
        let source = _ResultsSource(
            .inverse(owner: object._key, of: access, column: origin.column(of: property)), of: origin)
        return LinkingObjects(state: .managed(source))
    }

    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: LinkingObjects) {
        misuse("Linking objects cannot be assigned: change the links they are computed from.")
    }

    public static func _tracing(_ recorder: _PathRecorder) -> LinkingObjects {
        LinkingObjects(state: .tracing(recorder))
    }
}
