/// A store of bytes in one file: ordered trees and leaves, read in snapshots and changed by one writer at a time.
///
/// A **tree** is named by a small integer and maps byte keys to byte values, in byte order of the keys. A **leaf** is
/// a run of bytes found by (column, number) and read in place, without a copy.
/// Every commit has a version, one larger than the commit before it.
///
/// Callers use nothing but this protocol, so another store can implement it.
package protocol Storage: AnyObject, Sendable {
    var path: String { get }

    /// The newest committed state, which stays readable until the last reference to the snapshot goes away.
    func snapshot() throws(StorageError) -> any StorageSnapshot

    /// Waits for the turn to write, first come first served, and begins a transaction on the newest state.
    func write() throws(StorageError) -> any StorageWriter

    /// Begins a transaction with a turn from ``reserveWrite(_:)``. Throws when the turn was used or is another file's.
    func write(using reservation: WriteReservation) throws(StorageError) -> any StorageWriter

    /// Takes a place in the queue of writers now and calls back when its turn has come. The callback should pass the
    /// reservation on and return, because callbacks of one storage run one after the other.
    func reserveWrite(_ granted: @escaping @Sendable (WriteReservation) -> Void)

    /// The version of the newest commit, by any process.
    func newestVersion() throws(StorageError) -> UInt64

    /// Whether commits of this file should tell the places that they changed, because somebody follows them. The storage
    /// only carries the answer between processes.
    var tellsPlaces: Bool { get }

    /// Makes ``tellsPlaces`` true in all processes, until all of them have closed the file.
    func tellPlaces()

    /// Makes every commit so far survive a power loss before it returns.
    func synchronize() throws(StorageError)

    /// Returns when a version survives a power loss: at once for a durable commit, after the window's fsync for a
    /// grouped one. For a relaxed one it requests an fsync.
    func whenDurable(_ version: UInt64) async throws(StorageError)

    /// Calls back soon after commits of other processes, on a thread of the storage, until the token goes away.
    /// Several commits may come as one call.
    func observeOtherProcesses(_ body: @escaping @Sendable () -> Void) -> any StorageObservation

    /// The leaves that differ between two snapshots of this storage: written, replaced or removed. Leaves that
    /// ``compact()`` moved count as replaced.
    /// - Complexity: O(what changed).
    func changedLeaves(between older: any StorageSnapshot, and newer: any StorageSnapshot) throws(StorageError)
        -> [LeafPlace]

    /// Ranges that contain all keys that differ between two snapshots. They may also contain keys that did not change.
    /// - Complexity: O(what changed).
    func changedRanges(between older: any StorageSnapshot, and newer: any StorageSnapshot) throws(StorageError)
        -> [TreeRange]

    /// Writes a copy without unused space to a path where no file is yet. The storage may be in use meanwhile.
    /// - Parameters:
    ///   - key: the 64 bytes that encrypt the copy; nil for a plain one.
    ///   - pace: how it leaves room for other work on the disk; nil for a copy that is made as fast as possible.
    func copy(to path: String, key: [UInt8]?, pace: CopyPace?) throws(StorageError)

    /// Makes a copy in memory under a name, which lives as long as somebody holds it.
    func copyInMemory(named path: String) throws(StorageError) -> any Storage

    /// Moves pages from the end of the file into free space, and shortens the file.
    func compact() throws(StorageError)

    /// Reads the whole file and reports everything that is wrong with it.
    /// - Parameter progress: called now and then with the number of pages checked so far, and of all pages.
    func verify(_ progress: (_ done: Int, _ total: Int) -> Void) throws(StorageError) -> StorageReport

    func statistics() throws(StorageError) -> StorageStatistics
}

extension Storage {
    /// Writes a copy as fast as possible.
    package func copy(to path: String, key: [UInt8]?) throws(StorageError) {
        try copy(to: path, key: key, pace: nil)
    }
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

/// A range of keys of one tree: from `lower` up to, not including, `upper`; nil is the end of the tree.
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
    /// Synced to the disk before `commit` returns.
    case durable
    /// Visible at once, and synced to the disk within this time. One fsync serves all commits of the window.
    /// ``Storage/whenDurable(_:)`` waits for it.
    case grouped(within: Duration)
    /// Written to the operating system without an fsync: survives the end of the process. When the machine stops, the
    /// latest commits may be lost, newest first and each as a whole.
    case relaxed
}

/// The reading calls that snapshots and writers share. Returned bytes stay valid while the snapshot lives, or until
/// the writer's next change.
///
/// Reading does not throw: a page that cannot be read counts as absent, and ``damage`` has the reason. The storage's
/// next `snapshot`, `write` or `commit` throws it. ``StorageOptions/onDamage`` is called at once, unless the reading
/// call throws the damage itself; see ``DamageReporting``.
package protocol StorageReader: AnyObject {
    var version: UInt64 { get }

    /// The first damage found, because of which something counts as absent. Nil as long as everything read was sound.
    var damage: StorageError? { get }

    /// The bytes of a leaf; nil when it is absent. In the page store they begin at an address that is a multiple of 16.
    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer?

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?

    /// Visits keys from `from` up to, not including, `upTo` (nil: the end of the tree), or the same keys backwards,
    /// until `body` returns false. `body` may write; the scan does not see those changes.
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

    /// Whether it keeps so much in memory that its reader should go on in a ``renewed()`` one. False for stores that
    /// keep nothing.
    var isCrowded: Bool { get }

    /// Another snapshot of the same state, which keeps nothing in memory yet. Nil when the store cannot make one.
    func renewed() -> (any StorageSnapshot)?
}

extension StorageSnapshot {
    package var isCrowded: Bool { false }
    package func renewed() -> (any StorageSnapshot)? { nil }
}

/// The one write transaction. It sees its own changes; others see them after `commit`.
///
/// It is not bound to a thread, but only one thread may use it at a time. It must not be used after `commit` or
/// `abort`. A transaction that is released without either aborts itself.
package protocol StorageWriter: StorageReader {
    /// The state the transaction began on.
    var base: any StorageSnapshot { get }

    /// About how many bytes the changes so far take in memory.
    var changedBytes: Int { get }

    /// Keys have at most ``maximumKeyBytes`` bytes; a longer one makes the commit throw.
    func put(tree: UInt32, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    func remove(tree: UInt32, key: UnsafeRawBufferPointer)
    func replaceLeaf(column: UInt32, number: UInt32, _ bytes: UnsafeRawBufferPointer)
    func removeLeaf(column: UInt32, number: UInt32)

    /// Makes all changes visible and returns a snapshot of the new state, before anybody else can commit.
    /// The transaction is over also after an error, which leaves everything as it was before the transaction.
    func commit(_ durability: Durability) throws(StorageError) -> any StorageSnapshot

    /// Forgets all changes.
    func abort()
}

/// The longest key a tree takes.
package let maximumKeyBytes = 1 << 20
