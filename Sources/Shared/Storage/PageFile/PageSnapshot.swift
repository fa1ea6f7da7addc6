/// One committed state of a page file, pinned for as long as somebody holds it.
///
/// Everything is immutable, and pages that a pinned state contains are never written, so any thread may read.
final class PageSnapshot: StorageSnapshot {
    let file: PageFile
    let header: FileHeader
    private let pin: SharedState.Pin
    let trees: TreeReader
    let directory: LeafDirectory

    init(_ file: PageFile, _ header: FileHeader, pin: SharedState.Pin) {
        self.file = file
        self.header = header
        self.pin = pin
        trees = TreeReader(space: file.space, root: header.state.trees)
        directory = LeafDirectory(space: file.space, root: header.state.directory)
    }

    deinit {
        file.shared.unpin(pin)
    }

    var version: UInt64 { header.version }
    var transaction: UInt64 { header.transaction }
    var isNewest: Bool { file.shared.newest == header.transaction }
    var damage: StorageError? { file.space.damage }

    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        directory.leaf(column: column, number: number)
    }

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        trees.get(tree: tree, key: key)
    }

    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        withRange(from, upTo) { from, upTo in
            trees.scan(tree: tree, from: from, upTo: upTo, reversed: reversed, body)
        }
    }

    func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int {
        withRange(from, upTo) { from, upTo in trees.count(tree: tree, from: from, upTo: upTo) }
    }

    private func withRange<Result>(
        _ from: [UInt8], _ upTo: [UInt8]?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        from.withUnsafeBytes { from in
            guard let upTo else { return body(from, nil) }
            return upTo.withUnsafeBytes { body(from, $0) }
        }
    }
}
