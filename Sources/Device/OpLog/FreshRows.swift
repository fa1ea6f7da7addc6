import CausewayModel
import CausewayObjectStore
import CausewayOperations

/// Which logged changeset created a row: an ordered tree of ranges that never overlap.
///
/// A lookup takes one search, however many changesets are logged. A row that is created again belongs to the later one.
struct FreshRows {
    private let tree: Tree

    init(_ tree: Tree) {
        self.tree = tree
    }

    private struct Range {
        var first: Int64
        var last: Int64
        var sequence: UInt64
    }

    /// The changeset that created a row; nil if no logged one did.
    func creator(of className: String, _ key: ObjectKey) -> UInt64? {
        ranges(of: className, from: key.rawValue, upTo: key.rawValue).first?.sequence
    }

    func add(_ rows: TouchedBy.Rows, by sequence: UInt64) {
        for range in rows.ranges {
            for other in ranges(of: rows.className, from: range.lowerBound, upTo: range.upperBound) {
                tree.remove(Self.key(rows.className, other.last))
                if other.first < range.lowerBound {
                    put(Range(first: other.first, last: range.lowerBound - 1, sequence: other.sequence), rows.className)
                }
                if other.last > range.upperBound {
                    put(Range(first: range.upperBound + 1, last: other.last, sequence: other.sequence), rows.className)
                }
            }
            put(Range(first: range.lowerBound, last: range.upperBound, sequence: sequence), rows.className)
        }
    }

    /// Removes the rows of a changeset that leaves the log.
    func remove(_ rows: TouchedBy.Rows, of sequence: UInt64) {
        for range in rows.ranges {
            for part in ranges(of: rows.className, from: range.lowerBound, upTo: range.upperBound)
            where part.sequence == sequence {
                tree.remove(Self.key(rows.className, part.last))
            }
        }
    }

    /// Lowers the numbers of the changesets by `passed`. Those up to `passed` have no rows here.
    func renumber(by passed: UInt64) {
        var moved: [(key: [UInt8], value: [UInt8])] = []
        tree.scan { key, value in
            moved.append((Array(key), Array(value)))
            return true
        }
        for (key, value) in moved where value.count == 16 {
            tree.put(key, value.prefix(8) + Trees.key(Trees.number(value.suffix(8)).lowered(by: passed)))
        }
    }

    // MARK: - The tree

    /// The ranges that hold any of the rows.
    private func ranges(of className: String, from first: Int64, upTo last: Int64) -> [Range] {
        var found: [Range] = []
        let prefix = Self.prefix(className)
        tree.scan(from: Self.key(className, first)) { key, value in
            guard key.starts(with: prefix), value.count == 16 else { return false }
            let range = Range(
                first: Self.row(value.prefix(8)), last: Self.row(key.suffix(8)),
                sequence: Trees.number(value.suffix(8)))
            guard range.first <= last else { return false }
            found.append(range)
            return true
        }
        return found
    }

    private func put(_ range: Range, _ className: String) {
        tree.put(Self.key(className, range.last), Self.bytes(range.first) + Trees.key(range.sequence))
    }

    /// A range by its last row, so that the first range at or behind a row is the one that may hold it.
    private static func key(_ className: String, _ last: Int64) -> [UInt8] {
        prefix(className) + bytes(last)
    }

    private static func prefix(_ className: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(string: className)
        return writer.bytes
    }

    /// The bytes of a row number, in the order of rows.
    private static func bytes(_ row: Int64) -> [UInt8] {
        Trees.key(UInt64(bitPattern: row) ^ 1 << 63)
    }

    private static func row(_ bytes: some Sequence<UInt8>) -> Int64 {
        Int64(bitPattern: Trees.number(bytes) ^ 1 << 63)
    }
}
