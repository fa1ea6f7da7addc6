import Synchronization

/// A row of pointers that are found once and then known to every thread.
///
/// What a pointer leads to was written before the pointer is set, and is seen by whoever reads it. Who finds one that is
/// known already sets it to the same.
struct PublishedPointers {
    private let words: UnsafeMutablePointer<UInt>

    init(_ count: Int) {
        words = .allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
    }

    func deallocate() {
        words.deallocate()
    }

    subscript(index: Int) -> UnsafeRawPointer? {
        @inline(__always) get {
            UnsafeRawPointer(bitPattern: Self.word(words + index).pointee.load(ordering: .acquiring))
        }
        nonmutating set { Self.word(words + index).pointee.store(UInt(bitPattern: newValue), ordering: .releasing) }
    }

    /// Sets a pointer that is still what the caller saw. False when it is another.
    func exchange(at index: Int, _ seen: UnsafeRawPointer?, for new: UnsafeRawPointer) -> Bool {
        Self.word(words + index).pointee.compareExchange(
            expected: UInt(bitPattern: seen), desired: UInt(bitPattern: new), ordering: .acquiringAndReleasing
        ).exchanged
    }

    @inline(__always)
    private static func word(_ word: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt>> {
        // An atomic word lies in memory as the word does.
        word.assumingMemoryBound(to: Atomic<UInt>.self)
    }
}
