import CausewayModel
import CausewayObjectStore
import CausewayStorage

/// The entries of lists as they lie in a file.
enum ListFile {
    /// The trees that may hold lists. The classes of `ListModels` have no indexes, and one object each at most, so that
    /// all others are told by what they hold: keys behind a tag, or links.
    static func trees(_ reader: any StorageReader) -> [UInt32] {
        (3..<100).filter { tree in
            var isList = false
            reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, _ in
                isList = key.count == 8 || key.count == 12
                return false
            }
            return isList
        }
    }

    struct Entry {
        var tree: UInt32
        var key: [UInt8]
        var value: [UInt8]
    }

    static func entries(_ reader: any StorageReader) -> [Entry] {
        trees(reader).flatMap { tree in
            var entries: [Entry] = []
            reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, value in
                entries.append(Entry(tree: tree, key: Array(key), value: Array(value)))
                return true
            }
            return entries
        }
    }

    static func put(_ entry: Entry, _ value: [UInt8], _ storage: any Storage) throws {
        let writer = try storage.write()
        entry.key.withUnsafeBytes { key in
            value.withUnsafeBytes { writer.put(tree: entry.tree, key: key, value: $0) }
        }
        _ = try writer.commit(.relaxed)
    }

    static func remove(_ entry: Entry, _ storage: any Storage) throws {
        let writer = try storage.write()
        entry.key.withUnsafeBytes { writer.remove(tree: entry.tree, key: $0) }
        _ = try writer.commit(.relaxed)
    }

    /// A list of integers as one entry, however long.
    static func longEntry(_ values: [Int64]) -> [UInt8] {
        var bytes = withUnsafeBytes(of: UInt32(values.count).littleEndian) { Array($0) } + [0, 0, 0, 0]
        for value in values { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
        return bytes
    }
}
