import CausewayModel

/// A collection of values by string keys inside an object.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name = ""
///     @Persisted var favoriteParksByCity: Map<String, String>
/// }
/// try realm.write { dog.favoriteParksByCity["Chicago"] = "Jackson Park" }
/// for element in dog.favoriteParksByCity { print(element.key, element.value) }
/// ```
///
/// Values are scalars, optional scalars, or optional objects and embedded objects: `Map<String, Dog?>`. A key must not
/// begin with `$` or contain a dot: such a key stops the program, so percent-encode keys from other sources. Keys are
/// equal if and only if their bytes are: "é" as one scalar and as two scalars are two keys.
///
/// The map of an unmanaged object holds its own entries. It becomes managed and live together with its object, and then
/// keeps its keys in ascending order. The map of a managed object can be changed only in a write transaction.
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: RealmKeyedCollection {
    enum State {
        case unmanaged([ExactKey<Key>: Value])
        case managed(ManagedMap)
        /// Part of a key path that is being recorded. Every key gives the same recording value.
        case tracing(_PathRecorder)
    }
    private(set) var state: State

    /// Creates an empty unmanaged map.
    public init() {
        state = .unmanaged([:])
    }

    init(state: State) {
        self.state = state
    }

    func become(_ map: ManagedMap) {
        state = .managed(map)
    }

    func become(tracing recorder: _PathRecorder) {
        state = .tracing(recorder)
    }

    var managed: ManagedMap? {
        if case .managed(let map) = state { map } else { nil }
    }

    /// The values where no Realm manages the map; nil where one does.
    public var _unmanagedValues: [Value]? {
        if case .unmanaged(let entries) = state { Array(entries.values) } else { nil }
    }

    /// The collection as a query, which filters and sorts derive from.
    public var _source: _ResultsSource {
        guard let managed else {
            misuse("This method may only be called on RLMDictionary instances retrieved from an RLMRealm")
        }
        return managed.list.source
    }

    /// The same collection in the Realm instance that the source belongs to.
    public func _moved(to source: _ResultsSource) -> Map {
        Map(state: .managed(ManagedMap(ManagedList(source))))
    }

    // MARK: - Reading

    /// How many entries there are.
    ///
    /// ```swift
    /// print(dog.favoriteParksByCity.count)
    /// ```
    public var count: Int {
        switch state {
        case .unmanaged(let entries): entries.count
        case .managed(let map): map.list.count
        case .tracing: 1
        }
    }

    /// Whether there are no entries.
    ///
    /// ```swift
    /// if dog.favoriteParksByCity.isEmpty { print("no favourites yet") }
    /// ```
    public var isEmpty: Bool { count == 0 }

    /// The Realm that manages it; nil for an unmanaged one.
    public var realm: Realm? { managed.map { Realm(instance: $0.list.instance) } }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { managed?.list.isInvalidated ?? false }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { managed?.list.instance.isFrozen ?? false }

    /// The content as text: to a depth of five, and a hundred elements of each collection.
    public var description: String { description(depth: 5) }

    /// The keys, in ascending order while managed.
    ///
    /// ```swift
    /// for city in dog.favoriteParksByCity.keys { print(city) }
    /// ```
    public var keys: [Key] {
        switch state {
        case .unmanaged(let entries): entries.keys.map(\.key)
        case .managed(let map): map.names.map { Key(_mapKey: $0) }
        case .tracing: []
        }
    }

    /// The values, in the order of the keys.
    ///
    /// ```swift
    /// for park in dog.favoriteParksByCity.values { print(park) }
    /// ```
    public var values: [Value] {
        switch state {
        case .unmanaged(let entries): Array(entries.values)
        case .managed(let map): map.values.map { typed($0, map) }
        case .tracing: []
        }
    }

    /// The keys with their current values.
    var entries: [(key: Key, value: Value)] {
        switch state {
        case .unmanaged(let entries): entries.map { (key: $0.key.key, value: $0.value) }
        case .managed(let map): zip(map.names, map.values).map { (key: Key(_mapKey: $0), value: typed($1, map)) }
        case .tracing: []
        }
    }

    /// Whether an entry satisfies a condition.
    ///
    /// ```swift
    /// let isCityDog = dog.favoriteParksByCity.contains { city, park in park.hasPrefix(city) }
    /// ```
    public func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool {
        for entry in entries where try predicate(entry.key, entry.value) { return true }
        return false
    }

    private func typed(_ value: CausewayModel.Value, _ map: ManagedMap) -> Value {
        Value._fromStored(_StoredValue(value), map.list.target)
    }

    /// Two managed maps are equal when they are the same property of the same object, two unmanaged maps when their
    /// entries are equal.
    public static func == (left: Map, right: Map) -> Bool {
        if left === right { return true }
        if case (.unmanaged(let first), .unmanaged(let second)) = (left.state, right.state) { return first == second }
        guard let first = left.managed?.list, let second = right.managed?.list else { return false }
        return first.key == second.key && first.column == second.column && first.access === second.access
    }

    /// Whether another value is a map equal to this one, which is what `==` asks.
    ///
    /// ```swift
    /// dog.favoriteParksByCity.isEqual(dog.favoriteParksByCity)    // true
    /// ```
    public func isEqual(_ object: Any?) -> Bool { (object as? Map).map { $0 == self } ?? false }

    // MARK: - Changing

    /// The value of a key, or nil when the key is missing. Setting nil removes the key.
    ///
    /// ```swift
    /// let park = dog.favoriteParksByCity["Chicago"]
    /// try realm.write { dog.favoriteParksByCity["Chicago"] = nil }
    /// ```
    ///
    /// - Complexity: O(log n) in a managed map.
    public subscript(key: Key) -> Value? {
        get {
            switch state {
            case .unmanaged(let entries): return entries[ExactKey(key)]
            case .managed(let map): return map.value(key._mapKey).map { typed($0, map) }
            case .tracing(let recorder):
                KeyedRead.note(key._mapKey)
                return Value._tracing(recorder.entered())
            }
        }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    /// The value of a key, or a default when the key is missing. Setting it adds the key.
    ///
    /// ```swift
    /// let park = dog.favoriteParksByCity["Chicago", default: "none yet"]
    /// ```
    public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { self[key] = newValue }
    }

    /// Sets the value of a key. An embedded object that is replaced is deleted.
    ///
    /// ```swift
    /// try realm.write { dog.favoriteParksByCity.updateValue("Jackson Park", forKey: "Chicago") }
    /// ```
    ///
    /// - Complexity: O(log n) in a managed map.
    public func updateValue(_ value: Value, forKey key: Key) {
        checkMapKey(key._mapKey)
        switch state {
        case .unmanaged(var entries):
            // Released first, so that the dictionary is changed in place.
            state = .unmanaged([:])
            entries[ExactKey(key)] = value
            state = .unmanaged(entries)
        case .managed(let map):
            map.list.checkWritable()
            map.put(key._mapKey, value._toStored(map.list.target).value)
        case .tracing: break
        }
    }

    /// Removes a key with its value. An object stays in the Realm; an embedded object is deleted.
    ///
    /// ```swift
    /// try realm.write { dog.favoriteParksByCity.removeObject(for: "Chicago") }
    /// ```
    ///
    /// - Complexity: O(log n) in a managed map.
    public func removeObject(for key: Key) {
        switch state {
        case .unmanaged(var entries):
            state = .unmanaged([:])
            entries[ExactKey(key)] = nil
            state = .unmanaged(entries)
        case .managed(let map):
            map.list.checkWritable()
            map.remove(key._mapKey)
        case .tracing: break
        }
    }

    /// Removes all keys with their values. Objects stay in the Realm; embedded objects are deleted.
    ///
    /// ```swift
    /// try realm.write { dog.favoriteParksByCity.removeAll() }
    /// ```
    public func removeAll() {
        switch state {
        case .unmanaged: state = .unmanaged([:])
        case .managed(let map):
            map.list.checkWritable()
            map.removeAll()
        case .tracing: break
        }
    }

    /// Adds the entries of a sequence. For a key that exists already, the closure combines both values.
    ///
    /// ```swift
    /// try realm.write {
    ///     dog.favoriteParksByCity.merge(["Boston": "Common"], uniquingKeysWith: { old, new in old })
    /// }
    /// ```
    public func merge<S: Sequence>(
        _ sequence: S, uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        for (key, value) in Array(sequence) {
            updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
        }
    }

    /// Adds the entries of a dictionary. For a key that exists already, the closure combines both values.
    public func merge(
        _ dictionary: [Key: Value], uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows {
        try merge(dictionary.map { (key: $0.key, value: $0.value) }, uniquingKeysWith: combine)
    }

    /// Adds the entries of another map. For a key that exists already, the closure combines both values.
    public func merge(
        _ map: Map<Key, Value>, uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
    ) rethrows {
        try merge(map.entries, uniquingKeysWith: combine)
    }
}

/// Stops the program for a key that a key path cannot name.
func checkMapKey(_ key: String) {
    if key.hasPrefix("$") { misuse("Dictionary::insert: key must not start with '$'") }
    if key.utf8.contains(UInt8(ascii: ".")) { misuse("Dictionary::insert: key must not contain '.'") }
}

// MARK: - Iteration

/// One entry of a map.
///
/// ```swift
/// for entry: SingleMapEntry<String, String> in dog.favoriteParksByCity { print(entry.key, entry.value) }
/// ```
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    /// The key of the entry.
    public var key: Key
    /// The value of the entry.
    public var value: Value

    /// Creates an entry.
    public init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }
}

