import CausewayStorage

/// What a storage should hold: the plain model beside it.
struct Contents {
    /// For each key the hash of its entry, which is all that is ever compared.
    private(set) var trees: [UInt32: [[UInt8]: UInt64]] = [:]
    private(set) var leaves: [LeafPlace: UInt64] = [:]
    private var sum: UInt64 = 0
    private var treeEntries = 0

    func fingerprint(version: UInt64) -> Fingerprint {
        Fingerprint(version: version, sum: sum, treeEntries: treeEntries, leaves: leaves.count)
    }

    mutating func put(tree: UInt32, key: [UInt8], value: [UInt8]) {
        remove(tree: tree, key: key)
        let hash = key.withUnsafeBytes { key in
            value.withUnsafeBytes { Fingerprint.entry(tree: tree, key: key, value: $0) }
        }
        trees[tree, default: [:]][key] = hash
        sum &+= hash
        treeEntries += 1
    }

    mutating func remove(tree: UInt32, key: [UInt8]) {
        guard let hash = trees[tree]?.removeValue(forKey: key) else { return }
        sum &-= hash
        treeEntries -= 1
    }

    mutating func replaceLeaf(_ place: LeafPlace, _ bytes: [UInt8]) {
        removeLeaf(place)
        let hash = bytes.withUnsafeBytes { Fingerprint.leaf(place, $0) }
        leaves[place] = hash
        sum &+= hash
    }

    mutating func removeLeaf(_ place: LeafPlace) {
        guard let hash = leaves.removeValue(forKey: place) else { return }
        sum &-= hash
    }
}
