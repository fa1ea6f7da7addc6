/// A string or byte condition, prepared once and run over many values: `==`, `<`, BEGINSWITH, LIKE and the rest, with
/// `[c]` and `[d]`.
///
/// Works on UTF-8 bytes. Order is byte order, which for UTF-8 is the order of code points. ``StringFolding`` defines
/// what `[c]` and `[d]` fold. An empty needle of BEGINSWITH, ENDSWITH and CONTAINS matches nothing, as in Realm.
package struct StringMatcher: Sendable {
    private let comparator: Comparator
    private let options: TextOptions
    private let needle: [UInt8]
    /// The haystack folded, kept between calls so that folding allocates once.
    private var scratch: [UInt8] = []
    /// The search of TEXT, which has no needle: one or none. As an array it takes a single machine word in all other
    /// matchers.
    private var searches: [TextSearch] = []

    package init(_ comparator: Comparator, _ needle: [UInt8], options: TextOptions = []) {
        self.comparator = comparator
        self.options = options
        self.needle = options.isEmpty ? needle : needle.withUnsafeBytes { StringFolding.folded($0, options) }
        if comparator == .text { searches = [TextSearch(needle)] }
    }

    package mutating func matches(_ haystack: UnsafeRawBufferPointer) -> Bool {
        if !searches.isEmpty { return searches[0].matches(haystack) }
        guard !options.isEmpty else {
            return needle.withUnsafeBytes { Self.compare(haystack, comparator, $0) }
        }
        scratch.removeAll(keepingCapacity: true)
        StringFolding.fold(haystack, options, into: &scratch)
        return scratch.withUnsafeBytes { folded in
            needle.withUnsafeBytes { Self.compare(folded, comparator, $0) }
        }
    }

    package mutating func matches(_ haystack: [UInt8]) -> Bool {
        haystack.withUnsafeBytes { matches($0) }
    }

    package mutating func matches(_ haystack: String) -> Bool {
        var haystack = haystack
        return haystack.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }
}

extension StringMatcher {
    /// Compares bytes as they are, without folding.
    package static func compare(
        _ left: UnsafeRawBufferPointer, _ comparator: Comparator, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        switch comparator {
        case .equal, .in: equal(left, right)
        case .notEqual: !equal(left, right)
        case .less: order(left, right) < 0
        case .lessOrEqual: order(left, right) <= 0
        case .greater: order(left, right) > 0
        case .greaterOrEqual: order(left, right) >= 0
        case .beginsWith: !right.isEmpty && begins(left, at: 0, with: right)
        case .endsWith: !right.isEmpty && begins(left, at: left.count - right.count, with: right)
        case .contains: contains(left, right)
        case .like: StringPattern.matches(left, right)
        case .text: hasWords(left, right)
        // The two bounds of BETWEEN arrive as two comparisons.
        case .between: false
        }
    }

    private static func hasWords(_ text: UnsafeRawBufferPointer, _ search: UnsafeRawBufferPointer) -> Bool {
        var search = TextSearch(Array(search))
        return search.matches(text)
    }

    /// Negative, zero or positive, by bytes and then by length.
    package static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        var position = 0
        while position &+ 8 <= common {
            let leftWord = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let rightWord = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            if leftWord != rightWord { return leftWord < rightWord ? -1 : 1 }
            position &+= 8
        }
        while position < common {
            let difference = Int(left[position]) &- Int(right[position])
            if difference != 0 { return difference }
            position &+= 1
        }
        return left.count &- right.count
    }

    package static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        left.count == right.count && begins(left, at: 0, with: right)
    }

    private static func begins(
        _ haystack: UnsafeRawBufferPointer, at start: Int, with needle: UnsafeRawBufferPointer
    ) -> Bool {
        let count = needle.count
        guard start >= 0, haystack.count &- start >= count else { return false }
        var position = 0
        while position &+ 8 <= count {
            let left = haystack.loadUnaligned(fromByteOffset: start &+ position, as: UInt64.self)
            if left != needle.loadUnaligned(fromByteOffset: position, as: UInt64.self) { return false }
            position &+= 8
        }
        while position < count {
            if haystack[start &+ position] != needle[position] { return false }
            position &+= 1
        }
        return true
    }

    private static func contains(_ haystack: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        guard let first = needle.first, haystack.count >= needle.count else { return false }
        let last = haystack.count &- needle.count
        var start = 0
        while start <= last {
            if haystack[start] == first, begins(haystack, at: start, with: needle) { return true }
            start &+= 1
        }
        return false
    }
}

