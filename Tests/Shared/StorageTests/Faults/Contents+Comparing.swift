import CausewayStorage
import CausewayStorageOracle
import Glibc

extension Contents {
    /// What a reader answers instead of these contents.
    struct Comparison {
        /// Answers that nothing excuses.
        var wrong: [String] = []
        /// Answers that something is not there, which is right only when damage is told.
        var missing: [String] = []
        var isEqual: Bool { wrong.isEmpty && missing.isEmpty }
    }

    /// Asks for everything in every way there is.
    func compare(with reader: any StorageReader) -> Comparison {
        var comparison = Comparison()
        // One tree and one column more than there are, which must be empty.
        for tree in 0...(trees.keys.max() ?? 0) + 1 { compare(tree, reader, &comparison) }
        for (place, bytes) in leaves {
            guard let found = reader.leaf(column: place.column, number: place.number) else {
                comparison.missing.append("leaf \(place)")
                continue
            }
            if !isSame(found, bytes) { comparison.wrong.append("leaf \(place) has other bytes") }
        }
        for column in 0...(leaves.keys.map(\.column).max() ?? 0) + 1 {
            for number in [UInt32(0), 1, 7, 130, .max] where leaves[LeafPlace(column: column, number: number)] == nil {
                if reader.leaf(column: column, number: number) != nil {
                    comparison.wrong.append("leaf \(number) of column \(column) was never written")
                }
            }
        }
        return comparison
    }

    private func compare(_ tree: UInt32, _ reader: any StorageReader, _ comparison: inout Comparison) {
        let expected = trees[tree] ?? [:]
        for isReversed in [false, true] {
            var last: [UInt8]?
            var count = 0
            reader.scan(tree: tree, from: [], upTo: nil, reversed: isReversed) { key, value in
                let key = Array(key)
                if let last, bytesOrder(last, key) * (isReversed ? -1 : 1) >= 0 {
                    comparison.wrong.append("keys of tree \(tree) are out of order")
                }
                if expected[key].map({ !isSame(value, $0) }) ?? true {
                    comparison.wrong.append("a scan of tree \(tree) shows what was never written at \(key.prefix(20))")
                }
                last = key
                count += 1
                return true
            }
            if count < expected.count {
                comparison.missing.append("\(expected.count - count) entries of tree \(tree)")
            }
        }
        for (key, value) in expected {
            let found = key.withUnsafeBytes { reader.get(tree: tree, key: $0) }
            guard let found else {
                comparison.missing.append("key \(key.prefix(20)) of tree \(tree)")
                continue
            }
            if !isSame(found, value) {
                comparison.wrong.append("key \(key.prefix(20)) of tree \(tree) has another value")
            }
        }
        if reader.get(tree, [0xFF, 0xFE]) != nil { comparison.wrong.append("a key of tree \(tree) was never written") }
        if reader.count(tree: tree, from: [], upTo: nil) != expected.count {
            comparison.missing.append("count of tree \(tree)")
        }
    }

    // One call each, because all of this is asked for thousands of times.

    private func isSame(_ found: UnsafeRawBufferPointer, _ expected: [UInt8]) -> Bool {
        expected.withUnsafeBytes { bytesOrder(found, $0) == 0 }
    }

    private func bytesOrder(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBytes { left in right.withUnsafeBytes { bytesOrder(left, $0) } }
    }

    private func bytesOrder(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        let order = common == 0 ? 0 : Int(memcmp(left.baseAddress!, right.baseAddress!, common))
        return order == 0 ? left.count - right.count : order
    }
}
