/// A file that keeps bytes and knows nothing else: ordered trees and leaf directories, read in snapshots and changed
/// by one writer at a time.
///
/// A **tree** is named by a small integer and maps byte keys to byte values, in byte order of the keys. Tree 0 is the
/// storage's own. A **leaf** is a run of bytes found by (column, number), read where it lies, without a copy.
/// Every commit has a version, one larger than the commit before it.
///
/// The calls are all there is, so that another store can stand behind them: nothing here names LMDB.
package protocol Storage: AnyObject, Sendable {
    var path: String { get }

    /// The newest committed state, pinned until the last reference to it goes away.
    func snapshot() throws(StorageError) -> any StorageSnapshot

    /// Waits for its turn as the one writer, first come first served, and begins on the newest state.
    func write() throws(StorageError) -> any StorageWriter

    /// Begins to write with a turn that was waited for elsewhere.
    func write(using reservation: WriteReservation) throws(StorageError) -> any StorageWriter

    /// Takes a place in the queue of writers now and calls back when its turn has come. The callback should hand the
    /// reservation on and return; callbacks of one storage come one after the other.
    func reserveWrite(_ granted: @escaping @Sendable (WriteReservation) -> Void)

    /// The version of the newest commit, by any process.
    func newestVersion() throws(StorageError) -> UInt64

    /// Writes a copy without unused space to a path where no file is yet.
    func compact(to path: String) throws(StorageError)

    func statistics() throws(StorageError) -> StorageStatistics
}

package struct StorageStatistics: Sendable {
    package var sizeBytes: Int
    package var usedBytes: Int
    package var pageBytes: Int
    package var treeEntries: Int
    package var leaves: Int

    package init(sizeBytes: Int, usedBytes: Int, pageBytes: Int, treeEntries: Int, leaves: Int) {
        self.sizeBytes = sizeBytes
        self.usedBytes = usedBytes
        self.pageBytes = pageBytes
        self.treeEntries = treeEntries
        self.leaves = leaves
    }
}

/// When a commit counts as done.
package enum Durability: Sendable {
    /// On the disk before `commit` returns.
    case durable
    /// With the operating system: survives the end of the process, may be lost when the machine stops.
    case relaxed
}

/// What a snapshot and a writer have in common. Bytes handed out stay where they are while the snapshot lives, or
/// until the writer's next change.
///
/// Reading finds no words for damage: a page that cannot be read counts as absent, and the storage's next `snapshot`,
/// `write` or `commit` throws the reason.
package protocol StorageReader: AnyObject {
    var version: UInt64 { get }

    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer?

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?

    /// Visits keys from `from` up to, not including, `upTo` (nil: the end of the tree), or the same ones backwards,
    /// until the body answers false. The body may write: it goes on seeing the state from before.
    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    )
}

/// One committed state. Any number of threads may read one snapshot at once.
package protocol StorageSnapshot: StorageReader, Sendable {
    /// Whether no commit, by any process, came after it.
    var isNewest: Bool { get }
}

/// The one write transaction: it sees its own changes, and nobody else does before `commit`.
///
/// Not bound to a thread, but used by one at a time. After `commit` or `abort` it must not be used again; one that is
/// dropped without either aborts itself.
package protocol StorageWriter: StorageReader {
    /// The state the transaction began on.
    var base: any StorageSnapshot { get }

    /// Keys have at most ``maximumKeyBytes`` bytes; a longer one makes the commit throw.
    func put(tree: UInt32, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    func remove(tree: UInt32, key: UnsafeRawBufferPointer)
    func replaceLeaf(column: UInt32, number: UInt32, _ bytes: UnsafeRawBufferPointer)
    func removeLeaf(column: UInt32, number: UInt32)

    /// Makes all changes visible and answers the state they make; nobody can have committed in between.
    /// An error leaves everything as it was before the transaction, which is over.
    func commit(_ durability: Durability) throws(StorageError) -> any StorageSnapshot

    /// Forgets all changes.
    func abort()
}

/// The longest key a tree takes.
package let maximumKeyBytes = 500
