import CausewayModel

/// An ordered collection of objects, embedded objects or values inside an object.
///
/// ```swift
/// class Person: Object {
///     @Persisted var dogs: List<Dog>
///     @Persisted var nicknames: List<String>
/// }
/// try realm.write { person.dogs.append(rex) }
/// ```
///
/// The list of an unmanaged object holds its own elements. It becomes managed and live together with its object. The
/// list of a managed object can be changed only in a write transaction. Indices out of bounds stop the program.
public final class List<Element: RealmCollectionValue>: RealmCollection {
    enum State {
        case unmanaged([Element])
        case managed(ManagedList)
        /// Part of a key path that is being recorded. Every index gives the same recording element.
        case tracing(_PathRecorder)
    }
    // Exclusivity is not checked: a list is confined to one thread, and these properties are never passed inout.
    @exclusivity(unchecked) private(set) var state: State
    /// The cursor for inlined reads of elements; nil until the list is managed.
    @exclusivity(unchecked) @usableFromInline
    private(set) var _cursor: UnsafeMutablePointer<_ListCursor>?

    /// Creates an empty unmanaged list.
    public init() {
        state = .unmanaged([])
    }

    init(state: State) {
        self.state = state
        _cursor = managed?.cursor
    }

    /// The managed list without a retain: the state owns it.
    private var unownedList: Unmanaged<ManagedList>? {
        if case .managed(let list) = state { Unmanaged.passUnretained(list) } else { nil }
    }

    func become(_ list: ManagedList) {
        state = .managed(list)
        _cursor = list.cursor
    }

    func become(tracing recorder: _PathRecorder) {
        state = .tracing(recorder)
    }

    /// The collection as a query, which filters and sorts derive from.
    public var _source: _ResultsSource {
        guard let managed else {
            misuse("This method may only be called on RLMArray instances retrieved from an RLMRealm")
        }
        return managed.source
    }

    /// The same collection in the Realm instance that the source belongs to.
    public func _moved(to source: _ResultsSource) -> List {
        List(state: .managed(ManagedList(source)))
    }

    var managed: ManagedList? {
        if case .managed(let list) = state { list } else { nil }
    }

    /// The elements where no Realm manages the collection; nil where one does.
    public var _unmanaged: [Element]? {
        if case .unmanaged(let elements) = state { elements } else { nil }
    }

    // MARK: - Reading

    /// How many elements there are.
    ///
    /// ```swift
    /// print(person.dogs.count)
    /// ```
    public var count: Int {
        switch state {
        case .unmanaged(let elements): elements.count
        case .managed(let list): list.count
        case .tracing: 1
        }
    }

    /// The Realm that manages it; nil for an unmanaged one.
    public var realm: Realm? { managed.map { Realm(instance: $0.instance) } }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { managed?.instance.isFrozen ?? false }

    /// The content as text: to a depth of five, and a hundred elements of each collection.
    public var description: String { describe(self, "List") }

    @usableFromInline
    func element(_ position: Int) -> Element {
        switch state {
        case .unmanaged(let elements):
            checkBounds(position, elements.count)
            return elements[position]
        case .managed(let list):
            checkBounds(position, list.count)
            return Element._fromStored(_StoredValue(list.value(position)), list.target)
        case .tracing(let recorder): return Element._tracing(recorder.entered())
        }
    }

    /// Goes over the elements that are there when the loop begins.
    public func makeIterator() -> RealmCollectionIterator<Element> {
        switch state {
        case .unmanaged(let elements): RealmCollectionIterator(elements)
        case .managed(let list): RealmCollectionIterator(list.source)
        case .tracing(let recorder): RealmCollectionIterator([Element._tracing(recorder.entered())])
        }
    }

