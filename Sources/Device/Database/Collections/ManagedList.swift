import CausewayModel
import CausewayObjectStore

/// A list, set or map property of a managed object: its elements, or its values.
///
/// Positions here are those that the app sees. In a synced file the stored list may also hold links to objects that
/// have not arrived. These are not shown, and positions are translated where there are any.
final class ManagedList {
    let instance: RealmInstance
    // Uncounted but safe: the instance above owns it.
    unowned(unsafe) let access: _ClassAccess
    /// That of the class above: calls through it count no reference.
    private let header: UnsafeMutablePointer<_AccessHeader>
    let key: ObjectKey
    let column: Int
    /// The class of elements that are objects. The instance above owns it.
    private unowned(unsafe) let elementClass: _ClassAccess?
    /// The class that elements are made with: the target of links, or the owner's class for mixed elements, whose links
    /// may lead to any class. The instance above owns it.
    unowned(unsafe) let target: _ClassAccess?
    private var epoch: UInt
    /// How often the Realm had been invalidated when the list was made.
    private let invalidations: Int
    private var visible: (version: UInt, positions: [Int]?) = (0, nil)
    /// Whether it may hold links that are not shown.
    private let hidesGhosts: Bool
    private let kind: CollectionKind
    /// The cursor for inlined reads of elements.
    let cursor: UnsafeMutablePointer<_ListCursor>
    private let hasPlainElements: Bool
    /// Whether elements may be collections.
    private let isMixed: Bool
    @exclusivity(unchecked) private var madeSource: _ResultsSource?
    /// The directory that the cursor's spans belong to.
    @exclusivity(unchecked) private var directory: ListDirectory?

    convenience init(_ object: ObjectBase, _ access: _ClassAccess, _ column: Int) {
        self.init(object._key, access, column)
    }

    /// - Parameter source: the results that show the list; nil to make them when they are needed.
    init(_ key: ObjectKey, _ access: _ClassAccess, _ column: Int, _ source: _ResultsSource? = nil) {
        self.access = access
        header = access.header
        instance = access.instance
        self.key = key
        epoch = source?.beginning.ownerEpoch ?? access.header.pointee.epoch
        invalidations = source?.beginning.invalidations ?? instance.invalidations
        self.column = column
        let property = access.schema.properties[column]
        isMixed = property.type == .mixed
        kind = property.collection
        elementClass = access.target(column)
        target = elementClass ?? (isMixed ? access : nil)
        hidesGhosts = instance.leavesGhosts && elementClass != nil && kind != .map
        cursor = _ListCursor.make(access, epoch)
        hasPlainElements = Self.hasPlainElements(property.type, instance)
        madeSource = source
        if instance.isFrozen, source == nil { madeSource = makeSource() }
    }

    /// The list that a source shows.
    convenience init(_ source: _ResultsSource) {
        guard case .list(let owner, let access, let column) = source.origin else {
            misuse("A list can only be made from a list's own source.")
        }
        self.init(owner, access, column, source)
    }

    deinit {
        cursor.deallocate()
    }

    private static func hasPlainElements(_ type: StoredType, _ instance: RealmInstance) -> Bool {
        switch type {
        // Several threads may read a frozen list at once, so its cursor never moves.
        case .int, .double, .float, .bool: !instance.isFrozen
        default: false
        }
    }

    /// The elements as results. Made when somebody asks for it, since a list that is only written needs none; at once for a frozen
    /// list, which several threads may read.
    var source: _ResultsSource {
        instance.checkThread()
        if let madeSource { return madeSource }
        let source = makeSource()
        madeSource = source
        return source
    }

    private func makeSource() -> _ResultsSource {
        _ResultsSource(
            .list(owner: key, of: access, column: column), of: elementClass, in: instance,
            since: _ResultsSource.Beginning(invalidations: invalidations, ownerEpoch: epoch))
    }

    /// Several threads may read a frozen list, so none caches the visible positions. The source has the visible
    /// content.
    private var isFrozenWithGhosts: Bool { hidesGhosts && instance.isFrozen }

    // MARK: - Checks

    var isInvalidated: Bool { !access.stillExists(key, seenAt: epoch) }

    @inline(__always)
    func check() {
        if header.pointee.mayRead(at: epoch) { return }
        checkMore()
    }

