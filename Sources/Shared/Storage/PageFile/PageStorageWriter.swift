/// The one write transaction of a page file: a snapshot, and the changes over it, which stay in memory until `commit`.
final class PageStorageWriter: StorageWriter {
    private let storage: PageStorage
    /// The snapshot on which the transaction began. A commit releases it, so that keeping this object does not pin it.
    private var begun: PageSnapshot?
    private var pending: WriteChanges?
    private var isOver = false

    /// The storage's writer lock is held, and this object releases it.
    init(_ storage: PageStorage, base: PageSnapshot) {
        self.storage = storage
        begun = base
        pending = WriteChanges(over: base, path: storage.path)
    }

    deinit {
        if !isOver { storage.writerLock.release() }
    }

    private var snapshot: PageSnapshot {
        guard let begun else { preconditionFailure("a write transaction was used after its commit") }
        return begun
    }

    private var changes: WriteChanges {
        guard let pending else { preconditionFailure("a write transaction was used after its end") }
        return pending
    }

    var base: any StorageSnapshot { snapshot }
    var version: UInt64 { snapshot.version }
    var damage: StorageError? { snapshot.damage }

    // MARK: - Reading its own changes

    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        changes.leaf(column: column, number: number)
    }

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        changes.get(tree: tree, key: key)
    }

    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        changes.scan(tree: tree, from: from, upTo: upTo, reversed: reversed, body)
    }

    func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int {
        changes.count(tree: tree, from: from, upTo: upTo)
    }

    // MARK: - Changing

    var changedBytes: Int { changes.usedBytes }

    func put(tree: UInt32, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        changes.put(tree: tree, key: key, value: value)
    }

    func remove(tree: UInt32, key: UnsafeRawBufferPointer) {
        changes.remove(tree: tree, key: key)
    }

    func replaceLeaf(column: UInt32, number: UInt32, _ bytes: UnsafeRawBufferPointer) {
        changes.replaceLeaf(column: column, number: number, bytes)
    }

    func removeLeaf(column: UInt32, number: UInt32) {
        changes.removeLeaf(column: column, number: number)
    }

    // MARK: - Ending

    func abort() {
        end()
    }

    private func end() {
        precondition(!isOver, "a write transaction ends once")
        isOver = true
        pending = nil
        storage.writerLock.release()
    }

    func commit(_ durability: Durability) throws(StorageError) -> any StorageSnapshot {
        defer { end() }
        if let refusal = changes.refusal { throw refusal }
        let committed = try storage.commit(changes, over: snapshot, durability)
        begun = nil
        return committed
    }
}
