import Glibc

@testable import CausewayStorage

/// What trees must hold, the obvious way.
struct TreeModel {
    struct Key: Hashable, Comparable {
        var tree: UInt32
        var bytes: [UInt8]

        static func < (left: Key, right: Key) -> Bool {
            left.tree == right.tree ? left.bytes.isBefore(right.bytes) : left.tree < right.tree
        }
    }

    var entries: [Key: [UInt8]] = [:]

    func sorted(_ tree: UInt32) -> [(key: [UInt8], value: [UInt8])] {
        let entries = entries.filter { $0.key.tree == tree }
        return entries.sorted { $0.key.bytes.isBefore($1.key.bytes) }.map { ($0.key.bytes, $0.value) }
    }
}

extension [UInt8] {
    /// In byte order; quick also where nothing is optimised.
    func isBefore(_ other: [UInt8]) -> Bool {
        let order = memcmp(self, other, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }
}

/// Changes of one commit, to a model and to be applied.
struct TreeChanges {
    private(set) var changes: [TreeModel.Key: [UInt8]?] = [:]

    mutating func put(_ tree: UInt32, _ key: [UInt8], _ value: [UInt8]) {
        changes[TreeModel.Key(tree: tree, bytes: key)] = .some(value)
    }

    mutating func remove(_ tree: UInt32, _ key: [UInt8]) {
        changes[TreeModel.Key(tree: tree, bytes: key)] = .some(nil)
    }

    /// The root after one commit.
    func apply(to root: PagePointer, _ model: inout TreeModel, in pages: MemoryPages) throws -> PagePointer {
        let arena = ByteArena()
        var overlays: [UInt32: TreeOverlay] = [:]
        for (key, value) in changes {
            let overlay = overlays[key.tree] ?? TreeOverlay(tree: key.tree, arena: arena)
            overlays[key.tree] = overlay
            if let value {
                key.bytes.withUnsafeBytes { key in value.withUnsafeBytes { overlay.put(key, $0) } }
            } else {
                key.bytes.withUnsafeBytes { overlay.remove($0) }
            }
            model.entries[key] = value
        }
        let sorted = overlays.sorted { $0.key < $1.key }.flatMap { $0.value.sorted() }
        pages.begin()
        let result = try TreeWriter(space: pages.space, output: pages).apply(sorted, to: root)
        withExtendedLifetime(arena) {}
        return result
    }
}

extension TreeReader {
    func value(_ tree: UInt32, _ key: [UInt8]) -> [UInt8]? {
        key.withUnsafeBytes { get(tree: tree, key: $0).map(Array.init) }
    }

    func entries(
        _ tree: UInt32, from: [UInt8] = [], upTo: [UInt8]? = nil, reversed: Bool = false, limit: Int = .max
    ) -> [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        withRange(from, upTo) { from, upTo in
            scan(tree: tree, from: from, upTo: upTo, reversed: reversed) { key, value in
                entries.append((Array(key), Array(value)))
                return entries.count < limit
            }
        }
        return entries
    }

    func count(_ tree: UInt32, from: [UInt8] = [], upTo: [UInt8]? = nil) -> Int {
        withRange(from, upTo) { count(tree: tree, from: $0, upTo: $1) }
    }

    private func withRange<Result>(
        _ from: [UInt8], _ upTo: [UInt8]?, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        from.withUnsafeBytes { from in
            guard let upTo else { return body(from, nil) }
            return upTo.withUnsafeBytes { body(from, $0) }
        }
    }
}
