import CausewayModel

/// A collection inside an object that contains every element once.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name = ""
///     @Persisted var citiesVisited: MutableSet<String>
/// }
/// try realm.write { dog.citiesVisited.insert(objectsIn: ["New York", "Boston"]) }
/// print(dog.citiesVisited.contains("Boston"))    // true
/// ```
///
/// The set of an unmanaged object holds its own elements. It becomes managed and live together with its object. The set
/// of a managed object can be changed only in a write transaction. Positions go from 0 to `count - 1`. Their order
/// means nothing and may change with every change of the set.
public final class MutableSet<Element: RealmCollectionValue>: RealmCollection {
    enum State {
        case unmanaged(elements: [Element], members: Set<ExactElement<Element>>)
        case managed(ManagedSet)
        /// Part of a key path that is being recorded. Every index gives the same recording element.
        case tracing(_PathRecorder)
    }
    private(set) var state: State

    /// Creates an empty unmanaged set.
    public init() {
        state = .unmanaged(elements: [], members: [])
    }

    init(state: State) {
        self.state = state
    }

    func become(_ set: ManagedSet) {
        state = .managed(set)
    }

    func become(tracing recorder: _PathRecorder) {
        state = .tracing(recorder)
    }

    var managed: ManagedSet? {
        if case .managed(let set) = state { set } else { nil }
    }

    /// The elements where no Realm manages the collection; nil where one does.
    public var _unmanaged: [Element]? {
        if case .unmanaged(let elements, _) = state { elements } else { nil }
    }

    /// The collection as a query, which filters and sorts derive from.
    public var _source: _ResultsSource {
        guard let managed else {
            misuse("This method may only be called on RLMSet instances retrieved from an RLMRealm")
        }
        return managed.list.source
    }

    /// The same collection in the Realm instance that the source belongs to.
    public func _moved(to source: _ResultsSource) -> MutableSet {
        MutableSet(state: .managed(ManagedSet(ManagedList(source))))
    }

    // MARK: - Reading

    /// How many elements there are.
    ///
    /// ```swift
    /// print(dog.citiesVisited.count)
    /// ```
    public var count: Int {
        switch state {
        case .unmanaged(let elements, _): elements.count
        case .managed(let set): set.list.count
        case .tracing: 1
        }
    }

    /// The Realm that manages it; nil for an unmanaged one.
    public var realm: Realm? { managed.map { Realm(instance: $0.list.instance) } }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { managed?.list.isInvalidated ?? false }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { managed?.list.instance.isFrozen ?? false }

    /// The content as text: to a depth of five, and a hundred elements of each collection.
    public var description: String { describe(self, "MutableSet") }

    /// The element at a position. A position out of bounds stops the program.
    public subscript(position: Int) -> Element {
        switch state {
        case .unmanaged(let elements, _):
            checkBounds(position, elements.count)
            return elements[position]
        case .managed(let set):
            checkBounds(position, set.list.count)
            return Element._fromStored(_StoredValue(set.list.value(position)), set.list.target)
        case .tracing(let recorder): return Element._tracing(recorder.entered())
        }
    }

    /// Goes over the elements that are there when the loop begins.
    public func makeIterator() -> RealmCollectionIterator<Element> {
        switch state {
        case .unmanaged(let elements, _): RealmCollectionIterator(elements)
        case .managed(let set): RealmCollectionIterator(set.list.source)
        case .tracing(let recorder): RealmCollectionIterator([Element._tracing(recorder.entered())])
        }
    }

    /// Whether an element is in the set. A managed set contains no unmanaged object.
    ///
    /// ```swift
    /// if dog.citiesVisited.contains("Boston") { print("been there") }
    /// ```
    ///
    /// - Complexity: O(log n).
    public func contains(_ object: Element) -> Bool {
        switch state {
        case .unmanaged(_, let members): members.contains(ExactElement(object))
        case .managed(let set): set.contains(object)
        case .tracing: false
        }
    }