    /// The position of an element, or nil when it is not in the list.
    ///
    /// ```swift
    /// if let place = person.dogs.index(of: rex) { print("number \(place + 1)") }
    /// ```
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        switch state {
        case .unmanaged(let elements): return elements.firstIndex(of: element)
        case .managed(let list):
            if let object = element as? ObjectBase {
                return object._header == nil ? nil : list.source.keys.firstIndex(of: object._key)
            }
            if let mixed = element as? AnyRealmValue, mixed.isCollection {
                return indices.first { self[$0] == element }
            }
            return list.source.values.firstIndex(of: element._toStored(nil).value)
        case .tracing: return nil
        }
    }

    /// Two managed lists are equal when they are the same property of the same object, two unmanaged lists when their
    /// elements are equal.
    public static func == (left: List, right: List) -> Bool {
        if left === right { return true }
        if case (.unmanaged(let first), .unmanaged(let second)) = (left.state, right.state) { return first == second }
        guard let first = left.managed, let second = right.managed else { return false }
        return first.key == second.key && first.column == second.column && first.access === second.access
    }

    // MARK: - Changing

    /// The element at a position. A position out of bounds stops the program.
    public subscript(position: Int) -> Element {
        @inlinable
        get {
            if let _cursor, let element = Element._inlinedElement(_cursor, position) { return element }
            return element(position)
        }
        set { replace(index: position, object: newValue) }
    }

    /// Adds an element at the end.
    ///
    /// ```swift
    /// try realm.write { person.dogs.append(rex) }
    /// ```
    ///
    /// - Complexity: O(log n) in a managed list.
    @_specialize(where Element == Int)
    @_specialize(where Element == Double)
    @_specialize(where Element == String)
    public func append(_ object: Element) {
        guard let list = unownedList else {
            insert(object, at: count)
            return
        }
        list._withUnsafeGuaranteedRef { list in
            list.checkWritable()
            list.append(object._toStored(list.target).value)
        }
    }

    /// Adds the elements of a sequence at the end.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.append(objectsIn: ["Bo", "Bobby"]) }
    /// ```
    public func append<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        for object in Array(objects) { append(object) }
    }

    /// Adds the elements of a sequence at the end.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.append(contentsOf: ["Bo", "Bobby"]) }
    /// ```
    public func append<S: Sequence>(contentsOf objects: S) where S.Iterator.Element == Element {
        append(objectsIn: objects)
    }

    /// Inserts an element before a position; at `count` it appends.
    ///
    /// ```swift
    /// try realm.write { person.dogs.insert(rex, at: 0) }
    /// ```
    public func insert(_ object: Element, at index: Int) {
        switch state {
        case .unmanaged(var elements):
            checkBounds(index, elements.count + 1)
            // Released first, so that the array is changed in place.
            state = .unmanaged([])
            elements.insert(object, at: index)
            state = .unmanaged(elements)
        case .managed(let list):
            list.checkWritable()
            checkBounds(index, list.count + 1)
            list.insert(object._toStored(list.target).value, at: index)
        case .tracing: break
        }
    }

    /// Inserts the elements of a collection before a position.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.insert(contentsOf: ["Bo", "Bobby"], at: 0) }
    /// ```
    public func insert<C: Collection>(contentsOf objects: C, at index: Int) where C.Iterator.Element == Element {
        for (offset, object) in Array(objects).enumerated() { insert(object, at: index + offset) }
    }

    /// Replaces the element at a position. An embedded object that is replaced is deleted.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.replace(index: 0, object: "Bo") }
    /// ```
    public func replace(index: Int, object: Element) {
        switch state {
        case .unmanaged(var elements):
            checkBounds(index, elements.count)
            state = .unmanaged([])
            elements[index] = object
            state = .unmanaged(elements)
        case .managed(let list):
            list.checkWritable()
            checkBounds(index, list.count)
            list.replace(object._toStored(list.target).value, at: index)
        case .tracing: break
        }
    }

    /// Removes the element at a position. An object stays in the Realm; an embedded object is deleted.
    ///
    /// ```swift
    /// try realm.write { person.dogs.remove(at: 0) }
    /// ```
    public func remove(at index: Int) {
        switch state {
        case .unmanaged(var elements):
            checkBounds(index, elements.count)
            state = .unmanaged([])
            elements.remove(at: index)
            state = .unmanaged(elements)
        case .managed(let list):
            list.checkWritable()
            checkBounds(index, list.count)
            list.remove(at: index)
        case .tracing: break
        }
    }

    /// Removes all elements. Objects stay in the Realm; embedded objects are deleted.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.removeAll() }
    /// ```
    public func removeAll() {
        switch state {
        case .unmanaged: state = .unmanaged([])
        case .managed(let list):
            list.checkWritable()
            list.removeAll()
        case .tracing: break
        }
    }

    /// Removes the first element. An empty list stops the program.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.removeFirst() }
    /// ```
    public func removeFirst() { removeFirst(1) }

    /// Removes the first elements. More than there are stops the program.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.removeFirst(2) }
    /// ```
    public func removeFirst(_ number: Int = 1) {
        checkBounds(number, count + 1)
        for _ in 0..<number { remove(at: 0) }
    }

    /// Removes the last element. An empty list stops the program.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.removeLast() }
    /// ```
    public func removeLast() { removeLast(1) }

    /// Removes the last elements. More than there are stops the program.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.removeLast(2) }
    /// ```
    public func removeLast(_ number: Int = 1) {
        checkBounds(number, count + 1)
        for _ in 0..<number { remove(at: count - 1) }
    }

    /// Moves an element. `to` is its position after the move.
    ///
    /// ```swift
    /// try realm.write { person.dogs.move(from: 2, to: 0) }
    /// ```
    public func move(from: Int, to: Int) {
        switch state {
        case .unmanaged(var elements):
            checkBounds(from, elements.count)
            checkBounds(to, elements.count)
            state = .unmanaged([])
            elements.insert(elements.remove(at: from), at: to)
            state = .unmanaged(elements)
        case .managed(let list):
            list.checkWritable()
            checkBounds(from, list.count)
            checkBounds(to, list.count)
            list.move(from: from, to: to)
        case .tracing: break
        }
    }

    /// Exchanges two elements.
    ///
    /// ```swift
    /// try realm.write { person.dogs.swapAt(0, 2) }
    /// ```
    public func swapAt(_ first: Int, _ second: Int) {
        let low = Swift.min(first, second)
        let high = Swift.max(first, second)
        checkBounds(low, count)
        checkBounds(high, count)
        guard low != high else { return }
        move(from: low, to: high)
        if high - low > 1 { move(from: high - 1, to: low) }
    }
}

