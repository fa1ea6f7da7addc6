import CausewayEnvironment
import Glibc

/// Whole reads and writes, made of system calls that may do less than asked or be interrupted.
extension DiskFile {
    /// Returns how many bytes the file had there, or a negative errno.
    func readWhole(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var done = 0
        while done < buffer.count {
            let count = read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: offset + done)
            if count == -Int(EINTR) { continue }
            if count < 0 { return count }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes pieces one behind the other. Returns zero or a negative errno.
    func writeWhole(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        guard !pieces.isEmpty, pieces.count <= maximumPieces else { return writeRest(pieces[...], at: offset) }
        let count = write(pieces, at: offset)
        // Nearly always one call writes everything.
        if count >= 0, count == pieces.reduce(0, { $0 + $1.count }) { return 0 }
        if count < 0, count != -Int(EINTR) { return count }
        if count == 0 { return -Int(ENOSPC) }
        return writeRest(pieces[...].dropping(bytes: max(count, 0)), at: offset + max(count, 0))
    }

    private func writeRest(_ pieces: ArraySlice<UnsafeRawBufferPointer>, at offset: Int) -> Int {
        var pieces = pieces
        var offset = offset
        while !pieces.isEmpty {
            let count = write(Array(pieces.prefix(maximumPieces)), at: offset)
            if count == -Int(EINTR) { continue }
            if count < 0 { return count }
            // A disk that writes nothing and reports no error is full.
            if count == 0 { return -Int(ENOSPC) }
            offset += count
            pieces = pieces.dropping(bytes: count)
        }
        return 0
    }

    func synchronizeWhole() -> Int {
        repeat {
            let result = synchronize()
            if result != -Int(EINTR) { return result }
        } while true
    }

    /// Makes the file at least this long.
    func reserveWhole(_ sizeBytes: Int) -> Int {
        repeat {
            let result = reserve(sizeBytes)
            if result != -Int(EINTR) { return result }
        } while true
    }

    func truncateWhole(_ sizeBytes: Int) -> Int {
        repeat {
            let result = truncate(sizeBytes)
            if result != -Int(EINTR) { return result }
        } while true
    }
}

extension ArraySlice<UnsafeRawBufferPointer> {
    /// The pieces without this many bytes at the front.
    fileprivate func dropping(bytes: Int) -> Self {
        var rest = self
        var bytes = bytes
        while let first = rest.first, first.count <= bytes {
            bytes -= first.count
            rest.removeFirst()
        }
        if bytes > 0, let first = rest.first {
            rest[rest.startIndex] = UnsafeRawBufferPointer(rebasing: first[bytes...])
        }
        return rest
    }
}
