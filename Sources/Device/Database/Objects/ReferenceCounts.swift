/// Reads the reference counts of Swift objects.
///
/// The counts are one word after an object's metadata. The word counts strong and unowned references. The first weak
/// reference moves the counts to a side table, and the word then holds the table's address for good. A probe object
/// verifies this behaviour. If it differs, the library does not use the counts.
enum ReferenceCounts {
    private final class Probe {}

    /// The owner of a probe, and further references to it for the test. Nothing is inlined, so that no temporary
    /// reference of one function is counted when another reads the word.
    private final class Owner {
        private var probe = Probe()
        private var strong: Probe?
        private unowned var other: Probe?
        private weak var weakly: Probe?

        @inline(never)
        func word() -> UInt64 { ReferenceCounts.word(of: Unmanaged.passUnretained(probe)) }

        @inline(never)
        func isAlone() -> Bool { isKnownUniquelyReferenced(&probe) }

        @inline(never)
        func refer(strongly: Bool = false, unowned: Bool = false, weakly: Bool = false) {
            strong = strongly ? probe : nil
            other = unowned ? probe : nil
            self.weakly = weakly ? probe : nil
        }
    }

    /// The word of an object with exactly one strong reference; nil if the counts do not behave as described.
    static let ofOneReference: UInt64? = probe()

    @inline(__always)
    static func word<T: AnyObject>(of object: Unmanaged<T>) -> UInt64 {
        UnsafeRawPointer(object.toOpaque()).load(fromByteOffset: MemoryLayout<UInt64>.size, as: UInt64.self)
    }

    private static func probe() -> UInt64? {
        guard MemoryLayout<UInt>.size == MemoryLayout<UInt64>.size else { return nil }
        let owner = Owner()
        let alone = owner.word()
        guard owner.isAlone(), owner.word() == alone else { return nil }
        owner.refer(strongly: true)
        // If the word is less than what a second reference adds, it holds at most one reference.
        guard owner.word() > alone, alone < owner.word() - alone else { return nil }
        owner.refer()
        guard owner.word() == alone else { return nil }
        owner.refer(unowned: true)
        guard owner.word() != alone else { return nil }
        owner.refer()
        guard owner.word() == alone else { return nil }
        owner.refer(weakly: true)
        return owner.word() != alone ? alone : nil
    }
}
