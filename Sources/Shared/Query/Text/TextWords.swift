/// The words of a text, as TEXT compares and a full-text index keeps them: runs of letters, digits and marks, without
/// case and diacritics. Everything else separates words, so `full-text` is two of them.
///
/// The same on every machine: case, marks and letters come from tables of this library. Only the first ``longest``
/// bytes of a word count, in UTF-8. Scripts that write no spaces give one word for each run.
package struct TextWords: Sendable {
    /// How many bytes of a word count; no character is cut.
    package static let longest = 64

    /// Behind each word stands a zero byte, which no word has.
    private var bytes: [UInt8] = []
    private var words: [Range<Int>] = []
    /// Whether the text ended in the middle of its last word.
    private(set) var endInWord = false
    /// Whether the end of the word being read was cut off.
    private var isCut = false
    private var folded: [UInt8] = []

    package init() {}

    package var count: Int { words.count }

    /// Replaces the words by those of a text, in their order and with repetitions.
    package mutating func read(_ text: UnsafeRawBufferPointer) {
        bytes.removeAll(keepingCapacity: true)
        words.removeAll(keepingCapacity: true)
        folded.removeAll(keepingCapacity: true)
        StringFolding.fold(text, [.caseInsensitive, .diacriticInsensitive], into: &folded)
        var start = 0
        var position = 0
        while position < folded.count {
            let byte = folded[position]
            if byte < 0x80 {
                if WordScalars.contains(ascii: byte) { append(position, 1, start) } else { end(&start) }
                position += 1
                continue
            }
            let (scalar, width) = Self.scalar(folded, position)
            if WordScalars.contains(scalar) {
                append(position, width, start)
            } else if !WordScalars.isPassedOver(scalar) {
                end(&start)
            }
            position += width
        }
        endInWord = bytes.count > start
        end(&start)
    }

    /// Leaves each word once, ascending by its bytes.
    package mutating func removeRepetitions() {
        guard words.count > 1 else { return }
        bytes.withUnsafeBytes { bytes in
            words.sort { Self.order($0, $1, bytes) < 0 }
            var kept = 1
            for index in 1..<words.count where Self.order(words[kept - 1], words[index], bytes) != 0 {
                words[kept] = words[index]
                kept += 1
            }
            words.removeLast(words.count - kept)
        }
    }

    /// Visits the words until the body answers false; false when it did.
    @discardableResult
    package func forEach(_ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        bytes.withUnsafeBytes { bytes in
            for word in words where !body(UnsafeRawBufferPointer(rebasing: bytes[word])) { return false }
            return true
        }
    }

    /// Visits the words with the zero byte behind each, as they are in the keys of an index.
    package func forEachKey(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            for word in words { body(UnsafeRawBufferPointer(rebasing: bytes[word.lowerBound...word.upperBound])) }
        }
    }

    /// Visits, as `forEachKey` does, the words that only one of two texts has. Both must be without repetitions.
    package static func forEachDifference(
        _ before: TextWords, _ after: TextWords, _ body: (_ key: UnsafeRawBufferPointer, _ isNew: Bool) -> Void
    ) {
        before.bytes.withUnsafeBytes { old in
            after.bytes.withUnsafeBytes { new in
                func word(_ words: [Range<Int>], _ place: Int, _ bytes: UnsafeRawBufferPointer)
                    -> UnsafeRawBufferPointer?
                {
                    place < words.count
                        ? UnsafeRawBufferPointer(rebasing: bytes[words[place].lowerBound...words[place].upperBound])
                        : nil
                }
                var (left, right) = (0, 0)
                while true {
                    let (removed, added) = (word(before.words, left, old), word(after.words, right, new))
                    // The zero byte behind a word sorts below all that a word may have.
                    let order =
                        removed.map { removed in added.map { StringMatcher.order(removed, $0) } ?? -1 }
                        ?? (added == nil ? nil : 1)
                    guard let order else { return }
                    if order <= 0 { left += 1 }
                    if order >= 0 { right += 1 }
                    if order < 0, let removed { body(removed, false) }
                    if order > 0, let added { body(added, true) }
                }
            }
        }
    }

    private static func order(_ left: Range<Int>, _ right: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Int {
        StringMatcher.order(
            UnsafeRawBufferPointer(rebasing: bytes[left]), UnsafeRawBufferPointer(rebasing: bytes[right]))
    }

    // MARK: - Cutting

    private mutating func append(_ position: Int, _ width: Int, _ start: Int) {
        // What is cut off stays cut off: a short letter behind a long one must not slip in.
        guard bytes.count - start + width <= Self.longest, !isCut else {
            isCut = true
            return
        }
        bytes.append(contentsOf: folded[position..<position + width])
    }

    private mutating func end(_ start: inout Int) {
        isCut = false
        guard bytes.count > start else { return }
        words.append(start..<bytes.count)
        bytes.append(0)
        start = bytes.count
    }

    /// The code point at a place. A byte that is no UTF-8 reads as 0, which no word has.
    private static func scalar(_ bytes: [UInt8], _ position: Int) -> (scalar: UInt32, width: Int) {
        let lead = bytes[position]
        let width = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        guard lead >= 0xC2, lead < 0xF5, position + width <= bytes.count else { return (0, 1) }
        var scalar = UInt32(lead) & (0x7F >> UInt32(width))
        for offset in 1..<width {
            let byte = bytes[position + offset]
            guard byte & 0xC0 == 0x80 else { return (0, 1) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        return (scalar, width)
    }
}