extension List: MutableCollection {
    /// The elements of a range. A slice that is assigned may be of any length: it replaces the range.
    ///
    /// ```swift
    /// try realm.write { person.nicknames[0..<2] = person.friends[0].nicknames[1...] }
    /// ```
    public subscript(bounds: Range<Int>) -> Slice<List<Element>> {
        get { Slice(base: self, bounds: bounds) }
        set {
            // A slice that was changed in place has changed the list already.
            if newValue.base === self, newValue.startIndex == bounds.lowerBound, newValue.endIndex == bounds.upperBound
            {
                return
            }
            replaceSubrange(bounds, with: newValue)
        }
    }
}

extension List: RangeReplaceableCollection {
    /// Replaces the elements of a range by others.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.replaceSubrange(0..<2, with: ["Bo"]) }
    /// ```
    public func replaceSubrange<C: Collection, R>(_ subrange: R, with newElements: C)
    where C.Iterator.Element == Element, R: RangeExpression, List<Element>.Index == R.Bound {
        let range = subrange.relative(to: self)
        // Before anything is removed: they may be elements of this list.
        let elements = Array(newElements)
        for position in range.reversed() { remove(at: position) }
        insert(contentsOf: elements, at: range.lowerBound)
    }

    /// Removes the elements of a range.
    ///
    /// ```swift
    /// try realm.write { person.nicknames.removeSubrange(1...) }
    /// ```
    public func removeSubrange<R: RangeExpression>(_ boundsExpression: R) where List<Element>.Index == R.Bound {
        for position in boundsExpression.relative(to: self).reversed() { remove(at: position) }
    }
}
