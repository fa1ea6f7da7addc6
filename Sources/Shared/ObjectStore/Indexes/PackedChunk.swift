/// Ascending keys with a value each, packed: the content of one entry of an index, of backlinks or of primary keys.
///
/// The first key is part of the tree key. The bytes may be damaged: `init` checks their lengths, so no read leaves
/// them, but the numbers in them can be anything.
struct PackedChunk {
    /// Every value is 1 and none is stored. So it is in sets of keys, and nearly always in counts of links.
    private static let ones: UInt8 = 0xFF
    private static let headerCount = 4
    /// Four of these, with their keys, fill a page of a tree; a value of more than 1,000 bytes has a page to itself.
    private static let bytesMaximum = 960

    let first: Int64
    let count: Int
    private let keyWidth: Int
    private let keys: UnsafeRawPointer
    private let valueForm: UInt8
    private let valueBase: Int64
    private let values: UnsafeRawPointer

    init?(first: Int64, _ bytes: UnsafeRawBufferPointer) {
        self.first = first
        guard let base = bytes.baseAddress, bytes.count > 0 else {
            // One key with the value 1 needs no bytes.
            count = 1
            keyWidth = 0
            keys = Self.nothing
            valueForm = Self.ones
            valueBase = 1
            values = Self.nothing
            return
        }
        guard bytes.count >= Self.headerCount else { return nil }
        count = Int(UInt16(littleEndian: base.loadUnaligned(as: UInt16.self)))
        keyWidth = Int(base.load(fromByteOffset: 2, as: UInt8.self))
        valueForm = base.load(fromByteOffset: 3, as: UInt8.self)
        let isSet = valueForm == Self.ones
        let keysStart = isSet ? Self.headerCount : Self.headerCount + 8
        let valueWidth = isSet ? 0 : Int(valueForm)
        guard count > 0, Self.isWidth(keyWidth), Self.isWidth(valueWidth),
            bytes.count == keysStart + (count - 1) * keyWidth + count * valueWidth
        else { return nil }
        keys = base + keysStart
        values = keys + (count - 1) * keyWidth
        valueBase = isSet ? 1 : Int64(littleEndian: base.loadUnaligned(fromByteOffset: 4, as: Int64.self))
    }

    private static func isWidth(_ width: Int) -> Bool { width <= 4 || width == 8 }

    /// What the pointers of an entry without bytes point to; never read.
    private static var nothing: UnsafeRawPointer { UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped }

    // MARK: - Reading

    var isSet: Bool { valueForm == Self.ones }

    @inline(__always)
    func key(_ index: Int) -> Int64 {
        if index == 0 { return first }
        if keyWidth == 0 { return first &+ Int64(index) }
        return first &+ Self.load(keys + (index &- 1) &* keyWidth, keyWidth)
    }

    @inline(__always)
    func value(_ index: Int) -> Int64 {
        if isSet { return 1 }
        if valueForm == 0 { return valueBase &+ Int64(index) }
        return valueBase &+ Self.load(values + index &* Int(valueForm), Int(valueForm))
    }

    var last: Int64 { key(count - 1) }

