import CausewaySeeds
import CausewayStorage

/// What all peers keep in the file: counters whose sum never changes, half of them in a tree and half in leaves, and a
/// journal with an entry for each of the last commits.
///
/// Every commit moves something from one counter to another and writes its number into the journal, so a state in
/// which a part of a commit is missing, or a page of another state, does not add up.
struct Ledger {
    static let counterCount = 24
    static let startValue: Int64 = 1000
    static let journalLength = 200
    private static let countersTree: UInt32 = 1
    private static let journalTree: UInt32 = 2
    private static let column: UInt32 = 3

    /// Why a state is not one that a commit can have left.
    struct Broken: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) {
            self.description = description
        }
    }

    // MARK: - Changing

    /// The first commit.
    static func begin(in writer: any StorageWriter) {
        for counter in 0..<counterCount { set(counter, startValue, length: counter * 100, in: writer) }
        note(1, in: writer)
    }

    /// Moves something and answers the number of this commit.
    static func transfer(in writer: any StorageWriter, _ random: inout SeededNumbers) throws -> UInt64 {
        let number = writer.version + 1
        let amount = Int64(random.number(1...50))
        let from = random.below(counterCount)
        let to = (from + random.number(1...counterCount - 1)) % counterCount
        // Now and then a run of many pages, and a long value.
        let length = random.once(in: 20) ? random.number(5000...60_000) : random.number(0...1500)
        set(from, try value(of: from, in: writer) - amount, length: length, in: writer)
        set(to, try value(of: to, in: writer) + amount, length: random.number(0...3000), in: writer)
        note(number, in: writer)
        return number
    }

    private static func set(_ counter: Int, _ value: Int64, length: Int, in writer: any StorageWriter) {
        // The rest repeats the value, so that bytes of another state show.
        var bytes = withUnsafeBytes(of: value.littleEndian) { Array($0) }
        bytes += Array(repeating: bytes[0] ^ bytes[1], count: length)
        bytes.withUnsafeBytes { bytes in
            if counter.isMultiple(of: 2) {
                [UInt8(counter)].withUnsafeBytes { writer.put(tree: countersTree, key: $0, value: bytes) }
            } else {
                writer.replaceLeaf(column: column, number: UInt32(counter * 50), bytes)
            }
        }
    }

    private static func note(_ number: UInt64, in writer: any StorageWriter) {
        withUnsafeBytes(of: number.bigEndian) { key in writer.put(tree: journalTree, key: key, value: key) }
        guard number > journalLength else { return }
        withUnsafeBytes(of: (number - UInt64(journalLength)).bigEndian) { writer.remove(tree: journalTree, key: $0) }
    }

    // MARK: - Checking

    private static func value(of counter: Int, in reader: any StorageReader) throws -> Int64 {
        let bytes =
            counter.isMultiple(of: 2)
            ? [UInt8(counter)].withUnsafeBytes { reader.get(tree: countersTree, key: $0) }
            : reader.leaf(column: column, number: UInt32(counter * 50))
        guard let bytes, bytes.count >= 8 else {
            throw Broken("counter \(counter) of version \(reader.version) is missing: \(reader.damage as Any)")
        }
        guard bytes.dropFirst(8).allSatisfy({ $0 == bytes[0] ^ bytes[1] }) else {
            throw Broken("counter \(counter) of version \(reader.version) has bytes of another state")
        }
        return Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
    }

    /// Throws unless the state is whole.
    static func check(_ reader: any StorageReader) throws {
        var sum: Int64 = 0
        for counter in 0..<counterCount { sum += try value(of: counter, in: reader) }
        guard sum == Int64(counterCount) * startValue else {
            throw Broken("the counters of version \(reader.version) add up to \(sum)")
        }
        var numbers: [UInt64] = []
        reader.scan(tree: journalTree, from: [], upTo: nil, reversed: false) { key, value in
            if key.count == 8, value.elementsEqual(key) {
                numbers.append(UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)))
            }
            return true
        }
        let last = reader.version
        let first = last > UInt64(journalLength) ? last - UInt64(journalLength) + 1 : 1
        guard numbers.elementsEqual(first...last) else {
            throw Broken(
                "the journal of version \(last) has \(numbers.count) entries, from \(numbers.first ?? 0) "
                    + "to \(numbers.last ?? 0)")
        }
        if let damage = reader.damage { throw damage }
    }
}
