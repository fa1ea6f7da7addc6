/// Whether an operator holds for two values, as the documents word it.
struct PlainComparison {
    var ignoresCase = false
    var digits = TreeDigits.none

    func holds(_ left: PlainValue, _ comparator: TreeComparator, _ right: PlainValue) -> Bool {
        if left == .null || right == .null {
            let areBoth = left == .null && right == .null
            return switch comparator {
            case .equal, .lessOrEqual, .greaterOrEqual: areBoth
            case .notEqual: !areBoth
            default: false
            }
        }
        if let left = left.amount(digits), let right = right.amount(digits) {
            return ordered(PlainNumber.order(left, right), comparator)
        }
        if let first = left.utf8, let second = right.utf8 {
            let isFolded = ignoresCase && left.isText && right.isText
            return text(isFolded ? folded(first) : first, comparator, isFolded ? folded(second) : second)
        }
        switch (left, right) {
        case (.date(let left, let leftRest), .date(let right, let rightRest)):
            let order = (left, leftRest) == (right, rightRest) ? 0 : (left, leftRest) < (right, rightRest) ? -1 : 1
            return ordered(order, comparator)
        case (.objectId(let left), .objectId(let right)), (.uuid(let left), .uuid(let right)):
            return ordered(Self.order(left, right), comparator)
        case (.object(let left), .object(let right)):
            return comparator == .equal ? left == right : comparator == .notEqual && left != right
        default: return comparator == .notEqual
        }
    }

    private func ordered(_ order: Int?, _ comparator: TreeComparator) -> Bool {
        guard let order else { return comparator == .notEqual }
        return switch comparator {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: false
        }
    }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    // MARK: - Texts

    private func text(_ left: [UInt8], _ comparator: TreeComparator, _ right: [UInt8]) -> Bool {
        switch comparator {
        case .beginsWith: !right.isEmpty && left.starts(with: right)
        case .endsWith: !right.isEmpty && left.reversed().starts(with: right.reversed())
        case .contains: !right.isEmpty && left.indices.contains { left[$0...].starts(with: right) }
        case .like: Self.isLike(Self.characters(left)[...], Self.characters(right)[...])
        case .search: Self.finds(left, right)
        default: ordered(Self.order(left, right), comparator)
        }
    }

    /// The generated texts have letters of ASCII and "é" alone, of which only the former have another case.
    private func folded(_ text: [UInt8]) -> [UInt8] {
        text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }

    private static func characters(_ text: [UInt8]) -> [Unicode.Scalar] {
        Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    }

    /// `*` is any run of characters, `?` exactly one.
    private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "*": return isLike(text, rest) || !text.isEmpty && isLike(text.dropFirst(), pattern)
        case "?": return !text.isEmpty && isLike(text.dropFirst(), rest)
        default: return text.first == first && isLike(text.dropFirst(), rest)
        }
    }

    /// Words between blanks: all must be there, those behind `-` must not, a star stands for any ending.
    private static func finds(_ text: [UInt8], _ search: [UInt8]) -> Bool {
        func words(_ text: [UInt8]) -> [String] {
            String(decoding: text, as: UTF8.self).lowercased().split { !$0.isLetter && $0 != "-" && $0 != "*" }
                .map(String.init)
        }
        let held = words(text).map { $0 == "é" ? "e" : $0 }
        return words(search).allSatisfy { word in
            let isExcluded = word.hasPrefix("-")
            let wanted = isExcluded ? String(word.dropFirst()) : word
            let isHeld =
                wanted.hasSuffix("*")
                ? held.contains { $0.hasPrefix(wanted.dropLast()) } : held.contains(wanted)
            return isHeld != isExcluded
        }
    }
}

extension PlainValue {
    fileprivate var isText: Bool {
        if case .text = self { true } else { false }
    }
}
