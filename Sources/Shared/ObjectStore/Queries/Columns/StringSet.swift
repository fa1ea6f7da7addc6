import CScan
import CausewayQuery

/// Equality with any of many strings. A filter over lengths and first bytes finds the slots that may match, and a
/// search among the sorted strings decides.
struct StringSet {
    private let filter: [UInt8]
    private let sorted: [[UInt8]]

    init(_ needles: [[UInt8]]) {
        var filter = [UInt8](repeating: 0, count: 512)
        for needle in needles { causeway_scan_add_head(needle, needle.count, &filter) }
        self.filter = filter
        sorted = needles.sorted { left, right in
            left.withUnsafeBytes { left in right.withUnsafeBytes { StringMatcher.order(left, $0) < 0 } }
        }
    }

    func evaluate(_ span: StringSpan, _ strings: StringLeaf, isEntries: Bool, _ wanted: SlotBitmap) -> SlotBitmap {
        var found = SlotBitmap()
        span.passing(filter).intersection(wanted).forEach { slot in
            if contains(isEntries ? strings.entry(slot) : strings.bytes(slot)) { found.insert(slot) }
        }
        return found
    }

    private func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var range = 0..<sorted.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let order = sorted[middle].withUnsafeBytes { StringMatcher.order(bytes, $0) }
            if order == 0 { return true }
            range = order < 0 ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return false
    }
}
