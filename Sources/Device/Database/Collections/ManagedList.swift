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
    let key: ObjectKey
    let column: Int
    let source: _ResultsSource
    /// The class that elements are made with: the target of links, or the owner's class for mixed elements, whose links
    /// may lead to any class. The instance above owns it.
    unowned(unsafe) let target: _ClassAccess?
    private var epoch: UInt
    private var visible: (version: UInt, positions: [Int]?) = (0, nil)
    /// Whether it may hold links that are not shown.
    private let hidesGhosts: Bool
    private let kind: CollectionKind
    /// The cursor for inlined reads of elements.
    let cursor: UnsafeMutablePointer<_ListCursor>
    private let hasPlainElements: Bool
    /// Whether elements may be collections.
    private let isMixed: Bool
    /// The directory that the cursor's spans belong to.
    @exclusivity(unchecked) private var directory: ListDirectory?

    convenience init(_ object: ObjectBase, _ access: _ClassAccess, _ column: Int) {
        self.init(object._key, access, column)
    }

    init(_ key: ObjectKey, _ access: _ClassAccess, _ column: Int) {
        self.access = access
        instance = access.instance
        self.key = key
        epoch = access.header.pointee.epoch
        self.column = column
        source = _ResultsSource(
            .list(owner: key, of: access, column: column), of: access.target(column), in: access.instance)
        target = source.links
        kind = access.schema.properties[column].collection
        hidesGhosts = instance.leavesGhosts && source.access != nil && kind != .map
        cursor = _ListCursor.make(access, epoch)
        hasPlainElements = Self.hasPlainElements(access, column)
        isMixed = access.schema.properties[column].type == .mixed
    }

    /// The list that a source shows.
    init(_ source: _ResultsSource) {
        guard case .list(let owner, let access, let column) = source.origin else {
            misuse("A list can only be made from a list's own source.")
        }
        self.source = source
        self.access = access
        self.column = column
        instance = source.instance
        key = owner
        epoch = source.ownerEpoch
        target = source.links
        kind = access.schema.properties[column].collection
        hidesGhosts = instance.leavesGhosts && source.access != nil && kind != .map
        cursor = _ListCursor.make(access, epoch)
        hasPlainElements = Self.hasPlainElements(access, column)
        isMixed = access.schema.properties[column].type == .mixed
    }

    deinit {
        cursor.deallocate()
    }

    private static func hasPlainElements(_ access: _ClassAccess, _ column: Int) -> Bool {
        switch access.schema.properties[column].type {
        // Several threads may read a frozen list at once, so its cursor never moves.
        case .int, .double, .float, .bool: !access.instance.isFrozen
        default: false
        }
    }

    /// Several threads may read a frozen list, so none caches the visible positions. The source has the visible
    /// content.
    private var isFrozenWithGhosts: Bool { hidesGhosts && instance.isFrozen }

    // MARK: - Checks

    var isInvalidated: Bool { !access.stillExists(key, seenAt: epoch) }

    func check() {
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
        guard hidesGhosts, let target = source.access else { return nil }
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
        return positions?.count ?? access.table.listCount(key, column)
    }

    func value(_ position: Int) -> Value {
        check()
        if hasPlainElements {
            moveCursor(to: position)
        }
        if isFrozenWithGhosts { return .object(source.keys[position]) }
        return access.table.listValue(key, column, stored(position))
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
        access.table.listAppend(key, column, value)
        instance.contentChanged()
    }

    func insert(_ value: Value, at position: Int) {
        if isMixed { checkPlace(of: value) }
        access.table.listInsert(key, column, stored(position), value)
        instance.contentChanged()
    }

    func replace(_ value: Value, at position: Int) {
        if isMixed { checkPlace(of: value) }
        access.table.listSet(key, column, stored(position), value)
        elementsRemoved()
    }

    func remove(at position: Int) {
        access.table.listRemove(key, column, stored(position))
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
        if source.access?.isEmbedded == true || isMixed && instance.hasSeenNested {
            instance.rowsDeleted()
        } else {
            instance.contentChanged()
        }
    }
}
