import CausewayEnvironment
import Synchronization

/// The file of a simulated disk, opened once.
package final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    /// Of the disk's losses, those that this open file was told of.
    private let toldLosses: Atomic<Int>

    init(_ disk: SimulatedDisk, toldLosses: Int) {
        self.disk = disk
        self.toldLosses = Atomic(toldLosses)
    }

    deinit {
        disk.fileClosed()
    }

    package func size() -> Int { disk.size() }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        disk.read(into: buffer, at: offset)
    }

    package func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        precondition(pieces.count <= maximumPieces, "One call takes \(maximumPieces) pieces at most.")
        return disk.write(pieces, at: offset)
    }

    package func synchronize() -> Int {
        disk.synchronize { losses in toldLosses.exchange(losses, ordering: .sequentiallyConsistent) < losses }
    }

    package func reserve(_ sizeBytes: Int) -> Int { disk.resize(to: sizeBytes, mayShorten: false) }

    package func truncate(_ sizeBytes: Int) -> Int { disk.resize(to: sizeBytes, mayShorten: true) }

    package func dropCache() {
        // Without a loss memory and disk are the same where nothing waits to be written.
        if disk.losses > 0 { disk.dropCache() }
    }

    package func map(_ reservedBytes: Int) -> UnsafeRawPointer? {
        reservedBytes <= disk.addressableBytes ? disk.base : nil
    }
}
