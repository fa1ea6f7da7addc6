/// Memory for many small byte strings that live as long as one transaction. Addresses never move, and all memory is
/// freed at once.
final class ByteArena {
    private var chunks: [UnsafeMutableRawPointer] = []
    // Nothing here calls out, so accesses never overlap; checking them costs more than handing out a few bytes.
    @exclusivity(unchecked) private var free: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var freeCount = 0
    /// Small at first, because most transactions are small and a small chunk costs almost nothing.
    private var nextChunkBytes = 1024
    /// The number of bytes handed out.
    @exclusivity(unchecked) private(set) var usedBytes = 0

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Allocates `count` bytes, not initialised.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        if count > freeCount { grow(for: count) }
        // `grow` has made a chunk, except for a first request for zero bytes.
        guard let start = free else { return UnsafeMutableRawPointer(bitPattern: 16)! }
        free = start + count
        freeCount -= count
        usedBytes += count
        return start
    }

    /// Copies bytes to an address that is a multiple of 16, like that of a leaf in the file.
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
