/// A gap buffer: a text as UTF-8 with a gap at the last edit, so an edit beside that one moves nothing.
package struct TextBuffer: Sendable {
    private var storage: [UInt8]
    private var gapStart: Int
    private var gapCount: Int

    package init() {
        self.init([])
    }

    package init(_ utf8: [UInt8]) {
        storage = utf8
        gapStart = utf8.count
        gapCount = 0
    }

    /// Bytes, without the gap.
    package var count: Int { storage.count - gapCount }

    /// - Complexity: O(n)
    package var string: String { string(in: 0..<count) }

    /// - Precondition: the range begins and ends between two scalars.
    package func string(in range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { target in
            withParts(range) { first, second in
                _ = target.update(fromContentsOf: first)
                _ = target[first.count...].update(fromContentsOf: second)
            }
            return range.count
        }
    }

    /// - Complexity: O(k + d), with k bytes at a distance of d bytes from the edit before
    package mutating func insert(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) {
        moveGap(to: offset, holding: utf8.count)
        for index in utf8.indices { storage[gapStart + index] = utf8[index] }
        gapStart += utf8.count
        gapCount -= utf8.count
    }

    /// - Complexity: O(d), at a distance of d bytes from the edit before
    package mutating func remove(_ range: Range<Int>) {
        if range.upperBound == gapStart {
            gapStart -= range.count
        } else {
            moveGap(to: range.lowerBound, holding: 0)
        }
        gapCount += range.count
    }

    /// The number of bytes that some scalars take from an offset on.
    ///
    /// - Complexity: O(scalars)
    package func bytes(ofScalars scalars: Int, from offset: Int) -> Int {
        var left = scalars
        var place = offset
        let end = count
        while place < end {
            if byte(place) & 0xC0 != 0x80 {
                if left == 0 { break }
                left -= 1
            }
            place += 1
        }
        return place - offset
    }

    private func byte(_ offset: Int) -> UInt8 {
        storage[offset < gapStart ? offset : offset + gapCount]
    }

    /// The bytes of a range, in two parts because the gap may lie between.
    private func withParts(
        _ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void
    ) {
        storage.withUnsafeBufferPointer { bytes in
            let middle = min(max(gapStart, range.lowerBound), range.upperBound)
            body(
                UnsafeBufferPointer(rebasing: bytes[range.lowerBound..<middle]),
                UnsafeBufferPointer(rebasing: bytes[middle + gapCount..<range.upperBound + gapCount]))
        }
    }

    private mutating func moveGap(to offset: Int, holding bytes: Int) {
        if gapCount < bytes { grow(holding: bytes) }
        if offset == gapStart { return }
        storage.withUnsafeMutableBufferPointer { bytes in
            // Both parts are within the storage: the gap lies between them.
            let base = UnsafeMutableRawPointer(bytes.baseAddress!)
            if offset < gapStart {
                let moved = gapStart - offset
                base.advanced(by: offset + gapCount).copyMemory(from: base.advanced(by: offset), byteCount: moved)
            } else {
                let moved = offset - gapStart
                base.advanced(by: gapStart).copyMemory(from: base.advanced(by: gapStart + gapCount), byteCount: moved)
            }
        }
        gapStart = offset
    }

    private mutating func grow(holding bytes: Int) {
        let gap = bytes + Swift.max(64, count / 8)
        var grown: [UInt8] = []
        grown.reserveCapacity(count + gap)
        grown.append(contentsOf: storage[..<gapStart])
        grown.append(contentsOf: repeatElement(0, count: gap))
        grown.append(contentsOf: storage[(gapStart + gapCount)...])
        storage = grown
        gapCount = gap
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many scalars this UTF-8 holds.
    package var scalarCount: Int {
        var count = 0
        for byte in self where byte & 0xC0 != 0x80 { count += 1 }
        return count
    }
}
