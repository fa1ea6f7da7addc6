// Counting Unicode scalars in UTF-8, a word of bytes at a time. Places in texts are numbers of scalars.

extension UnsafeRawBufferPointer {
    /// How many scalars begin in these bytes of UTF-8.
    package var scalarCount: Int { scalarCount(in: 0..<count) }

    /// Where the scalar with a number begins; the end if there are fewer.
    ///
    /// - Complexity: O(n) in the bytes before it
    package func offset(ofScalar number: Int) -> Int {
        var (left, place) = (number, 0)
        // Whole stretches are passed first, while they hold no more scalars than are asked for.
        while left > 0, count - place >= Self.stretch {
            let passed = scalarCount(in: place..<place + Self.stretch)
            if passed > left { break }
            left -= passed
            place += Self.stretch
        }
        while place < count {
            if Self.begins(self[place]) {
                if left == 0 { break }
                left -= 1
            }
            place += 1
        }
        return place
    }

    /// Where the last scalars begin, as many as the number says; zero if there are fewer.
    ///
    /// - Complexity: O(n) in their bytes
    package func offset(ofScalarFromEnd number: Int) -> Int {
        var (left, place) = (number, count)
        while place >= Self.stretch {
            let passed = scalarCount(in: place - Self.stretch..<place)
            if passed > left { break }
            left -= passed
            place -= Self.stretch
        }
        // A stretch may begin inside a scalar, which does not count yet.
        while left > 0, place > 0 {
            place -= 1
            if Self.begins(self[place]) { left -= 1 }
        }
        while place > 0, place < count, !Self.begins(self[place]) { place += 1 }
        return place
    }

    /// The last place at or before an offset where a scalar begins.
    package func scalarStart(atOrBefore offset: Int) -> Int {
        var place = offset
        while place > 0, place < count, !Self.begins(self[place]) { place -= 1 }
        return place
    }

    private static var stretch: Int { 256 }

    private static func begins(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

    private func scalarCount(in range: Range<Int>) -> Int {
        var place = range.lowerBound
        var continuations = 0
        while range.upperBound - place >= 8 {
            let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // A byte that continues a scalar has its highest bit set and the next one clear.
            continuations += (word >> 7 & ~(word >> 6) & 0x0101_0101_0101_0101).nonzeroBitCount
            place += 8
        }
        while place < range.upperBound {
            if !Self.begins(self[place]) { continuations += 1 }
            place += 1
        }
        return range.count - continuations
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many scalars begin in these bytes of UTF-8.
    package var scalarCount: Int { UnsafeRawBufferPointer(self).scalarCount }
}

extension String {
    /// How many Unicode scalars there are.
    ///
    /// - Complexity: O(n), a word of bytes at a time
    package var scalarCount: Int {
        utf8.withContiguousStorageIfAvailable { $0.scalarCount } ?? unicodeScalars.count
    }
}
