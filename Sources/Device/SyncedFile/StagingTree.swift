package import CausewayObjectStore
import CausewayOperations
import CausewaySync
import CausewayWire

/// Parts of a view change that is too large to wait in memory, or was cut, within one transaction of the file.
///
/// Tree `sync.staging`: the part's number, big-endian → the message as it came; FFFFFFFF → where the server can go on,
/// `StagedChange`. It holds one change at a time, which begins at the checkpoint that the file has.
package struct StagingTree {
    private let tree: Tree

    package init(_ transaction: Transaction) {
        tree = transaction.tree("sync.staging")
    }

    private static func key(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }

    var isEmpty: Bool { tree.isEmpty }

    func put(_ part: [UInt8], number: Int) {
        tree.put(Self.key(number), part)
    }

    /// The part's message; nil when there is none of that number.
    func part(_ number: Int) -> [UInt8]? {
        tree.get(Self.key(number))
    }

    private static let stagedKey: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

    /// Where the server can resume; nil if nowhere. Nil too for what only a newer program can read: the change begins
    /// anew.
    func staged() -> StagedChange? {
        tree.get(Self.stagedKey).flatMap { try? StagedChange(encoded: $0) }
    }

    func put(_ staged: StagedChange) {
        tree.put(Self.stagedKey, staged.encoded())
    }

    package func clear() {
        tree.removeRange(from: [], upTo: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    }
}
