import CausewayModel

/// The objects that link to this one through one of their properties: the inverse of that link.
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
        /// Declared with `let`. Whether its object is managed is known only when it is used.
        case declared(DeclaredInverse)
        case managed(_ResultsSource)
        case tracing(_PathRecorder)
    }
    private let state: State

    private init(state: State) {
        self.state = state
    }

    /// Declares the inverse of a property in a class whose properties are declared without `@Persisted`.
    ///
    /// ```swift
    /// let clubs = LinkingObjects(fromType: DogClub.self, property: "members")
    /// ```
    public init(fromType type: Element.Type, property: String) {
        state = .declared(DeclaredInverse(property))
    }

    private var current: State {
        guard case .declared(let inverse) = state else { return state }
        switch inverse.place {
        case .unmanaged: return state
        case .tracing(let recorder): return .tracing(recorder.entered())
        case .managed(let object, let index): return .managed(inverse.source(object) { Self.source(object, index) })
        }
    }

    var declaration: DeclaredInverse? {
        if case .declared(let inverse) = state { inverse } else { nil }
    }

    /// The collection as a query, which filters and sorts derive from.
    public var _source: _ResultsSource {
        guard let source else {
            misuse("Linking objects of an unmanaged object cannot be queried: add the object to a Realm first.")
        }
        return source
    }

    /// The same collection in the Realm instance that the source belongs to.
    public func _moved(to source: _ResultsSource) -> LinkingObjects { LinkingObjects(state: .managed(source)) }

    private var source: _ResultsSource? {
        if case .managed(let source) = current { source } else { nil }
    }

    /// How many elements there are.
    ///
    /// ```swift
    /// print(person.clubs.count)
    /// ```
    public var count: Int {
        switch current {
        case .unmanaged, .declared: 0
        case .managed(let source): source.count
        case .tracing: 1
        }
    }

    /// The element at a position. A position out of bounds stops the program.
    public subscript(position: Int) -> Element {
        switch current {
        case .unmanaged, .declared:
            checkBounds(position, 0)
            misuse("Linking objects of an unmanaged object are empty.")
        case .managed(let source): return source.element(position)
        case .tracing(let recorder): return Element._tracing(recorder)
        }
    }

    /// Goes over the elements that are there when the loop begins.
    public func makeIterator() -> RealmCollectionIterator<Element> {
        source.map { RealmCollectionIterator($0) } ?? RealmCollectionIterator([])
    }

    /// The Realm that manages it; nil for an unmanaged one.
    public var realm: Realm? { source.map { Realm(instance: $0.instance) } }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { source?.isInvalidated ?? false }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { source?.instance.isFrozen ?? false }

    /// The content as text: to a depth of five, and a hundred elements of each collection.
    public var description: String { describe(self, "LinkingObjects") }

    /// Two are equal when they were read from the same property of the same managed accessor. Unmanaged ones are never
    /// equal.
    public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
        guard let left = left.source, let right = right.source else { return false }
        return left === right
    }
}

extension LinkingObjects: _InverseRelation {
    /// The inverse of a property, for an unmanaged object.
    public init(_originProperty: String) {
        state = .unmanaged(originProperty: _originProperty)
    }

    /// The property that the inverse was declared with.
    public var _originProperty: String {
        switch state {
        case .unmanaged(let property): property
        case .declared(let inverse): inverse.property
        case .managed, .tracing: ""
        }
    }

    /// What a property of this type asks of the schema.
    public static var _shape: _PropertyShape {
        _PropertyShape(.object, collection: .list, target: Element.self, isInverse: true)
    }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> LinkingObjects { LinkingObjects(_originProperty: "") }

    /// True: a managed object keeps the value from its first read on.
    @inlinable
    public static func _cachesManagedValue() -> Bool { true }

    /// An inverse relation is not stored: always an unmanaged one.
    public static func _fromStored(_ stored: _StoredValue, _ links: _ClassAccess?) -> LinkingObjects {
        _zeroValue()
    }

    /// An inverse relation is not stored: always null.
    public func _toStored(_ links: _ClassAccess?) -> _StoredValue { _StoredValue(.null) }

    /// Here `column` is the position among the class's inverse relations.
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> LinkingObjects {
        LinkingObjects(state: .managed(source(object, column)))
    }

    private static func source(_ object: ObjectBase, _ column: Int) -> _ResultsSource {
        let access = object._checkedAccess()
        let (origin, originColumn) = access.origin(of: access.model.inverses[column])
        return _ResultsSource(.inverse(owner: object._key, of: access, column: originColumn), of: origin)
    }

    /// Stops the program: an inverse relation cannot be assigned.
    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: LinkingObjects) {
        misuse("Linking objects cannot be assigned: change the links they are computed from.")
    }

    /// A value whose properties continue the recorded key path.
    public static func _tracing(_ recorder: _PathRecorder) -> LinkingObjects {
        LinkingObjects(state: .tracing(recorder))
    }
}
