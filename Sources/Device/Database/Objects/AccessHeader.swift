public import CausewayObjectStore

/// What the inlined read path of a managed object needs to know about its class, in memory of its own.
///
/// A property read must not retain anything: an atomic increment costs more than the read itself. Objects therefore
/// point here directly, past the class access that owns this memory; each object also retains the Realm instance that
/// owns the class access, so the pointer cannot dangle.
@frozen
public struct _AccessHeader {
    /// `pthread_self()` of the thread that may read; zero where the compiler's isolation takes the place of the check, and
    /// in a frozen Realm, which every thread may read.
    public var thread: UInt
    /// Whether several threads may read at once: then objects remember nothing.
    public let isFrozen: Bool
    /// Raised whenever objects of the class may have ceased to exist. An object that saw another epoch checks first.
    public var epoch: UInt
    /// By column, the leaves read so far: the table's own directory, whose entries become nil when a leaf changes; in a
    /// frozen Realm one that any thread adds to.
    public var directory: UnsafeMutablePointer<LeafArray>
    /// The class access that owns this memory.
    @usableFromInline
    var access: Unmanaged<_ClassAccess>

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

/// Slots of one leaf; an object's key names leaf and slot by division.
let slotsPerLeaf = 1000