    private func checkMore() {
        instance.checkThread()
        if epoch != access.header.pointee.epoch {
            guard access.stillExists(key, seenAt: epoch) else {
                misuse(
                    "\(typeName) is no longer valid. Either the parent object was deleted or the containing Realm has been "
                        + "invalidated or closed.")
            }
            epoch = access.header.pointee.epoch
        }
    }

    /// Calls with the owner's table, without a reference to it or to its class.
    @inline(__always)
    private func withTable<Result>(_ body: (Table) -> Result) -> Result {
        header.pointee.access._withUnsafeGuaranteedRef { $0.withTable(body) }
    }

    func checkWritable() {
        check()
        guard instance.isInWrite else {
            misuse("Cannot modify \(typeName) outside of a write transaction.")
        }
    }

    private var typeName: String {
        switch kind {
        case .none, .list: "List"
        case .set: "Set"
        case .map: "Dictionary"
        }
    }

    // MARK: - Positions

    /// The stored positions that are shown, or nil when all are.
    private var positions: [Int]? {
        guard hidesGhosts, let target = elementClass else { return nil }
        if visible.version != instance.contentVersion {
            let values = access.table.listValues(key, column)
            let alive = values.indices.filter { index in
                if case .object(let key) = values[index] { target.exists(key) } else { false }
            }
            visible = (instance.contentVersion, alive.count == values.count ? nil : alive)
        }
        return visible.positions
    }

    private func stored(_ position: Int) -> Int {
        guard let positions else { return position }
        return position < positions.count ? positions[position] : access.table.listCount(key, column)
    }

    // MARK: - Reading

    var count: Int {
        check()
        if isFrozenWithGhosts { return source.count }
        return positions?.count ?? withTable { $0.listCount(key, column) }
    }

    func value(_ position: Int) -> Value {
        check()
        if hasPlainElements {
            moveCursor(to: position)
        }
        if isFrozenWithGhosts { return .object(source.keys[position]) }
        let place = stored(position)
        return withTable { $0.listValue(key, column, place) }
    }

    private func moveCursor(to position: Int) {
        cursor.pointee.epoch = epoch
        cursor.pointee.window = access.table.listWindow(key, column, around: position)
        // The old directory may be of another version than the window.
        directory = access.table.listDirectory(key, column)
        cursor.pointee.spans = directory?.spans ?? .empty
    }

    // MARK: - Changing

    func append(_ value: Value) {
        if isMixed { checkPlace(of: value) }
        withTable { $0.listAppend(key, column, value) }
        instance.contentChanged()
    }

    func insert(_ value: Value, at position: Int) {
        if isMixed { checkPlace(of: value) }
        let place = stored(position)
        withTable { $0.listInsert(key, column, place, value) }
        instance.contentChanged()
    }

    func replace(_ value: Value, at position: Int) {
        if isMixed { checkPlace(of: value) }
        let place = stored(position)
        withTable { $0.listSet(key, column, place, value) }
        elementsRemoved()
    }

    func remove(at position: Int) {
        let place = stored(position)
        withTable { $0.listRemove(key, column, place) }
        elementsRemoved()
    }

    func removeAll() {
        access.table.listClear(key, column)
        elementsRemoved()
    }

    func move(from: Int, to: Int) {
        access.table.listMove(key, column, stored(from), stored(to))
        instance.contentChanged()
    }

    /// Replaces the whole content.
    func replaceAll(_ values: [Value]) {
        if isMixed { for value in values { checkPlace(of: value) } }
        access.table.listReplace(key, column, values)
        elementsRemoved()
    }

    /// Stops the program if the value is a collection that would be nested too deeply, or stand in a set or in an
    /// asymmetric object.
    func checkPlace(of value: Value) {
        guard case .anyObject = value else { return }
        if kind == .set { instance.refuseNestedInSet(value) }
        if access.model.kind == .asymmetric, instance.transaction.nested(value) != nil { access.refuseNestedOneWay() }
        instance.checkLevel(of: value, in: access, key)
    }

    /// Embedded objects and nested collections are deleted with their place in the list.
    func elementsRemoved() {
        if elementClass?.isEmbedded == true || isMixed && instance.hasSeenNested {
            instance.rowsDeleted()
        } else {
            instance.contentChanged()
        }
    }
}
