import CausewayModel
import CausewayStorage

/// One class while its file is verified, with the rows that are there.
///
/// The check reads the file by itself and asks no table, because a table would repeat the mistake that is looked for.
final class CheckedClass {
    let record: Catalog.ClassRecord
    let nextKey: Int64
    /// The leaves of which not all rows are dead, ascending, and their rows.
    private(set) var numbers: [Int] = []
    private(set) var alive: [SlotBitmap] = []
    private(set) var ghosts: [SlotBitmap] = []
    /// The place of each leaf in these, by its number; -1 for a dead one.
    private var places: [Int32]
    /// By the number of each column that links here: the sums of its links, less those of the backlinks.
    var links: [UInt32: RowSums] = [:]

    init(_ record: Catalog.ClassRecord, nextKey: Int64) {
        self.record = record
        self.nextKey = nextKey
        places = [Int32](repeating: -1, count: (Int(nextKey) + slotsPerLeaf - 1) / slotsPerLeaf)
    }

    func addLeaf(_ number: Int, alive: SlotBitmap, ghosts: SlotBitmap) {
        places[number] = Int32(numbers.count)
        numbers.append(number)
        self.alive.append(alive)
        self.ghosts.append(ghosts)
    }

    /// The place of a row's leaf; nil when the leaf is dead or the row was never given out.
    func place(_ row: Int64) -> Int? {
        guard row >= 0, row < nextKey else { return nil }
        let place = places[Int(row) / slotsPerLeaf]
        return place < 0 ? nil : Int(place)
    }

    var name: String { record.schema.name }

    var leafCount: Int { places.count }

    func slotCount(_ number: Int) -> Int { min(slotsPerLeaf, Int(nextKey) - number * slotsPerLeaf) }

    func isAlive(_ row: Int64) -> Bool { contains(row, alive) }

    /// Whether links may lead to a row: it is here, or a ghost.
    func isKnown(_ row: Int64) -> Bool { contains(row, alive) || contains(row, ghosts) }

    private func contains(_ row: Int64, _ bitmaps: [SlotBitmap]) -> Bool {
        place(row).map { bitmaps[$0].contains(Int(row) % slotsPerLeaf) } ?? false
    }

    func forEachAlive(_ body: (_ row: Int64) -> Void) {
        for (number, rows) in zip(numbers, alive) { rows.forEach { body(Int64(number * slotsPerLeaf + $0)) } }
    }

    /// How a sentence names a row.
    func sentence(_ row: Int64) -> String { "object \(row) of class '\(name)'" }
}

/// A sum for each row. Two ways of counting the same things, in any order, cancel each other out.
struct RowSums {
    private var leaves: [Int: [UInt64]] = [:]

    /// Adds something that happens `times` times. A negative number takes it away.
    mutating func add(_ hash: UInt64, times: Int64, to row: Int64) {
        let number = Int(row) / slotsPerLeaf
        leaves[number, default: [UInt64](repeating: 0, count: slotsPerLeaf)][Int(row) % slotsPerLeaf] &+=
            hash &* UInt64(bitPattern: times)
    }

    /// Rows whose two ways of counting differ, ascending.
    var unbalanced: [Int64] {
        leaves.keys.sorted().flatMap { number in
            (leaves[number] ?? []).indices.filter { leaves[number]?[$0] != 0 }.map { Int64(number * slotsPerLeaf + $0) }
        }
    }

    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return mix(state ^ UInt64(bytes.count))
    }

    static func hash(_ row: Int64) -> UInt64 { mix(UInt64(bitPattern: row) &+ 1) }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        // Never zero, so that everything counted changes the sum.
        return (mixed ^ mixed >> 31) | 1
    }
}
