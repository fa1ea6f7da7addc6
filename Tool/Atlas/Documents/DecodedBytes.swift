/// Bytes that grow at their end, at an address that stays until they grow.
final class DecodedBytes {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private(set) var count = 0

    deinit { memory.deallocate() }

    func removeAll(from place: Int = 0) { count = place }

    func append(_ bytes: some Collection<UInt8>) {
        let needed = count + bytes.count
        if needed > memory.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, 2 * memory.count), alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
            memory.deallocate()
            memory = larger
        }
        UnsafeMutableRawBufferPointer(rebasing: memory[count..<needed]).copyBytes(from: bytes)
        count = needed
    }

    /// Valid until the next bytes are appended.
    subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[range])
    }
}
