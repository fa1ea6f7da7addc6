package import CausewayMerge
package import CausewayModel

extension Table {
    /// Edits a text of an object that is here, and notes the edit for the log of this write.
    ///
    /// - Precondition: the edit's places are in the text.
    /// - Complexity: O(n) in bytes of the text
    package func edit(_ key: ObjectKey, text column: Int, _ edit: TextEdit) {
        precondition(schema.properties[column].isText, "what is no text was edited as one")
        guard case .string(let old) = value(key, column) else { return }
        set(key, column, .string(old.applying(edit)))
        changes.edit(key, column, edit)
    }
}

extension String {
    /// How many Unicode scalars there are, counted a word of bytes at a time.
    package var scalarCount: Int {
        utf8.withContiguousStorageIfAvailable { $0.scalars(in: 0..<$0.count) } ?? unicodeScalars.count
    }

    /// - Precondition: the edit's places are in the text.
    package func applying(_ edit: TextEdit) -> String {
        switch edit {
        case .insert(let text, let place): replacing(place..<place, text)
        case .remove(let range): replacing(range, "")
        }
    }

    /// The string with another text in place of a range of scalars.
    private func replacing(_ range: Range<Int>, _ text: String) -> String {
        var (old, new) = (self, text)
        return old.withUTF8 { old in
            let start = old.bytes(ofScalars: range.lowerBound, from: 0)
            let end = start + old.bytes(ofScalars: range.count, from: start)
            return new.withUTF8 { new in
                String(unsafeUninitializedCapacity: start + new.count + old.count - end) { target in
                    var place = target[...].update(fromContentsOf: old[..<start])
                    place = target[place...].update(fromContentsOf: new)
                    _ = target[place...].update(fromContentsOf: old[end...])
                    return start + new.count + old.count - end
                }
            }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many bytes a number of scalars takes from an offset on.
    fileprivate func bytes(ofScalars scalars: Int, from offset: Int) -> Int {
        var (left, place) = (scalars, offset)
        // Whole stretches are passed first, while they hold no more scalars than are asked for.
        while count - place >= Self.stretch {
            let passed = self.scalars(in: place..<place + Self.stretch)
            if passed > left { break }
            left -= passed
            place += Self.stretch
        }
        while place < count {
            if self[place] & 0xC0 != 0x80 {
                if left == 0 { break }
                left -= 1
            }
            place += 1
        }
        precondition(left == 0, "A place beyond the end of a text was edited.")
        return place - offset
    }

    private static var stretch: Int { 256 }

    /// How many scalars begin in a range of bytes.
    fileprivate func scalars(in range: Range<Int>) -> Int {
        let bytes = UnsafeRawBufferPointer(self)
        var place = range.lowerBound
        var continuations = 0
        while range.upperBound - place >= 8 {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // A byte that continues a scalar has its highest bit set and the next one clear.
            continuations += (word >> 7 & ~(word >> 6) & 0x0101_0101_0101_0101).nonzeroBitCount
            place += 8
        }
        while place < range.upperBound {
            if self[place] & 0xC0 == 0x80 { continuations += 1 }
            place += 1
        }
        return range.count - continuations
    }
}
