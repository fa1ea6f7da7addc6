/// Numbers the names of objects in the order in which they are met, by their encoded bytes.
///
/// The bytes of a name that was met before are compared where they lie, and nothing is decoded. They come from clients, so
/// their hashes are seeded.
struct NamePlaces {
    /// Each is a place and one; zero is empty. Their number is a power of two.
    private var slots: [UInt32] = []
    private var hashes: [Int] = []
    /// The names end to end.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// The place of the name that a range of bytes holds. That of a new name is how many there were before it.
    mutating func place(of record: [UInt8], _ range: Range<Int>) -> Int {
        record.withUnsafeBytes { place(of: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    private mutating func place(of name: UnsafeRawBufferPointer) -> Int {
        if 4 * ends.count >= 3 * slots.count { grow() }
        var hasher = Hasher()
        hasher.combine(bytes: name)
        let hash = hasher.finalize()
        let mask = slots.count - 1
        var slot = hash & mask
        while slots[slot] != 0 {
            let place = Int(slots[slot]) - 1
            if hashes[place] == hash, isSame(name, place) { return place }
            slot = (slot + 1) & mask
        }
        slots[slot] = UInt32(ends.count + 1)
        hashes.append(hash)
        bytes.append(contentsOf: name)
        ends.append(bytes.count)
        return ends.count - 1
    }

    private func isSame(_ name: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        let start = place == 0 ? 0 : ends[place - 1]
        guard ends[place] - start == name.count else { return false }
        return bytes.withUnsafeBytes { $0[start..<ends[place]].elementsEqual(name) }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: max(8, slots.count * 2))
        let mask = slots.count - 1
        for (place, hash) in hashes.enumerated() {
            var slot = hash & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(place + 1)
        }
    }
}
