import CausewayStorage

/// What a committed state holds, in a few numbers. Two states that differ in anything have different ones, but for
/// one chance in 2^64.
struct Fingerprint: Hashable, CustomStringConvertible {
    var version: UInt64
    /// Of every entry of every tree and every leaf, in no order: so a model can keep it up to date by adding and
    /// subtracting.
    var sum: UInt64
    var treeEntries: Int
    var leaves: Int

    var description: String {
        "version \(version) with \(treeEntries) keys and \(leaves) leaves (\(String(sum, radix: 16)))"
    }
}

/// Where a workload may put something: so many places that all of them can be asked.
enum Places {
    static let trees: [UInt32] = [0, 1, 7, 0x8000_0001]
    static let columns: [UInt32] = [0, 3, 130]
    static let numbers: [UInt32] = [0, 1, 2, 3, 4, 5, 127, 128, 129, 20_000]
    static let leaves: [LeafPlace] = columns.flatMap { column in
        numbers.map { LeafPlace(column: column, number: $0) }
    }
}

extension Fingerprint {
    /// Why a state is not even consistent in itself.
    struct Inconsistency: Error {
        var reason: String
    }

    /// Reads everything a state holds.
    init(of reader: any StorageReader) throws(Inconsistency) {
        self.init(version: reader.version, sum: 0, treeEntries: 0, leaves: 0)
        for tree in Places.trees { try add(tree: tree, of: reader) }
        for place in Places.leaves {
            guard let bytes = reader.leaf(column: place.column, number: place.number) else { continue }
            sum &+= Self.leaf(place, bytes)
            leaves += 1
        }
        if let damage = reader.damage { throw Inconsistency(reason: "damage was found: \(damage)") }
    }

    private mutating func add(tree: UInt32, of reader: any StorageReader) throws(Inconsistency) {
        var previous = UnsafeRawBufferPointer(start: nil, count: 0)
        var sum: UInt64 = 0
        var entries = 0
        var isAscending = true
        reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, value in
            if entries > 0, !previous.lexicographicallyPrecedes(key) { isAscending = false }
            previous = key
            sum &+= Self.entry(tree: tree, key: key, value: value)
            entries += 1
            return true
        }
        if !isAscending { throw Inconsistency(reason: "the keys of tree \(tree) are out of order") }
        let count = reader.count(tree: tree, from: [], upTo: nil)
        if count != entries, reader.damage == nil {
            throw Inconsistency(reason: "tree \(tree) says it has \(count) keys and has \(entries)")
        }
        self.sum &+= sum
        treeEntries += entries
    }

    static func entry(tree: UInt32, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> UInt64 {
        hash(value, seed: hash(key, seed: UInt64(tree) << 1))
    }

    static func leaf(_ place: LeafPlace, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        hash(bytes, seed: mix(UInt64(place.column) << 32 | UInt64(place.number), 0xD6E8_FEB8_6659_FD93))
    }

    // MARK: - Hashing

    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// In the manner of wyhash: two words and one multiplication at a time.
    private static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var state = mix(seed ^ 0xA076_1D64_78BD_642F, UInt64(bytes.count) ^ 0xE703_7ED1_A0B4_28DB)
        var place = 0
        while place + 16 <= bytes.count {
            let first = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let second = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
            state = mix(first ^ 0x8EBC_6AF0_9C88_C6E3 ^ state, second ^ 0x5899_65CC_7537_4CC3)
            place += 16
        }
        var rest: UInt64 = 0
        while place < bytes.count {
            rest = rest << 8 | UInt64(bytes[place])
            place += 1
            if place % 8 == 0 {
                state = mix(rest ^ state, 0x1D8E_4E27_C47D_124F)
                rest = 0
            }
        }
        return mix(rest ^ state, 0x9FB2_1C65_1E98_DF25)
    }
}