/// LIKE: `*` stands for any run of characters, `?` for exactly one; a character is one code point.
package enum StringPattern {
    package static func matches(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        let star = UInt8(ascii: "*")
        let one = UInt8(ascii: "?")
        var textPosition = 0
        var patternPosition = 0
        // Where to go on when a guess about the last star fails: only the last star ever needs another guess, which
        // bounds the work by text × pattern.
        var afterStar = -1
        var starText = 0
        while textPosition < text.count {
            if patternPosition < pattern.count, pattern[patternPosition] == star {
                patternPosition += 1
                afterStar = patternPosition
                starText = textPosition
            } else if patternPosition < pattern.count, pattern[patternPosition] == one {
                textPosition += width(text, textPosition)
                patternPosition += 1
            } else if patternPosition < pattern.count, pattern[patternPosition] == text[textPosition] {
                textPosition += 1
                patternPosition += 1
            } else if afterStar >= 0 {
                starText += width(text, starText)
                textPosition = starText
                patternPosition = afterStar
            } else {
                return false
            }
        }
        while patternPosition < pattern.count, pattern[patternPosition] == star { patternPosition += 1 }
        return patternPosition == pattern.count
    }

    /// The bytes of the code point that begins here, never past the end; a stray byte counts as one character.
    private static func width(_ text: UnsafeRawBufferPointer, _ position: Int) -> Int {
        let wanted =
            switch text[position] {
            case 0xC0..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0...: 4
            default: 1
            }
        return min(wanted, text.count - position)
    }
}

/// Case and diacritic folding, code point by code point, by the tables of `LatinFolding` and `UnicodeFolding`.
package enum StringFolding {
    package static func folded(_ bytes: UnsafeRawBufferPointer, _ options: TextOptions) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        fold(bytes, options, into: &result)
        return result
    }

    /// Appends the folded bytes. Malformed UTF-8 passes through byte by byte.
    package static func fold(_ bytes: UnsafeRawBufferPointer, _ options: TextOptions, into result: inout [UInt8]) {
        let foldCase = options.contains(.caseInsensitive)
        let foldMarks = options.contains(.diacriticInsensitive)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x80 {
                let isUpper = byte &- UInt8(ascii: "A") < 26
                result.append(foldCase && isUpper ? byte | 0x20 : byte)
                position += 1
                continue
            }
            guard let (code, width) = scalar(bytes, position) else {
                result.append(byte)
                position += 1
                continue
            }
            position += width
            var folded = code
            if foldMarks {
                guard let base = base(folded) else { continue }
                folded = base
            }
            if foldCase { folded = caseFolded(folded) }
            append(folded, to: &result)
        }
    }

    @inline(__always)
    private static func base(_ code: UInt32) -> UInt32? {
        code < LatinFolding.count ? UInt32(LatinFolding.base[Int(code)]) : UnicodeFolding.table.base(code)
    }

    @inline(__always)
    private static func caseFolded(_ code: UInt32) -> UInt32 {
        code < LatinFolding.count ? UInt32(LatinFolding.caseFolded[Int(code)]) : UnicodeFolding.table.caseFolded(code)
    }

    /// The code point that begins here, of two bytes or more; nil where the bytes are no UTF-8.
    @inline(__always)
    private static func scalar(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> (code: UInt32, width: Int)? {
        let lead = bytes[position]
        let width = lead & 0xE0 == 0xC0 ? 2 : lead & 0xF0 == 0xE0 ? 3 : lead & 0xF8 == 0xF0 ? 4 : 0
        guard width > 0, position + width <= bytes.count else { return nil }
        var code = UInt32(lead & (0x7F >> UInt8(width)))
        for offset in 1..<width {
            let byte = bytes[position + offset]
            guard byte & 0xC0 == 0x80 else { return nil }
            code = code << 6 | UInt32(byte & 0x3F)
        }
        // Overlong, half of a surrogate pair, or beyond Unicode.
        guard code >= (width == 2 ? 0x80 : width == 3 ? 0x800 : 0x1_0000), code < 0x11_0000, code >> 11 != 0x1B else {
            return nil
        }
        return (code, width)
    }

    /// Whether only ASCII folds to these folded bytes, so that nothing else can match them.
    package static func isFoldedFromASCIIOnly(_ folded: [UInt8], _ options: TextOptions) -> Bool {
        if options.isEmpty { return true }
        // Every letter is the base of some letter with marks, and marks alone fold to nothing.
        if options.contains(.diacriticInsensitive) { return false }
        return folded.allSatisfy { $0 < 0x80 && !foldedFromOthers.contains($0) }
    }

    /// The ASCII letters that something else folds to: İ is an i, the Kelvin sign a k, the long s an s.
    private static let foldedFromOthers = Set("iks".utf8)

    private static func append(_ scalar: UInt32, to result: inout [UInt8]) {
        func last(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F) }
        if scalar < 0x80 {
            result.append(UInt8(truncatingIfNeeded: scalar))
        } else if scalar < 0x800 {
            result.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            result.append(last(0))
        } else if scalar < 0x1_0000 {
            result.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            result.append(last(6))
            result.append(last(0))
        } else {
            result.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            result.append(last(12))
            result.append(last(6))
            result.append(last(0))
        }
    }
}
