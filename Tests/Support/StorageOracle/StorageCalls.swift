package import CausewayStorage

// The storage's calls with arrays instead of pointers, as tests like them.

extension StorageReader {
    package func get(_ tree: UInt32, _ key: [UInt8]) -> [UInt8]? {
        key.withUnsafeBytes { get(tree: tree, key: $0).map { Array($0) } }
    }

    package func entries(
        _ tree: UInt32, from: [UInt8] = [], upTo: [UInt8]? = nil, reversed: Bool = false, limit: Int = .max
    ) -> [[[UInt8]]] {
        var result: [[[UInt8]]] = []
        scan(tree: tree, from: from, upTo: upTo, reversed: reversed) { key, value in
            result.append([Array(key), Array(value)])
            return result.count < limit
        }
        return result
    }

    package func leafBytes(_ column: UInt32, _ number: UInt32) -> [UInt8]? {
        leaf(column: column, number: number).map { Array($0) }
    }
}

extension StorageWriter {
    package func put(_ tree: UInt32, _ key: [UInt8], _ value: [UInt8]) {
        key.withUnsafeBytes { key in value.withUnsafeBytes { put(tree: tree, key: key, value: $0) } }
    }

    package func remove(_ tree: UInt32, _ key: [UInt8]) {
        key.withUnsafeBytes { remove(tree: tree, key: $0) }
    }

    package func replaceLeaf(_ column: UInt32, _ number: UInt32, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { replaceLeaf(column: column, number: number, $0) }
    }
}
