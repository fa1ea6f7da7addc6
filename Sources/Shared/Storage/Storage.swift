/// A file that keeps bytes and knows nothing else: ordered trees and leaf directories, read in snapshots and changed
/// by one writer at a time.
///
/// A **tree** is named by a small integer and maps byte keys to byte values, in byte order of the keys. A **leaf** is
/// a run of bytes found by (column, number), read where it lies, without a copy.
/// Every commit has a version, one larger than the commit before it.
///
/// The calls are all there is, so that another store can stand behind them.
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

    /// Makes every commit so far survive a power loss before it returns.
    func synchronize() throws(StorageError)

    /// Returns when a version survives a power loss: at once for a durable commit, with the window's one sync for a
    /// grouped one. For a relaxed one it asks for a sync.
    func whenDurable(_ version: UInt64) async throws(StorageError)

    /// Calls back soon after commits of other processes, on a thread of the storage, until the token goes away.
    /// Several commits may come as one call.
    func observeOtherProcesses(_ body: @escaping @Sendable () -> Void) -> any StorageObservation

    /// The leaves that differ between two snapshots of this storage: written, replaced or removed. Leaves that
    /// ``compact()`` moved count as replaced.
    /// - Complexity: O(what changed).
    func changedLeaves(between older: any StorageSnapshot, and newer: any StorageSnapshot) throws(StorageError)
        -> [LeafPlace]

    /// Ranges of keys outside of which two snapshots' trees are the same. A range may hold keys that did not change.
    /// - Complexity: O(what changed).
    func changedRanges(between older: any StorageSnapshot, and newer: any StorageSnapshot) throws(StorageError)
        -> [TreeRange]

    /// Writes a copy without unused space to a path where no file is yet, while the storage is in use.
    /// - Parameter key: the 64 bytes that encrypt the copy; nil for a plain one.
    func copy(to path: String, key: [UInt8]?) throws(StorageError)

    /// Moves pages from the end of the file into free space and gives the end back to the system.
    func compact() throws(StorageError)

    /// Reads the whole file and reports everything that is wrong with it.
    /// - Parameter progress: pages looked at so far, and all of them; now and then.
    func verify(_ progress: (_ done: Int, _ total: Int) -> Void) throws(StorageError) -> StorageReport

    func statistics() throws(StorageError) -> StorageStatistics
}

/// Ends an observation when it goes away.
package protocol StorageObservation: AnyObject, Sendable {}

package struct LeafPlace: Hashable, Comparable, Sendable {
    package var column: UInt32
    package var number: UInt32

    package init(column: UInt32, number: UInt32) {
        self.column = column
        self.number = number
    }

    package static func < (left: LeafPlace, right: LeafPlace) -> Bool {
        (left.column, left.number) < (right.column, right.number)
    }
}

/// Keys of one tree from `lower` up to, not including, `upper`; nil is the end of the tree.
package struct TreeRange: Hashable, Sendable {
    package var tree: UInt32
    package var lower: [UInt8]
    package var upper: [UInt8]?

    package init(tree: UInt32, lower: [UInt8], upper: [UInt8]?) {
        self.tree = tree
        self.lower = lower
        self.upper = upper
    }
}

/// When a commit counts as done.
package enum Durability: Sendable, Hashable {
    /// On the disk before `commit` returns.
    case durable
    /// Visible at once and on the disk within so long; one sync serves all commits of the window.
    /// ``Storage/whenDurable(_:)`` waits for it.
    case grouped(within: Duration)
    /// With the operating system: survives the end of the process. When the machine stops, the latest of these may be
    /// lost, in order, and never in part.
    case relaxed
}

/// What a snapshot and a writer have in common. Bytes handed out stay where they are while the snapshot lives, or
/// until the writer's next change.
///
/// Reading finds no words for damage: a page that cannot be read counts as absent, ``damage`` tells the reason, and
/// the storage's next `snapshot`, `write` or `commit` throws it. ``StorageOptions/onDamage`` hears of it at once, unless
/// whoever reads will throw it; see ``DamageReporting``.
package protocol StorageReader: AnyObject {
    var version: UInt64 { get }

    /// Why something was absent that should be there. Nil as long as everything read was sound.
    var damage: StorageError? { get }

    /// Begins at an address that is a multiple of 16 in the page store.
    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer?

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?

    /// Visits keys from `from` up to, not including, `upTo` (nil: the end of the tree), or the same ones backwards,
    /// until the body answers false. The body may write: it goes on seeing the state from before.
    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    )

    /// How many keys lie from `from` up to, not including, `upTo`.
    func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int
}

/// One committed state. Any number of threads may read one snapshot at once.
package protocol StorageSnapshot: StorageReader, Sendable {
    /// Whether no commit, by any process, came after it.
    var isNewest: Bool { get }

    /// Whether it keeps so much in memory that whoever reads on should do so in a ``renewed()`` one. False for stores
    /// that keep nothing.
    var isCrowded: Bool { get }

    /// Another snapshot of the same state, that keeps nothing in memory yet. Nil when there is none to be had.
    func renewed() -> (any StorageSnapshot)?
}

extension StorageSnapshot {
    package var isCrowded: Bool { false }
    package func renewed() -> (any StorageSnapshot)? { nil }
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
package let maximumKeyBytes = 1 << 20
