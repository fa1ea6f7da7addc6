import Synchronization

/// The assumptions of this library about Swift's memory layout that the language does not guarantee.
///
/// Verified with Swift 6.3.1 on x86-64. A test checks each case on objects of our own, and so do debug builds before
/// they open the first Realm. If a later Swift breaks an assumption, look here first.
enum RuntimeLayout: CaseIterable {
    /// `ClassDiscovery`: class metadata points to its descriptor. Descriptors point to the superclass and the metadata.
    case classDescriptors
    /// `ObjectModel.discover`: reflection gives a stored property's offset from the object's address.
    case fieldOffsets
    /// `ReferenceCounts`: the word after the metadata counts strong and unowned references.
    case referenceCounts
    /// `PublishedPointers`, `LeafArray` and the inlined reads: an atomic has the memory layout of its value.
    case atomics
    /// `opened(_:as:)`: a reference has the same bits under every class type.
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

    /// Whether all assumptions hold. Checked once.
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
