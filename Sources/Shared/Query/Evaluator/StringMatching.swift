/// A string or byte condition made ready once and run over many values: `==`, `<`, BEGINSWITH, LIKE and the rest,
/// with `[c]` and `[d]`.
///
/// Works on UTF-8 bytes. Order is byte order, which for UTF-8 is the order of code points. Folding for `[c]` and
/// `[d]` covers the Latin code points 0–591; every other code point matches only itself. An empty needle of
/// BEGINSWITH, ENDSWITH and CONTAINS matches nothing, as Realm has it.
package struct StringMatcher: Sendable {
    private let comparator: Comparator
    private let options: StringOptions
    private let needle: [UInt8]
    /// The haystack folded, kept between calls so that folding allocates once.
    private var scratch: [UInt8] = []

    package init(_ comparator: Comparator, _ needle: [UInt8], options: StringOptions = []) {
        self.comparator = comparator
        self.options = options
        self.needle = options.isEmpty ? needle : needle.withUnsafeBytes { StringFolding.folded($0, options) }
    }

    package mutating func matches(_ haystack: UnsafeRawBufferPointer) -> Bool {
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
        // The two bounds of BETWEEN arrive as two comparisons.
        case .between: false
        }
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

/// Case and diacritic folding of the Latin code points 0–591.
package enum StringFolding {
    package static func folded(_ bytes: UnsafeRawBufferPointer, _ options: StringOptions) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        fold(bytes, options, into: &result)
        return result
    }

    /// Appends the folded bytes. Malformed UTF-8 passes through byte by byte.
    package static func fold(_ bytes: UnsafeRawBufferPointer, _ options: StringOptions, into result: inout [UInt8]) {
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
            // Only two-byte sequences hold the code points that fold: 128–591, and the marks 768–879.
            guard byte & 0xE0 == 0xC0, position + 1 < bytes.count, bytes[position + 1] & 0xC0 == 0x80 else {
                result.append(byte)
                position += 1
                continue
            }
            var scalar = UInt16(byte & 0x1F) << 6 | UInt16(bytes[position + 1] & 0x3F)
            position += 2
            if foldMarks, 0x300...0x36F ~= scalar { continue }
            if scalar < 592 {
                if foldMarks { scalar = LatinFolding.base[Int(scalar)] }
                if foldCase { scalar = scalar < 592 ? LatinFolding.lower[Int(scalar)] : scalar }
            }
            append(scalar, to: &result)
        }
    }

    /// Whether only ASCII folds to these folded bytes, so that nothing else can match them.
    package static func isFoldedFromASCIIOnly(_ folded: [UInt8], _ options: StringOptions) -> Bool {
        if options.isEmpty { return true }
        // Every letter is the base of some letter with marks, and marks alone fold to nothing.
        if options.contains(.diacriticInsensitive) { return false }
        return folded.allSatisfy { $0 < 0x80 && !lowerOfOthers.contains($0) }
    }

    /// The ASCII letters that are the lower case of something else too: İ is an i.
    private static let lowerOfOthers = Set(LatinFolding.lower[0x80...].compactMap { $0 < 0x80 ? UInt8($0) : nil })

    private static func append(_ scalar: UInt16, to result: inout [UInt8]) {
        if scalar < 0x80 {
            result.append(UInt8(scalar))
        } else if scalar < 0x800 {
            result.append(UInt8(0xC0 | scalar >> 6))
            result.append(UInt8(0x80 | scalar & 0x3F))
        } else {
            result.append(UInt8(0xE0 | scalar >> 12))
            result.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            result.append(UInt8(0x80 | scalar & 0x3F))
        }
    }
}
