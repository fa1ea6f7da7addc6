import CausewayModel

/// The edits that make one text of another and touch as little of it as they can.
///
/// What both begin and end with stays. Of what is left, whole lines are compared first, then the scalars of those that
/// differ; a stretch that is too long for that is replaced.
package enum TextDifference {
    /// Longer stretches are compared by lines only, and more lines not at all: the time grows with the product of both
    /// sides.
    static let scalarsMax = 512
    static let linesMax = 4_096

    /// The offsets of each edit refer to the text after the edits before it.
    package static func edits(from old: String, to new: String) -> [TextEdit] {
        let common = common(old, new)
        if common.prefix == old.utf8.count, common.prefix == new.utf8.count { return [] }
        var edits: [TextEdit] = []
        let (oldRest, newRest) = (scalars(of: old, without: common), scalars(of: new, without: common))
        compare(oldRest[...], newRest[...], common.scalars, &edits, isByLine: true)
        return edits
    }

    /// What both texts begin and end with.
    private struct Common {
        /// Bytes of whole scalars.
        var prefix: Int
        var suffix: Int
        /// Those of the prefix.
        var scalars: Int
    }

    /// - Complexity: O(n), a word of bytes at a time
    private static func common(_ old: String, _ new: String) -> Common {
        var (old, new) = (old, new)
        return old.withUTF8 { old in
            new.withUTF8 { new in
                let (old, new) = (UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new))
                let most = min(old.count, new.count)
                let prefix = old.scalarStart(atOrBefore: old.countOfSameBytes(as: new, atMost: most))
                var suffix = old.countOfSameBytes(asEndOf: new, atMost: most - prefix)
                while suffix > 0, old[old.count - suffix] & 0xC0 == 0x80 { suffix -= 1 }
                let scalars = UnsafeRawBufferPointer(rebasing: old[..<prefix]).scalarCount
                return Common(prefix: prefix, suffix: suffix, scalars: scalars)
            }
        }
    }

    private static func scalars(of text: String, without common: Common) -> [Unicode.Scalar] {
        let utf8 = text.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: common.prefix)
        return Array(text.unicodeScalars[start..<utf8.index(utf8.endIndex, offsetBy: -common.suffix)])
    }

    /// - Parameter place: where the old stretch begins in the text after the edits so far.
    private static func compare(
        _ old: ArraySlice<Unicode.Scalar>, _ new: ArraySlice<Unicode.Scalar>, _ place: Int, _ edits: inout [TextEdit],
        isByLine: Bool
    ) {
        var (old, new, place) = (old, new, place)
        while let first = old.first, first == new.first {
            old.removeFirst()
            new.removeFirst()
            place += 1
        }
        while let last = old.last, last == new.last {
            old.removeLast()
            new.removeLast()
        }
        if old.isEmpty || new.isEmpty { return replace(old, new, place, &edits) }
        if old.count <= scalarsMax, new.count <= scalarsMax {
            for stretch in stretches(Array(old), Array(new)) {
                replace(old.part(stretch.old), new.part(stretch.new), place + stretch.new.lowerBound, &edits)
            }
        } else if isByLine {
            let (oldLines, newLines) = (lines(old), lines(new))
            guard oldLines.count <= linesMax, newLines.count <= linesMax else {
                return replace(old, new, place, &edits)
            }
            for stretch in stretches(oldLines, newLines) {
                let before = newLines[..<stretch.new.lowerBound].reduce(0) { $0 + $1.count }
                compare(
                    joined(oldLines[stretch.old], in: old), joined(newLines[stretch.new], in: new), place + before,
                    &edits, isByLine: false)
            }
        } else {
            replace(old, new, place, &edits)
        }
    }

    private static func replace(
        _ old: ArraySlice<Unicode.Scalar>, _ new: ArraySlice<Unicode.Scalar>, _ place: Int, _ edits: inout [TextEdit]
    ) {
        if !new.isEmpty {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: new)
            // Inserted before what it replaces, so it stands at the beginning of that, whatever others insert behind
            // it.
            edits.append(.insert(String(text), at: place))
        }
        if !old.isEmpty { edits.append(.remove(place + new.count..<place + new.count + old.count)) }
    }

    private static func lines(_ scalars: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        var lines: [ArraySlice<Unicode.Scalar>] = []
        var start = scalars.startIndex
        for index in scalars.indices where scalars[index] == "\n" {
            lines.append(scalars[start...index])
            start = index + 1
        }
        if start < scalars.endIndex { lines.append(scalars[start...]) }
        return lines
    }

    private static func joined(
        _ lines: ArraySlice<ArraySlice<Unicode.Scalar>>, in scalars: ArraySlice<Unicode.Scalar>
    ) -> ArraySlice<Unicode.Scalar> {
        guard let first = lines.first, let last = lines.last else { return [] }
        return scalars[first.startIndex..<last.endIndex]
    }

    /// Where two sequences differ, from the front to the back, as ranges of both.
    private static func stretches<Element: Equatable>(
        _ old: [Element], _ new: [Element]
    ) -> [(old: Range<Int>, new: Range<Int>)] {
        var isRemoved = [Bool](repeating: false, count: old.count)
        var isInserted = [Bool](repeating: false, count: new.count)
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): isRemoved[offset] = true
            case .insert(let offset, _, _): isInserted[offset] = true
            }
        }
        var found: [(old: Range<Int>, new: Range<Int>)] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            let (oldStart, newStart) = (left, right)
            while left < old.count, isRemoved[left] { left += 1 }
            while right < new.count, isInserted[right] { right += 1 }
            if left > oldStart || right > newStart {
                found.append((oldStart..<left, newStart..<right))
            } else {
                left += 1
                right += 1
            }
        }
        return found
    }
}

extension ArraySlice {
    fileprivate func part(_ range: Range<Int>) -> ArraySlice {
        self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func countOfSameBytes(as other: Self, atMost most: Int) -> Int {
        var place = 0
        while most - place >= 8,
            loadUnaligned(fromByteOffset: place, as: UInt64.self)
                == other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        {
            place += 8
        }
        while place < most, self[place] == other[place] { place += 1 }
        return place
    }

    fileprivate func countOfSameBytes(asEndOf other: Self, atMost most: Int) -> Int {
        var same = 0
        while most - same >= 8,
            loadUnaligned(fromByteOffset: count - same - 8, as: UInt64.self)
                == other.loadUnaligned(fromByteOffset: other.count - same - 8, as: UInt64.self)
        {
            same += 8
        }
        while same < most, self[count - same - 1] == other[other.count - same - 1] { same += 1 }
        return same
    }
}
