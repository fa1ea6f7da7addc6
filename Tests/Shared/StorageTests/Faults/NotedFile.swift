import CausewayEnvironment
import Synchronization

/// What was asked of a file, one line for each call that can fail, so that a failure can say which call it was.
final class CallNotes: Sendable {
    private let lines = Mutex<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Answers what was noted so far, and forgets it.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    subscript(call: Int) -> String { lines.withLock { call < $0.count ? $0[call] : "never made" } }
}

/// A file that notes its calls and hands them on.
final class NotedFile: DiskFile {
    private let file: any DiskFile
    private let notes: CallNotes

    init(_ file: any DiskFile, _ notes: CallNotes) {
        self.file = file
        self.notes = notes
    }

    func size() -> Int { file.size() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        notes.note("reading \(buffer.count) bytes at \(offset)")
        return file.read(into: buffer, at: offset)
    }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        notes.note("writing \(pieces.reduce(0) { $0 + $1.count }) bytes at \(offset)")
        return file.write(pieces, at: offset)
    }

    func synchronize() -> Int {
        notes.note("syncing")
        return file.synchronize()
    }

    func reserve(_ sizeBytes: Int) -> Int {
        notes.note("reserving \(sizeBytes) bytes")
        return file.reserve(sizeBytes)
    }

    func truncate(_ sizeBytes: Int) -> Int {
        notes.note("cutting to \(sizeBytes) bytes")
        return file.truncate(sizeBytes)
    }

    func map(_ reservedBytes: Int) -> UnsafeRawPointer? { file.map(reservedBytes) }
}
