import Synchronization

/// An array of pointers that one thread sets and every thread may read.
///
/// A reader of a pointer sees everything that was written before the pointer was set. Threads that race to set a
/// pointer set it to the same value.
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

    /// Sets a pointer if it still has the value that the caller saw. Returns false if it has another value.
    func exchange(at index: Int, _ seen: UnsafeRawPointer?, for new: UnsafeRawPointer) -> Bool {
        Self.word(words + index).pointee.compareExchange(
            expected: UInt(bitPattern: seen), desired: UInt(bitPattern: new), ordering: .acquiringAndReleasing
        ).exchanged
    }

    @inline(__always)
    private static func word(_ word: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt>> {
        // An atomic word has the memory layout of the word.
        word.assumingMemoryBound(to: Atomic<UInt>.self)
    }
}
