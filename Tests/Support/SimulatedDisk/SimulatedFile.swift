import CausewayEnvironment

/// The file of a simulated disk, opened once.
package final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk

    init(_ disk: SimulatedDisk) {
        self.disk = disk
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

    package func synchronize() -> Int { disk.synchronize() }

    package func reserve(_ sizeBytes: Int) -> Int { disk.resize(to: sizeBytes, mayShorten: false) }

    package func truncate(_ sizeBytes: Int) -> Int { disk.resize(to: sizeBytes, mayShorten: true) }

    package func dropCache() {
        // Without a failed sync memory and disk are the same where nothing waits to be written.
        if disk.failedSyncs > 0 { disk.dropCache() }
    }

    package func map(_ reservedBytes: Int) -> UnsafeRawPointer? {
        reservedBytes <= disk.capacityBytes ? disk.base : nil
    }
}
