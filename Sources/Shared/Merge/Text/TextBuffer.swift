import CausewayModel

/// A gap buffer: a text as UTF-8 with a gap at the last edit, so an edit beside that one moves nothing. Places are
/// numbers of Unicode scalars.
package struct TextBuffer: Sendable {
    private var storage: [UInt8]
    private var gapStart: Int
    private var gapCount = 0
    /// Scalars before the gap.
    private var gapScalar: Int
    /// Scalars in all.
    package private(set) var count: Int

    package init(_ text: String = "") {
        storage = Array(text.utf8)
        count = storage.withUnsafeBytes { $0.scalarCount }
        gapStart = storage.count
        gapScalar = count
    }

    /// The bytes of UTF-8.
    package var byteCount: Int { storage.count - gapCount }

    /// - Complexity: O(n)
    package var string: String {
        String(unsafeUninitializedCapacity: byteCount) { target in
            storage.withUnsafeBufferPointer { bytes in
                let end = target.update(fromContentsOf: bytes[..<gapStart])
                _ = target[end...].update(fromContentsOf: bytes[(gapStart + gapCount)...])
            }
            return byteCount
        }
    }

    /// - Precondition: the range is in `0..<count`.
    /// - Complexity: O(k + d), with k scalars at a distance of d bytes from the edit before
    package func string(in range: Range<Int>) -> String {
        let (start, end) = (offset(ofScalar: range.lowerBound), offset(ofScalar: range.upperBound))
        let middle = min(max(gapStart, start), end)
        let bytes = storage[start..<middle] + storage[middle + gapCount..<end + gapCount]
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Inserts text before a scalar, and returns how many scalars it has.
    ///
    /// - Precondition: the place is in `0...count`.
    /// - Complexity: O(k + d), with k bytes at a distance of d bytes from the edit before
    package mutating func insert(_ text: String, at place: Int) -> Int {
        var text = text
        return text.withUTF8 { utf8 in
            let added = utf8.scalarCount
            moveGap(to: place, holding: utf8.count)
            if utf8.count == 1 {
                storage[gapStart] = utf8[0]
            } else {
                storage.withUnsafeMutableBufferPointer { _ = $0[gapStart...].update(fromContentsOf: utf8) }
            }
            gapStart += utf8.count
            gapCount -= utf8.count
            gapScalar += added
            count += added
            return added
        }
    }

    /// - Precondition: the range is in `0..<count`.
    /// - Complexity: O(k + d), with k scalars at a distance of d bytes from the edit before
    package mutating func remove(_ range: Range<Int>) {
        if range.upperBound == gapScalar {
            let start = offset(ofScalar: range.lowerBound)
            gapCount += gapStart - start
            gapStart = start
        } else {
            moveGap(to: range.lowerBound, holding: 0)
            gapCount += offset(ofScalar: range.upperBound) - gapStart
        }
        gapScalar = range.lowerBound
        count -= range.count
    }

    /// Where a scalar begins in the bytes without the gap, found from the nearest place that is known.
    private func offset(ofScalar place: Int) -> Int {
        if byteCount == count { return place }
        if place == gapScalar { return gapStart }
        return storage.withUnsafeBytes { bytes in
            let (start, end, scalars, before) =
                place < gapScalar
                ? (0, gapStart, gapScalar, 0) : (gapStart + gapCount, bytes.count, count - gapScalar, gapScalar)
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            let wanted = place - before
            let found =
                wanted <= scalars / 2 ? part.offset(ofScalar: wanted) : part.offset(ofScalarFromEnd: scalars - wanted)
            return place < gapScalar ? found : gapStart + found
        }
    }

    private mutating func moveGap(to place: Int, holding bytes: Int) {
        let offset = offset(ofScalar: place)
        gapScalar = place
        if gapCount < bytes { grow(holding: bytes) }
        if offset == gapStart { return }
        storage.withUnsafeMutableBytes { bytes in
            if offset < gapStart {
                let moved = UnsafeRawBufferPointer(rebasing: bytes[offset..<gapStart])
                UnsafeMutableRawBufferPointer(rebasing: bytes[(offset + gapCount)...]).copyMemory(from: moved)
            } else {
                let moved = UnsafeRawBufferPointer(rebasing: bytes[gapStart + gapCount..<offset + gapCount])
                UnsafeMutableRawBufferPointer(rebasing: bytes[gapStart...]).copyMemory(from: moved)
            }
        }
        gapStart = offset
    }

    private mutating func grow(holding bytes: Int) {
        let gap = bytes + Swift.max(64, byteCount / 8)
        var grown: [UInt8] = []
        grown.reserveCapacity(byteCount + gap)
        grown.append(contentsOf: storage[..<gapStart])
        grown.append(contentsOf: repeatElement(0, count: gap))
        grown.append(contentsOf: storage[(gapStart + gapCount)...])
        storage = grown
        gapCount = gap
    }
}
