import CScan

/// The strings of a plain leaf, or the entries of a dictionary, as one arena and the offsets into it.
struct StringSpan {
    private var strings: causeway_strings

    /// Nil for leaves that are coded, and for widths that no string leaf should have.
    init?(plain leaf: UnsafeRawPointer) {
        let width = leaf.leafField(LeafLayout.width, UInt8.self)
        guard leaf.leafField(LeafLayout.dictionaryCount, UInt16.self) == 0, width == 2 || width == 4 else {
            return nil
        }
        let header = LeafHeader(leaf)
        let arena = Int(leaf.leafField(LeafLayout.secondOffset, UInt32.self))
        self.init(leaf, offsets: header.payload, width: width, count: header.count, arena: arena)
    }

    /// Nil for leaves whose codes are not single bytes.
    init?(dictionaryOf leaf: UnsafeRawPointer) {
        let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
        guard 1...256 ~= entries, leaf.leafField(LeafLayout.width, UInt8.self) == 1 else { return nil }
        let offsets = Int(leaf.leafField(LeafLayout.secondOffset, UInt32.self))
        self.init(leaf, offsets: leaf + offsets, width: 4, count: entries, arena: offsets + (entries + 1) * 4)
    }

    /// `LeafCheck` has checked that the offsets lie in the leaf and that the arena begins there.
    private init(_ leaf: UnsafeRawPointer, offsets: UnsafeRawPointer, width: UInt8, count: Int, arena: Int) {
        let bytes = Int(leaf.leafField(LeafLayout.byteCount, UInt32.self))
        strings = causeway_strings(
            offsets: offsets.assumingMemoryBound(to: UInt8.self), width: UInt32(width), count: UInt32(count),
            arena: (leaf + arena).assumingMemoryBound(to: UInt8.self), arena_bytes: max(bytes - arena, 0))
    }

    var count: Int { Int(strings.count) }

    // MARK: - Kernels

    func ofLength(_ lengths: ClosedRange<Int>) -> SlotBitmap {
        let limit = Int(UInt32.max)
        guard lengths.lowerBound <= limit else { return SlotBitmap() }
        return withStrings { strings in
            SlotBitmap {
                causeway_scan_lengths(
                    strings, UInt32(lengths.lowerBound), UInt32(min(lengths.upperBound, limit)), $0)
            }
        }
    }

    /// Of slots whose strings are long enough, those that begin with the needle.
    func beginning(with needle: StringNeedle, _ slots: SlotBitmap) -> SlotBitmap {
        var slots = slots
        withStrings { strings in
            needle.withBytes { needle in slots.update { causeway_scan_prefix(strings, needle, $0) } }
        }
        return slots
    }

    /// Of slots whose strings are long enough, those that end with the needle.
    func ending(with needle: StringNeedle, _ slots: SlotBitmap) -> SlotBitmap {
        var slots = slots
        withStrings { strings in
            needle.withBytes { needle in slots.update { causeway_scan_suffix(strings, needle, $0) } }
        }
        return slots
    }

    func containing(_ needle: StringNeedle) -> SlotBitmap {
        withStrings { strings in
            needle.withBytes { needle in SlotBitmap { causeway_scan_contains(strings, needle, $0) } }
        }
    }

    /// Of the slots, those whose strings match a pattern.
    func matching(_ pattern: StarPattern, _ slots: SlotBitmap) -> SlotBitmap {
        var slots = slots
        withStrings { strings in
            pattern.withPieces { pieces in slots.update { causeway_scan_pieces(strings, pieces, $0) } }
        }
        return slots
    }

    /// The slots whose strings pass the filter of a `StringSet`.
    func passing(_ filter: [UInt8]) -> SlotBitmap {
        withStrings { strings in
            filter.withUnsafeBufferPointer { filter in
                SlotBitmap { causeway_scan_heads(strings, filter.baseAddress, $0) }
            }
        }
    }

    /// The slots whose strings are in a table of short ones.
    func known(_ short: UnsafePointer<causeway_short_strings>) -> SlotBitmap {
        withStrings { strings in SlotBitmap { causeway_scan_short(strings, short, $0) } }
    }

    /// The slots whose strings are not all ASCII.
    var beyondASCII: SlotBitmap {
        withStrings { strings in SlotBitmap { causeway_scan_beyond_ascii(strings, $0) } }
    }

    /// The slots whose strings come before these bytes in byte order, and those that equal them.
    func ordered(by bytes: [UInt8]) -> (before: SlotBitmap, equal: SlotBitmap) {
        var equal = SlotBitmap()
        let before = withStrings { strings in
            bytes.withUnsafeBufferPointer { bytes in
                SlotBitmap { before in
                    equal.update { equal in
                        // Without bytes there is nothing to point at, and nothing is read.
                        var none: UInt8 = 0
                        withUnsafePointer(to: &none) { none in
                            causeway_scan_order(strings, bytes.baseAddress ?? none, bytes.count, before, equal)
                        }
                    }
                }
            }
        }
        return (before, equal)
    }

    @inline(__always)
    private func withStrings<Result>(_ body: (UnsafePointer<causeway_strings>) -> Result) -> Result {
        withUnsafePointer(to: strings) { body($0) }
    }
}

/// Bytes to find. A byte whose case does not matter is lower case, and `fold` has the bit at its place that makes a
/// letter so. A place that takes any byte has all bits set in both.
struct StringNeedle {
    private let bytes: [UInt8]
    private let fold: [UInt8]

    init(_ bytes: some Collection<UInt8>, ignoringCase: Bool, anyByte: UInt8? = nil) {
        self.bytes = bytes.map { $0 == anyByte ? .max : $0 }
        fold = bytes.map { byte in
            if byte == anyByte { return .max }
            return ignoringCase && UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? 0x20 : 0
        }
    }

    var count: Int { bytes.count }

    @inline(__always)
    func withBytes(_ body: (UnsafePointer<causeway_needle>) -> Void) {
        _ = withBytes { needle -> SlotBitmap in
            body(needle)
            return SlotBitmap()
        }
    }

    @inline(__always)
    func withBytes(_ body: (UnsafePointer<causeway_needle>) -> SlotBitmap) -> SlotBitmap {
        bytes.withUnsafeBufferPointer { bytes in
            fold.withUnsafeBufferPointer { fold in
                guard let first = bytes.baseAddress, let folds = fold.baseAddress else { return SlotBitmap() }
                return withUnsafePointer(to: causeway_needle(bytes: first, fold: folds, count: bytes.count), body)
            }
        }
    }
}

/// A LIKE pattern of stars and pieces between them, over UTF-8, as the kernel reads it.
struct StarPattern {
    private let bytes: [UInt8]
    private let lengths: [UInt32]

    /// - Parameter pattern: has a `*`, and no `?`.
    init(_ pattern: LikePattern) {
        let pieces = [pattern.prefix] + pattern.inner + [pattern.suffix]
        // The byte behind them is never compared: it keeps the address of no bytes at all from being nil.
        bytes = pieces.joined() + [0]
        lengths = pieces.map { UInt32($0.count) }
    }

    func withPieces(_ body: (UnsafePointer<causeway_pieces>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            lengths.withUnsafeBufferPointer { lengths in
                guard let first = bytes.baseAddress, let lengthsStart = lengths.baseAddress else { return }
                withUnsafePointer(
                    to: causeway_pieces(
                        bytes: first, lengths: lengthsStart, count: UInt32(lengths.count), shortest: bytes.count - 1),
                    body)
            }
        }
    }
}
