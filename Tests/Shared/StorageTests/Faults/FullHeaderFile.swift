import CausewayEnvironment
import Glibc
import Synchronization

/// A file on a disk that copies what it overwrites: when it is full, there is no room for a header either.
final class FullHeaderFile: DiskFile {
    static let headerBytes = 4 * 4096
    private let file: any DiskFile
    /// So many bytes of a header are still taken; nil: all of them.
    private let room = Mutex<Int?>(nil)

    init(_ file: any DiskFile) {
        self.file = file
    }

    var headerRoom: Int? {
        get { room.withLock { $0 } }
        set { room.withLock { $0 = newValue } }
    }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        guard offset < Self.headerBytes, let room = headerRoom, let piece = pieces.first else {
            return file.write(pieces, at: offset)
        }
        headerRoom = 0
        guard room > 0 else { return -Int(ENOSPC) }
        return file.write([UnsafeRawBufferPointer(rebasing: piece.prefix(room))], at: offset)
    }

    func size() -> Int { file.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int { file.read(into: buffer, at: offset) }
    func synchronize() -> Int { file.synchronize() }
    func reserve(_ sizeBytes: Int) -> Int { file.reserve(sizeBytes) }
    func truncate(_ sizeBytes: Int) -> Int { file.truncate(sizeBytes) }
    func map(_ reservedBytes: Int) -> UnsafeRawPointer? { file.map(reservedBytes) }
    func dropCache() { file.dropCache() }
}
