import CausewayStorage

/// An ordered tree of bytes under a name, in the same file and the same transactions as the objects.
///
/// Keys are at most 1 MiB; a longer one makes the commit throw `keyTooLong`. Bound to its transaction.
package struct Tree {
    private let handle: TreeHandle

    init(_ handle: TreeHandle) {
        self.handle = handle
    }

    package func get(_ key: [UInt8]) -> [UInt8]? {
        guard let number = handle.find() else { return nil }
        return handle.transaction.reader.get(number, key).map { Array($0) }
    }

    package func put(_ key: [UInt8], _ value: [UInt8]) {
        handle.transaction.writer.put(handle.findOrMake(), key, value)
        handle.transaction.noteTreeChange()
    }

    /// Whether the key was there.
    @discardableResult
    package func remove(_ key: [UInt8]) -> Bool {
        guard let number = handle.find(), handle.transaction.reader.get(number, key) != nil else { return false }
        handle.transaction.writer.remove(number, key)
        handle.transaction.noteTreeChange()
        return true
    }

    /// Visits keys from `from` up to, not including, `upTo` (nil: the end), or the same ones backwards, until the body
    /// answers false. The body may write; it goes on seeing the state from before. The bytes are valid inside it only.
    package func scan(
        from: [UInt8] = [], upTo: [UInt8]? = nil, reversed: Bool = false,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        guard let number = handle.find() else { return }
        handle.transaction.reader.scan(tree: number, from: from, upTo: upTo, reversed: reversed, body)
    }

    /// - Complexity: O(entries in the range).
    package func removeRange(from: [UInt8] = [], upTo: [UInt8]? = nil) {
        guard let number = handle.find() else { return }
        guard handle.transaction.writer.removeRange(number, from: from, upTo: upTo) else { return }
        handle.transaction.noteTreeChange()
    }

    /// - Complexity: O(entries).
    package var count: Int {
        var count = 0
        scan { _, _ in
            count += 1
            return true
        }
        return count
    }

    package var isEmpty: Bool {
        var isEmpty = true
        scan { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }
}

/// The number behind a tree's name, looked up once a version.
final class TreeHandle {
    /// The transaction owns its handles.
    unowned let transaction: Transaction
    private let name: String
    var number: UInt32?

    init(_ transaction: Transaction, _ name: String) {
        self.transaction = transaction
        self.name = name
    }

    func find() -> UInt32? {
        if let number { return number }
        let bytes = transaction.reader.get(FixedTree.catalog, CatalogKey.tree(name))
        guard let bytes, bytes.count == 4 else { return nil }
        number = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
        return number
    }

    func findOrMake() -> UInt32 {
        if let number = find() { return number }
        var made: UInt32 = 0
        transaction.takeNumbers { next in
            made = next
            next += 1
        }
        transaction.writer.put(
            FixedTree.catalog, CatalogKey.tree(name), withUnsafeBytes(of: made.littleEndian) { Array($0) })
        number = made
        return made
    }
}
