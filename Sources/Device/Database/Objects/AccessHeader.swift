public import CThread
public import CausewayObjectStore

/// What the inlined read path of a managed object needs to know about its class.
///
/// A property read must not retain anything: an atomic increment costs more than the read itself. So objects point
/// directly to this memory, which the class access owns. Each object also retains the Realm instance that owns the
/// class access, so the pointer cannot dangle.
@frozen
public struct _AccessHeader {
    /// The thread that may read, as `causeway_thread` names it. Zero without a check: in a Realm of an actor, where the compiler
    /// checks isolation, and in a frozen Realm, which every thread may read.
    public var thread: UInt
    /// Whether several threads may read at once. Objects then cache nothing.
    public let isFrozen: Bool
    /// Incremented whenever objects of the class may have been deleted. An object that saw another epoch checks first.
    public var epoch: UInt
    /// By column, the leaves read so far. This is the table's own directory, whose entries become nil when a leaf
    /// changes. In a frozen Realm it is a separate one that any thread adds to.
    public var directory: UnsafeMutablePointer<LeafArray>
    /// The class access that owns this memory.
    @usableFromInline
    var access: Unmanaged<_ClassAccess>

    /// Whether the running thread may read what it last saw at an epoch, as far as this tells.
    @inlinable
    @inline(__always)
    func mayRead(at epoch: UInt) -> Bool {
        (thread == causeway_thread() || thread == 0) && self.epoch == epoch
    }

    @usableFromInline
    init(
        thread: UInt, isFrozen: Bool, epoch: UInt, directory: UnsafeMutablePointer<LeafArray>,
        access: Unmanaged<_ClassAccess>
    ) {
        self.thread = thread
        self.isFrozen = isFrozen
        self.epoch = epoch
        self.directory = directory
        self.access = access
    }
}

/// The number of slots in a leaf. An object's key divided by it gives the leaf, the remainder gives the slot.
let slotsPerLeaf = 1000