    /// Two managed sets are equal when they are the same property of the same object, two unmanaged sets when their
    /// elements are equal.
    public static func == (left: MutableSet, right: MutableSet) -> Bool {
        if left === right { return true }
        if case (.unmanaged(_, let first), .unmanaged(_, let second)) = (left.state, right.state) {
            return first == second
        }
        guard let first = left.managed?.list, let second = right.managed?.list else { return false }
        return first.key == second.key && first.column == second.column && first.access === second.access
    }

    // MARK: - Comparing

    /// Whether every element of this set is in the other one.
    ///
    /// ```swift
    /// if dog.citiesVisited.isSubset(of: rex.citiesVisited) { print("Rex was everywhere that this dog was") }
    /// ```
    ///
    /// - Complexity: O(n log m).
    public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
        allSatisfy { possibleSuperset.contains($0) }
    }

    /// Whether the sets have at least one element in common.
    ///
    /// ```swift
    /// if dog.citiesVisited.intersects(rex.citiesVisited) { print("They may have met.") }
    /// ```
    ///
    /// - Complexity: O(n log m).
    public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
        contains { otherSet.contains($0) }
    }

    // MARK: - Changing

    /// Adds an element, unless the set contains it.
    ///
    /// ```swift
    /// try realm.write { dog.citiesVisited.insert("Boston") }
    /// ```
    ///
    /// - Complexity: O(log n) in a managed set.
    public func insert(_ object: Element) {
        switch state {
        case .unmanaged(var elements, var members):
            // Released first, so that both are changed in place.
            state = .unmanaged(elements: [], members: [])
            if members.insert(ExactElement(object)).inserted { elements.append(object) }
            state = .unmanaged(elements: elements, members: members)
        case .managed(let set):
            set.list.checkWritable()
            set.insert(object._toStored(set.list.target).value)
        case .tracing: break
        }
    }

    /// Adds the elements of a sequence.
    ///
    /// ```swift
    /// try realm.write { dog.citiesVisited.insert(objectsIn: ["New York", "Boston"]) }
    /// ```
    public func insert<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        for object in Array(objects) { insert(object) }
    }

    /// Removes an element, if the set contains it. An object stays in the Realm.
    ///
    /// ```swift
    /// try realm.write { dog.citiesVisited.remove("Boston") }
    /// ```
    ///
    /// - Complexity: O(log n) in a managed set.
    public func remove(_ object: Element) {
        switch state {
        case .unmanaged(var elements, var members):
            state = .unmanaged(elements: [], members: [])
            let member = ExactElement(object)
            if members.remove(member) != nil { elements.removeAll { ExactElement($0) == member } }
            state = .unmanaged(elements: elements, members: members)
        case .managed(let set):
            set.list.checkWritable()
            set.remove(object)
        case .tracing: break
        }
    }

    /// Removes all elements. Objects stay in the Realm.
    ///
    /// ```swift
    /// try realm.write { dog.citiesVisited.removeAll() }
    /// ```
    public func removeAll() {
        switch state {
        case .unmanaged: state = .unmanaged(elements: [], members: [])
        case .managed(let set):
            set.list.checkWritable()
            set.list.removeAll()
        case .tracing: break
        }
    }

    /// Adds the elements of another set.
    ///
    /// ```swift
    /// try realm.write { dog.citiesVisited.formUnion(rex.citiesVisited) }
    /// ```
    public func formUnion(_ other: MutableSet<Element>) {
        checkWritable()
        insert(objectsIn: other)
    }

    /// Removes the elements that are not in the other set.
    ///
    /// ```swift
    /// try realm.write { dog.citiesVisited.formIntersection(rex.citiesVisited) }
    /// ```
    public func formIntersection(_ other: MutableSet<Element>) {
        checkWritable()
        for element in Array(self) where !other.contains(element) { remove(element) }
    }

    /// Removes the elements that are in the other set.
    ///
    /// ```swift
    /// try realm.write { dog.citiesVisited.subtract(rex.citiesVisited) }
    /// ```
    public func subtract(_ other: MutableSet<Element>) {
        checkWritable()
        for element in Array(other) { remove(element) }
    }

    /// A call outside of a write transaction is an error even if it would change nothing.
    private func checkWritable() {
        managed?.list.checkWritable()
    }
}
