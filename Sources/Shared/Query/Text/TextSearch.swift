/// The prepared operand of TEXT: words that a text must have, and words that it must not have.
///
/// White space divides the search into pieces. A piece that begins with `-` excludes its words, every other one wants
/// them. A star right behind a word stands for any end of it: `'rex dog* -cat'`. Other signs only separate words. A
/// search without any word finds nothing.
package struct TextSearch: Sendable {
    package struct Term: Hashable, Sendable {
        package var word: [UInt8]
        /// Whether all words with this beginning are meant, not the word alone.
        package var isBeginning: Bool

        fileprivate func matches(_ other: UnsafeRawBufferPointer) -> Bool {
            guard isBeginning ? other.count >= word.count : other.count == word.count else { return false }
            return word.withUnsafeBytes { word in
                StringMatcher.equal(UnsafeRawBufferPointer(rebasing: other[..<word.count]), word)
            }
        }
    }

    /// Each once, in the order given.
    package private(set) var wanted: [Term] = []
    package private(set) var excluded: [Term] = []
    /// Whether there were more words than ``QueryLimits/searchWords``; those behind were left out.
    package private(set) var isTooLong = false
    /// The words of the text looked at, kept between calls so that finding them allocates once.
    private var words = TextWords()

    package init(_ text: [UInt8]) {
        let space = UInt8(ascii: " ")
        var words = TextWords()
        for piece in text.split(whereSeparator: { $0 == space || 9...13 ~= $0 }) {
            let isExcluded = piece.first == UInt8(ascii: "-")
            let parts = piece.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                part.withUnsafeBytes { words.read($0) }
                var left = words.count
                let isBeforeStar = index < parts.count - 1 && words.endInWord
                words.forEach { word in
                    left -= 1
                    add(Term(word: Array(word), isBeginning: isBeforeStar && left == 0), isExcluded)
                    return true
                }
            }
        }
    }

    private mutating func add(_ term: Term, _ isExcluded: Bool) {
        if (isExcluded ? excluded : wanted).contains(term) { return }
        guard wanted.count + excluded.count < QueryLimits.searchWords else {
            isTooLong = true
            return
        }
        if isExcluded { excluded.append(term) } else { wanted.append(term) }
    }

    /// Whether there is no word in it, so that it finds nothing.
    package var isEmpty: Bool { wanted.isEmpty && excluded.isEmpty }

    /// - Complexity: linear in the text, times the number of words searched for.
    package mutating func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard !isEmpty else { return false }
        words.read(text)
        for term in excluded where has(term) { return false }
        for term in wanted where !has(term) { return false }
        return true
    }

    private func has(_ term: Term) -> Bool {
        !words.forEach { !term.matches($0) }
    }
}
