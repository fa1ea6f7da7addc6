import CausewayObjectStore
import CausewayOperations
import CausewayWire

/// Parts of a view change that is too large to wait in memory, within one transaction of the file.
///
/// Tree `sync.staging`: the part's number, big-endian → the message as it came. It holds one change at a time, and
/// nothing in it outlives a session: what was not applied is sent again.
struct StagingTree {
    private let tree: Tree

    init(_ transaction: Transaction) {
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

    func clear() {
        tree.removeRange(from: [], upTo: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    }
}
