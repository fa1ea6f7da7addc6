/// One committed state of a page file, pinned for as long as somebody holds it.
///
/// Everything is immutable, and pages that a pinned state contains are never written, so any thread may read.
final class PageSnapshot: StorageSnapshot {
    let file: PageFile
    let header: FileHeader
    private let pin: SharedState.Pin
    /// The owner of `pin` in an encrypted file, where several snapshots of a state may share it; nil in a plain file.
    private let sharedPin: SharedPin?
    let space: PageSpace
    /// What the pages of the state say, without the changes that the header carries.
    let trees: TreeReader
    let directory: LeafDirectory
    private let carried: CarriedChanges?

    /// - Parameters:
    ///   - space: a view of the file, which ends with the snapshot.
    ///   - pin: the pin on the header's state, which the snapshot releases when it ends.
    convenience init(_ file: PageFile, _ header: FileHeader, _ space: PageSpace, pin: SharedState.Pin) {
        let sharedPin = space.isEncrypted ? SharedPin(pin, of: file.shared) : nil
        self.init(file, header, space, pin, sharedPin)
    }

    private init(
        _ file: PageFile, _ header: FileHeader, _ space: PageSpace, _ pin: SharedState.Pin, _ sharedPin: SharedPin?
    ) {
        self.file = file
        self.header = header
        self.space = space
        self.pin = pin
        self.sharedPin = sharedPin
        carried = header.carried
        trees = TreeReader(space: space, root: header.state.trees)
        directory = LeafDirectory(space: space, root: header.state.directory)
    }

    deinit {
        // In this order: without the pin a writer may overwrite pages that this view uses.
        space.end()
        if sharedPin == nil { file.shared.unpin(pin) }
    }

    var isCrowded: Bool { space.isCrowded }

    func renewed() -> (any StorageSnapshot)? {
        guard let sharedPin, let view = try? file.space.view() else { return nil }
        return PageSnapshot(file, header, view, pin, sharedPin)
    }

    var version: UInt64 { header.version }
    var transaction: UInt64 { header.transaction }
    var isNewest: Bool { file.shared.newest == header.transaction }
    var damage: StorageError? { space.damage }

    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        if let change = carried?.leaf(LeafPlace(column: column, number: number)) { return change.bytes }
        return directory.leaf(column: column, number: number)
    }

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if let change = carried?.change(tree: tree, key: key) { return change.isRemoval ? nil : change.value }
        return trees.get(tree: tree, key: key)
    }

    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        withRange(from, upTo) { from, upTo in
            guard var cursor = carried?.cursor(tree: tree, from: from, upTo: upTo, reversed: reversed) else {
                return trees.scan(tree: tree, from: from, upTo: upTo, reversed: reversed, body)
            }
            cursor.visit(
                over: TreeScan(trees: trees, tree: tree, from: from, upTo: upTo, reversed: reversed), body)
        }
    }

    func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int {
        withRange(from, upTo) { from, upTo in
            let count = trees.count(tree: tree, from: from, upTo: upTo)
            guard var cursor = carried?.cursor(tree: tree, from: from, upTo: upTo, reversed: false) else {
                return count
            }
            return count + cursor.difference { count > 0 && trees.slot(tree: tree, key: $0) != nil }
        }
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

private struct TreeScan: ScanBelow {
    let trees: TreeReader
    let tree: UInt32
    let from: UnsafeRawBufferPointer
    let upTo: UnsafeRawBufferPointer?
    let reversed: Bool

    func visit(_ body: (UnsafeRawBufferPointer, () -> UnsafeRawBufferPointer?) -> Bool) {
        trees.scanSlots(tree: tree, from: from, upTo: upTo, reversed: reversed) { slot in
            guard let key = slot.key(trees.space) else { return true }
            return body(TreeKey.withoutTree(key)) { slot.value(trees.space) }
        }
    }
}

/// A pin that is released when the last snapshot that shares it ends.
private final class SharedPin: Sendable {
    private let pin: SharedState.Pin
    private let shared: SharedState

    init(_ pin: SharedState.Pin, of shared: SharedState) {
        self.pin = pin
        self.shared = shared
    }

    deinit {
        shared.unpin(pin)
    }
}
