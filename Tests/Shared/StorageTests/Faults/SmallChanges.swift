import CausewayStorage
import CausewayStorageOracle

/// What the small workloads write: the same for the same number, and something of everything that a file can hold.
enum SmallChanges {
    /// Short and long values and keys, leaves of one and of several pages, and removals of what came before.
    static func make(_ number: Int, in writer: any StorageWriter, _ contents: inout Contents) {
        for entry in 0..<6 {
            let value = bytes(number + entry, (number * 37 + entry * 11) % 90)
            put(1, Array("key \(number * 4 + entry)".utf8), value, writer, &contents)
        }
        put(2, Array(repeating: UInt8(number % 3 + 1), count: 1500), bytes(number, 4), writer, &contents)
        put(2, [UInt8(number % 4), 9], bytes(number, 4500 + number * 13), writer, &contents)
        replace(1, number, bytes(number, 2000 + number % 4 * 1700), writer, &contents)
        replace(2, number % 2, bytes(number, 100), writer, &contents)
        replace(3, number * 40, bytes(number, 1), writer, &contents)
        remove(number - 2, writer, &contents)
    }

    /// Takes most of it away again.
    static func clear(upTo number: Int, in writer: any StorageWriter, _ contents: inout Contents) {
        for number in 0..<number { remove(number, writer, &contents) }
    }

    static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        // Something else in each, and nothing that is the same when it is moved a little.
        let part = pattern[number % 64..<number % 64 + min(count, 128)]
        return Array(part) + Array(repeating: UInt8(truncatingIfNeeded: number), count: count - part.count)
    }

    private static let pattern = (0..<192).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ $0 / 3) }

    private static func remove(_ number: Int, _ writer: any StorageWriter, _ contents: inout Contents) {
        guard number >= 0 else { return }
        for entry in 0..<3 {
            let key = Array("key \(number * 4 + entry)".utf8)
            writer.remove(1, key)
            contents.trees[1]?[key] = nil
        }
        let place = LeafPlace(column: 1, number: UInt32(number))
        writer.removeLeaf(column: place.column, number: place.number)
        contents.leaves[place] = nil
    }

    private static func put(
        _ tree: UInt32, _ key: [UInt8], _ value: [UInt8], _ writer: any StorageWriter, _ contents: inout Contents
    ) {
        writer.put(tree, key, value)
        contents.trees[tree, default: [:]][key] = value
    }

    private static func replace(
        _ column: UInt32, _ number: Int, _ bytes: [UInt8], _ writer: any StorageWriter, _ contents: inout Contents
    ) {
        let place = LeafPlace(column: column, number: UInt32(number))
        writer.replaceLeaf(place.column, place.number, bytes)
        contents.leaves[place] = bytes
    }
}
