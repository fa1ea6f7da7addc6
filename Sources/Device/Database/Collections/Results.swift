import CausewayModel

/// The objects a query finds, live.
///
/// ```swift
/// let tanDogs = realm.objects(Dog.self).where { $0.color == "tan" }
/// let firstByName = tanDogs.sorted(by: \.name).first
/// ```
///
/// Making, filtering and sorting results costs nothing; the query runs when an element, the count or an observation is
/// asked for. From then on they always show the newest content. Iteration goes over the content as it was when the
/// loop began, so the loop may change what it loops over.
///
/// - Complexity: An access is O(1) while nothing has changed since the last one; otherwise the query runs again.
public struct Results<Element: RealmCollectionValue>: RealmCollection {
    let source: _ResultsSource

    init(_ source: _ResultsSource) {
        self.source = source
    }

    public var _source: _ResultsSource { source }

    public func _moved(to source: _ResultsSource) -> Results { Results(source) }

    public var count: Int { source.count }

    public subscript(position: Int) -> Element {
        source.element(position)
    }

    public func makeIterator() -> RealmCollectionIterator<Element> {
        RealmCollectionIterator(source)
    }

    public var realm: Realm? { Realm(instance: source.instance) }

    public var isInvalidated: Bool { source.isInvalidated }

    public var isFrozen: Bool { source.instance.isFrozen }

    public var description: String { describe(self, "Results") }

    public static func == (left: Results, right: Results) -> Bool { left.source === right.source }
}

/// Goes over the content that a collection had when the loop began.
///
/// - Complexity: A step over objects costs a few nanoseconds as long as the loop keeps none of them; an object that is
///   kept costs its allocation.
public struct RealmCollectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private enum Content {
        case source(_ResultsSource.Content, _ClassAccess?)
        case array([Element])
    }
    /// Rows of just the class `Element`.
    @usableFromInline var rows: _RowLoop?
    private let content: Content
    /// Keeps the class access alive.
    private let instance: RealmInstance?
    private var position = 0

    init(_ source: _ResultsSource) {
        if case .keys(let keys) = source.current, let access = source.access, access.model.type == Element.self {
            rows = _RowLoop(keys, access)
            content = .array([])
        } else {
            content = .source(source.current, source.access)
        }
        instance = source.instance
    }

    init(_ elements: [Element]) {
        content = .array(elements)
        instance = nil
    }

    @inlinable
    public mutating func next() -> Element? {
        // `Element` is the class that the loop makes objects of.
        if rows != nil { return rows?.next().map { unsafeBitCast($0, to: Element.self) } }
        return nextElement()
    }

    @usableFromInline
    mutating func nextElement() -> Element? {
        switch content {
        case .array(let elements):
            guard position < elements.count else { return nil }
            defer { position += 1 }
            return elements[position]
        case .source(.values(let values), let access):
            guard position < values.count else { return nil }
            defer { position += 1 }
            return Element._fromStored(_StoredValue(values[position]), access)
        case .source(.keys(let keys), let access):
            guard position < keys.count else { return nil }
            defer { position += 1 }
            // A row deleted since the loop began still gets its turn, as an invalidated object.
            guard let type = Element.self as? ObjectBase.Type else { return nil }
            return access?.object(keys[position], as: type) as? Element
        }
    }
}

/// A loop over rows of one class.
@usableFromInline
struct _RowLoop {
    private let keys: [ObjectKey]
    private let accessor: LoopAccessor
    private var position = 0

    init(_ keys: [ObjectKey], _ access: _ClassAccess) {
        self.keys = keys
        accessor = LoopAccessor(access)
    }

    @usableFromInline
    @inline(never)
    mutating func next() -> ObjectBase? {
        guard position < keys.count else { return nil }
        position &+= 1
        return accessor.handOut(keys[position &- 1])
    }
}

extension _ResultsSource {
    func element<Element: RealmCollectionValue>(_ position: Int) -> Element {
        switch leading(position &+ 1) {
        case .keys(let keys):
            checkBounds(position, keys.count)
            return Element._fromStored(_StoredValue(.object(keys[position])), access)
        case .values(let values):
            checkBounds(position, values.count)
            return Element._fromStored(_StoredValue(values[position]), nil)
        }
    }
}

func checkBounds(_ position: Int, _ count: Int) {
    guard position >= 0 else { misuse("Cannot pass a negative value") }
    guard position < count else { misuse("Index \(position) is out of bounds (must be less than \(count)).") }
}

/// A collection as text: its type, and at most a hundred elements.
func describe<C: RealmCollection>(_ collection: C, _ name: String) -> String {
    var text = "\(name)<\(C.Element.self)> (\n"
    for (position, element) in collection.prefix(100).enumerated() {
        let line = (element as? ObjectBase)?.description(depth: 4) ?? "\(element)"
        text += "\t[\(position)] \(line.indentedAfterFirstLine),\n"
    }
    if collection.count > 100 { text += "\t... \(collection.count - 100) objects skipped.\n" }
    return text + ")"
}
