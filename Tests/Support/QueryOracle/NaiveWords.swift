import CausewayQuery

/// The words of texts and searches, by the properties that the standard library knows of characters.
enum NaiveWords {
    static func holds(_ text: [UInt8], _ search: [UInt8]) -> Bool {
        let words = words(String(decoding: text, as: UTF8.self)).words
        var isAny = false
        for piece in String(decoding: search, as: UTF8.self).split(separator: " ") {
            let isExcluded = piece.hasPrefix("-")
            let parts = piece.split(separator: "*", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                let (wanted, endsInWord) = Self.words(String(part))
                for (place, word) in wanted.enumerated() {
                    isAny = true
                    let isBeginning = place == wanted.count - 1 && endsInWord && index < parts.count - 1
                    let isThere = words.contains { isBeginning ? $0.starts(with: word) : $0 == word }
                    if isThere == isExcluded { return false }
                }
            }
        }
        return isAny
    }

    private static func words(_ text: String) -> (words: [[UInt8]], endsInWord: Bool) {
        let folded = NaiveFolding.folded(text, [.caseInsensitive, .diacriticInsensitive])
        var words: [[Unicode.Scalar]] = [[]]
        for scalar in folded.unicodeScalars {
            if isPart(scalar) {
                words[words.count - 1].append(scalar)
            } else if ![0xAD, 0x200C, 0x200D].contains(scalar.value) {
                words.append([])
            }
        }
        let endsInWord = words.last?.isEmpty == false
        return (words.filter { !$0.isEmpty }.map(cut), endsInWord)
    }

    private static func cut(_ word: [Unicode.Scalar]) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in word {
            let more = Array(String(scalar).utf8)
            if bytes.count + more.count > 64 { break }
            bytes += more
        }
        return bytes
    }

    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