/// Goes over the entries that a map had when the loop began.
///
/// ```swift
/// var iterator: RLMMapIterator<String, String> = dog.favoriteParksByCity.makeIterator()
/// while let entry = iterator.next() { print(entry.key, entry.value) }
/// ```
public struct RLMMapIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    private var entries: IndexingIterator<[(key: Key, value: Value)]>

    init(_ map: Map<Key, Value>) {
        entries = map.entries.makeIterator()
    }

    /// The next entry, or nil at the end.
    public mutating func next() -> SingleMapEntry<Key, Value>? {
        entries.next().map { SingleMapEntry(key: $0.key, value: $0.value) }
    }
}

/// A map as a sequence of tuples of keys and values.
///
/// ```swift
/// let parks: RLMKeyValueSequence<String, String> = dog.favoriteParksByCity.asKeyValueSequence()
/// for (city, park) in parks { print(city, park) }
/// ```
public struct RLMKeyValueSequence<Key: _MapKey, Value: RealmCollectionValue>: Sequence {
    private let map: Map<Key, Value>

    init(_ map: Map<Key, Value>) {
        self.map = map
    }

    /// Goes over the entries that are there when the loop begins.
    public func makeIterator() -> RLMKeyValueIterator<Key, Value> { RLMKeyValueIterator(map) }
}

/// Goes over the keys and values that a map had when the loop began.
///
/// ```swift
/// var iterator: RLMKeyValueIterator<String, String> = dog.favoriteParksByCity.asKeyValueSequence().makeIterator()
/// while let (city, park) = iterator.next() { print(city, park) }
/// ```
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    private var entries: IndexingIterator<[(key: Key, value: Value)]>

    init(_ map: Map<Key, Value>) {
        entries = map.entries.makeIterator()
    }

    /// The next entry, or nil at the end.
    public mutating func next() -> (key: Key, value: Value)? { entries.next() }
}

extension Map {
    /// Goes over the entries that are there when the loop begins.
    public func makeIterator() -> RLMMapIterator<Key, Value> { RLMMapIterator(self) }

    /// The map as a sequence of tuples.
    ///
    /// ```swift
    /// for (city, park) in dog.favoriteParksByCity.asKeyValueSequence() { print(city, park) }
    /// ```
    public func asKeyValueSequence() -> RLMKeyValueSequence<Key, Value> { RLMKeyValueSequence(self) }
}
