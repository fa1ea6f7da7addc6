import CausewayStorage

// The storage's calls with arrays instead of pointers, as tests like them.

func openStorage(_ path: String, inMemory: Bool = false, readOnly: Bool = false, mapSizeBytes: Int = 1 << 30)
    throws(StorageError) -> any Storage
{
    try StorageRegistry.shared.open(
        path: path, options: StorageOptions(inMemory: inMemory, readOnly: readOnly, mapSizeBytes: mapSizeBytes))
}

extension StorageReader {
    func get(_ tree: UInt32, _ key: [UInt8]) -> [UInt8]? {
        key.withUnsafeBytes { get(tree: tree, key: $0).map { Array($0) } }
    }

    func entries(
        _ tree: UInt32, from: [UInt8] = [], upTo: [UInt8]? = nil, reversed: Bool = false, limit: Int = .max
    ) -> [[[UInt8]]] {
        var result: [[[UInt8]]] = []
        scan(tree: tree, from: from, upTo: upTo, reversed: reversed) { key, value in
            result.append([Array(key), Array(value)])
            return result.count < limit
        }
        return result
    }

    func leafBytes(_ column: UInt32, _ number: UInt32) -> [UInt8]? {
        leaf(column: column, number: number).map { Array($0) }
    }
}

extension StorageWriter {
    func put(_ tree: UInt32, _ key: [UInt8], _ value: [UInt8]) {
        key.withUnsafeBytes { key in value.withUnsafeBytes { put(tree: tree, key: key, value: $0) } }
    }

    func remove(_ tree: UInt32, _ key: [UInt8]) {
        key.withUnsafeBytes { remove(tree: tree, key: $0) }
    }

    func replaceLeaf(_ column: UInt32, _ number: UInt32, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { replaceLeaf(column: column, number: number, $0) }
    }
}
