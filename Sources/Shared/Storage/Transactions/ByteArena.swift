/// Memory for many small byte strings that live as long as one transaction: addresses never move, and everything is
/// given back at once.
final class ByteArena {
    private var chunks: [UnsafeMutableRawPointer] = []
    // Nothing here calls out, so accesses never overlap; checking them costs more than handing out a few bytes.
    @exclusivity(unchecked) private var free: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var freeCount = 0
    /// Most transactions are small, and so little memory is had for nearly nothing.
    private var nextChunkBytes = 1024
    /// All that was handed out.
    @exclusivity(unchecked) private(set) var usedBytes = 0

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Room for `count` bytes, not initialised.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        if count > freeCount { grow(for: count) }
        // `grow` made sure that a chunk is there; only a request for nothing may find none.
        guard let start = free else { return UnsafeMutableRawPointer(bitPattern: 16)! }
        free = start + count
        freeCount -= count
        usedBytes += count
        return start
    }

    /// A copy that begins at a multiple of 16, as a leaf does in the file.
    func copyAligned(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let gap = -Int(bitPattern: free) & 15
        if gap + bytes.count <= freeCount {
            free = free.map { $0 + gap }
            freeCount -= gap
        } else {
            // A chunk begins at a multiple of 16.
            grow(for: bytes.count)
        }
        let start = allocate(bytes.count)
        if let base = bytes.baseAddress { start.copyMemory(from: base, byteCount: bytes.count) }
        return UnsafeRawBufferPointer(start: start, count: bytes.count)
    }

    private func grow(for count: Int) {
        let size = max(count, nextChunkBytes)
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        chunks.append(chunk)
        free = chunk
        freeCount = size
        nextChunkBytes = min(nextChunkBytes * 2, 1 << 20)
    }
}
