/// Everything that changed a disk, in order: what a power loss at any moment can be worked out from.
package struct DiskLog: Sendable {
    package enum Operation: Sendable {
        /// So many of the log's bytes, from `start` on, written at an offset of the file.
        case write(offset: Int, count: Int, start: Int)
        case resize(to: Int)
        /// Everything before survives from here on.
        case synchronize
        /// The same for the first pages of the file only; what a broken disk does.
        case synchronizeFirst(bytes: Int)
        /// A failed sync, or a power loss: some of what was not synced is on the disk and the rest never will be. The
        /// seed decides.
        case settle(seed: UInt64)
    }

    package private(set) var operations: [Operation] = []
    /// What was written, one behind the other.
    private(set) var bytes: [UInt8] = []

    mutating func add(_ operation: Operation) {
        operations.append(operation)
    }

    mutating func addWrite(_ written: UnsafeRawBufferPointer, at offset: Int) {
        operations.append(.write(offset: offset, count: written.count, start: bytes.count))
        bytes.append(contentsOf: written)
    }
}
