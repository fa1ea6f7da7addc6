import CausewayStorage

/// What the workloads write, as arrays.
extension StorageWriter {
    func put(tree: UInt32, key: [UInt8], value: [UInt8]) {
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { put(tree: tree, key: key, value: $0) }
        }
    }

    func remove(tree: UInt32, key: [UInt8]) {
        key.withUnsafeBytes { remove(tree: tree, key: $0) }
    }

    func replaceLeaf(_ place: LeafPlace, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { replaceLeaf(column: place.column, number: place.number, $0) }
    }
}
