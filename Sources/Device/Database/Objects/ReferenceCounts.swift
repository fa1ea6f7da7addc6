/// The reference counts of Swift objects, as far as this library looks at them.
///
/// They are one word behind an object's metadata: strong and unowned references are counted in it, until a weak
/// reference is made, which moves them to a table aside and leaves its address here for good. What the word looks like
/// is found out on an object of our own, and where it does not behave as said here, it is never relied on.
enum ReferenceCounts {
    private final class Probe {}

    /// The one owner of a probe, and what may refer to it besides. Nothing is inlined, so that no reference of a
    /// function's own is counted when another one looks.
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

    /// The word of an object that has one strong reference and no other; nil where that cannot be told.
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
        // No more than one reference is in it, if it is less than what a second one adds.
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
