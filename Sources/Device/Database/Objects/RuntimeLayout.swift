import Synchronization

/// What this library takes for granted of how Swift lays things out in memory, beyond what the language promises.
///
/// Tried with Swift 6.3.1 on x86-64. Each case is found out on objects of our own: by a test, and in debug builds before the
/// first Realm is opened. Where a later Swift breaks one, that is where to look first.
enum RuntimeLayout: CaseIterable {
    /// `ClassDiscovery`: a class's metadata names its descriptor, and descriptors name the superclass and the metadata.
    case classDescriptors
    /// `ObjectModel.discover`: reflection tells a stored property's offset from the object's address.
    case fieldOffsets
    /// `ReferenceCounts`: strong and unowned references are counted in one word behind the metadata.
    case referenceCounts
    /// `PublishedPointers`, `LeafArray` and the inlined reads: an atomic lies in memory as its value does.
    case atomics
    /// `opened(_:as:)`: a reference to an object has the same bits whatever class it is typed as.
    case references

    var holds: Bool {
        switch self {
        case .classDescriptors: ClassDiscovery.isAsExpected
        case .fieldOffsets: ObjectModel.offsetsAreAsExpected
        case .referenceCounts: ReferenceCounts.ofOneReference != nil
        case .atomics: Self.atomicsHold()
        case .references: Self.referencesHold()
        }
    }

    /// Whether all of them hold; found out once.
    static let holds = allCases.allSatisfy(\.holds)

    private static func atomicsHold() -> Bool {
        let word = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        defer { word.deallocate() }
        word.initialize(to: 0x0123_4567_89AB_CDE0)
        let raw = UnsafeMutableRawPointer(word)
        let read = raw.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .relaxed)
        let pointer = raw.assumingMemoryBound(to: Atomic<UnsafeRawPointer?>.self)
        let readAsPointer = pointer.pointee.load(ordering: .relaxed)
        pointer.pointee.store(nil, ordering: .relaxed)
        return MemoryLayout<Atomic<UInt>>.size == MemoryLayout<UInt>.size
            && MemoryLayout<Atomic<UnsafeRawPointer?>>.size == MemoryLayout<UInt>.size
            && read == 0x0123_4567_89AB_CDE0 && UInt(bitPattern: readAsPointer) == read && word.pointee == 0
    }

    private static func referencesHold() -> Bool {
        class Base {}
        final class Derived: Base {}
        let derived = Derived()
        let bits = withUnsafeBytes(of: derived) { $0.load(as: UInt.self) }
        return withUnsafeBytes(of: derived as Base) { $0.load(as: UInt.self) } == bits
            && bits == UInt(bitPattern: Unmanaged.passUnretained(derived).toOpaque())
    }
}
