import CausewayMerge

/// The differences of the texts of one request. Comparing takes a budget that all of them share; once it is used up,
/// what differs is replaced as one piece.
struct TextComparisons {
    /// How many comparisons of scalars are left.
    private var budget: Int

    /// Some tenths of a second of one thread: two texts of 400 lines of 40 characters that have no line in common.
    static let budgetMax = 1 << 25
    /// What finding the differences inside of lines takes, for each scalar of the shorter side: half of the longest
    /// stretch that `TextDifference` compares by scalars.
    static let costOfScalar = 256

    init(budget: Int = TextComparisons.budgetMax) { self.budget = budget }

    /// The offsets of each edit refer to the text after the edits before it.
    mutating func edits(from old: String, to new: String) -> [TextEdit] {
        let rest = Rest(old, new)
        guard rest.cost <= budget else { return rest.replacement }
        budget -= rest.cost
        return TextDifference.edits(from: old, to: new)
    }
}

/// What is left of two texts without what both begin and end with.
private struct Rest {
    private let old: ArraySlice<Unicode.Scalar>
    private let new: ArraySlice<Unicode.Scalar>
    /// How many scalars both begin with.
    private let prefix: Int

    init(_ old: String, _ new: String) {
        let (old, new) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
        let most = min(old.count, new.count)
        var prefix = 0
        while prefix < most, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < most - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] { suffix += 1 }
        self.old = old[prefix..<old.count - suffix]
        self.new = new[prefix..<new.count - suffix]
        self.prefix = prefix
    }

    /// About so many scalars are compared at most: all lines with each other, and then what is inside of them. No text
    /// is so long that this overflows.
    var cost: Int {
        if old.isEmpty || new.isEmpty { return 0 }
        let lines = Self.lineCount(old) + Self.lineCount(new)
        return lines * (old.count + new.count) + TextComparisons.costOfScalar * min(old.count, new.count)
    }

    private static func lineCount(_ scalars: ArraySlice<Unicode.Scalar>) -> Int { scalars.count { $0 == "\n" } + 1 }

    /// The new piece is inserted before the old one, as `TextDifference` does it.
    var replacement: [TextEdit] {
        var edits: [TextEdit] = []
        if !new.isEmpty {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: new)
            edits.append(.insert(String(text), at: prefix))
        }
        let start = prefix + new.count
        if !old.isEmpty { edits.append(.remove(start..<start + old.count)) }
        return edits
    }
}