    /// - Complexity: O(log n), and O(1) where the keys are consecutive.
    func index(of wanted: Int64) -> Int? {
        guard wanted >= first else { return nil }
        if keyWidth == 0 {
            let (distance, overflow) = wanted.subtractingReportingOverflow(first)
            return !overflow && distance < Int64(count) ? Int(distance) : nil
        }
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) >> 1
            if key(middle) < wanted { low = middle &+ 1 } else { high = middle }
        }
        return low < count && key(low) == wanted ? low : nil
    }

    @inline(__always)
    func forEachKey(_ body: (Int64) -> Void) {
        body(first)
        let rest = count &- 1
        var index = 0
        switch keyWidth {
        case 0:
            while index < rest {
                index &+= 1
                body(first &+ Int64(index))
            }
        case 1:
            while index < rest {
                body(first &+ Int64((keys + index).loadUnaligned(as: UInt8.self)))
                index &+= 1
            }
        case 2:
            while index < rest {
                body(first &+ Int64((keys + 2 &* index).loadUnaligned(as: UInt16.self)))
                index &+= 1
            }
        default:
            while index < rest {
                body(first &+ Self.load(keys + keyWidth &* index, keyWidth))
                index &+= 1
            }
        }
    }

    /// Whether no key can lie outside of a range that begins at 0, whatever the bytes are.
    func keysLie(below limit: Int64) -> Bool {
        guard first >= 0, keyWidth < 8 else { return false }
        let span = keyWidth == 0 ? Int64(count) : 1 << Int64(8 * keyWidth)
        return first <= limit &- span
    }

    /// Writes all keys, one behind the other, in loops without a branch, which the compiler vectorizes.
    func copyKeys(to place: UnsafeMutablePointer<Int64>) {
        place[0] = first
        let rest = place + 1
        switch keyWidth {
        case 0: for index in 0..<count &- 1 { rest[index] = first &+ Int64(index &+ 1) }
        case 1: copyKeys(UInt8.self, to: rest)
        case 2: copyKeys(UInt16.self, to: rest)
        case 4: copyKeys(UInt32.self, to: rest)
        default: for index in 1..<count { place[index] = key(index) }
        }
    }

    @inline(__always)
    private func copyKeys<Width: FixedWidthInteger & BitwiseCopyable>(
        _ type: Width.Type, to place: UnsafeMutablePointer<Int64>
    ) {
        for index in 0..<count &- 1 {
            let distance = keys.loadUnaligned(fromByteOffset: index &* MemoryLayout<Width>.size, as: Width.self)
            place[index] = first &+ Int64(truncatingIfNeeded: Width(littleEndian: distance))
        }
    }

    @inline(__always)
    private static func load(_ place: UnsafeRawPointer, _ width: Int) -> Int64 {
        switch width {
        case 1: Int64(place.load(as: UInt8.self))
        case 2: Int64(UInt16(littleEndian: place.loadUnaligned(as: UInt16.self)))
        case 3:
            Int64(UInt16(littleEndian: place.loadUnaligned(as: UInt16.self)))
                | Int64(place.load(fromByteOffset: 2, as: UInt8.self)) << 16
        case 4: Int64(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))
        case 8: Int64(littleEndian: place.loadUnaligned(as: Int64.self))
        default: 0
        }
    }

    // MARK: - Writing

    /// One key and its value.
    struct Entry: Equatable {
        var key: Int64
        var value: Int64
    }

    /// How many of the entries fit in one chunk that is stored beside its key rather than in a page of its own: at most
    /// `limit`, and at least one.
    static func fittingCount(_ entries: ArraySlice<Entry>, limit: Int) -> Int {
        guard let first = entries.first else { return 0 }
        var isSet = true
        var isAffine = true
        var (least, largest) = (first.value, first.value)
        var count = 0
        for entry in entries.prefix(limit) {
            isSet = isSet && entry.value == 1
            isAffine = isAffine && entry.value == first.value &+ Int64(count)
            least = min(least, entry.value)
            largest = max(largest, entry.value)
            let span = UInt64(bitPattern: entry.key &- first.key)
            let keyWidth = span == UInt64(count) ? 0 : width(span)
            let valueWidth = isSet || isAffine ? 0 : max(1, width(UInt64(bitPattern: largest &- least)))
            let bytes = headerCount + (isSet ? 0 : 8) + count * keyWidth + (count + 1) * valueWidth
            if bytes > bytesMaximum { break }
            count += 1
        }
        return max(count, 1)
    }

    /// Encodes entries, which ascend by key, without the first key.
    static func encode(_ entries: ArraySlice<Entry>, into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        guard let first = entries.first, let last = entries.last else { return }
        let isSet = entries.allSatisfy { $0.value == 1 }
        if isSet, entries.count == 1 { return }
        let span = UInt64(bitPattern: last.key &- first.key)
        let keyWidth = span == UInt64(entries.count - 1) ? 0 : width(span)
        withUnsafeBytes(of: UInt16(entries.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(keyWidth))
        guard !isSet else {
            bytes.append(ones)
            append(entries.dropFirst().lazy.map { $0.key &- first.key }, keyWidth, to: &bytes)
            return
        }
        var base = first.value
        var isAffine = true
        var expected = first.value
        var largest = first.value
        for entry in entries {
            isAffine = isAffine && entry.value == expected
            expected &+= 1
            base = min(base, entry.value)
            largest = max(largest, entry.value)
        }
        let valueWidth = isAffine ? 0 : max(1, width(UInt64(bitPattern: largest &- base)))
        bytes.append(UInt8(valueWidth))
        withUnsafeBytes(of: base.littleEndian) { bytes.append(contentsOf: $0) }
        append(entries.dropFirst().lazy.map { $0.key &- first.key }, keyWidth, to: &bytes)
        append(entries.lazy.map { $0.value &- base }, valueWidth, to: &bytes)
    }

    private static func width(_ largest: UInt64) -> Int {
        switch largest {
        case 0: 0
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFF_FFFF: 3
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func append(_ numbers: some Sequence<Int64>, _ width: Int, to bytes: inout [UInt8]) {
        guard width > 0 else { return }
        for number in numbers {
            withUnsafeBytes(of: number.littleEndian) { raw in
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: raw[..<width]))
            }
        }
    }
}
