import CausewayEnvironment
import Glibc

/// A file of which the disk cannot read more than a beginning, though it is longer: whoever touches the rest where it
/// is mapped gets SIGBUS.
final class UnreadableFile: DiskFile {
    private let file: SystemFile
    private let sizeBytes: Int

    init(path: String, readableBytes: Int) throws {
        file = try SystemFile.open(path: path, readOnly: false)
        sizeBytes = file.size()
        _ = file.truncate(readableBytes)
    }

    func size() -> Int { sizeBytes }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let count = file.read(into: buffer, at: offset)
        return count == 0 && offset < sizeBytes ? -Int(EIO) : count
    }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int { file.write(pieces, at: offset) }
    func synchronize() -> Int { file.synchronize() }
    func reserve(_ sizeBytes: Int) -> Int { 0 }
    func truncate(_ sizeBytes: Int) -> Int { 0 }
    func map(_ reservedBytes: Int) -> UnsafeRawPointer? { file.map(reservedBytes) }
}
