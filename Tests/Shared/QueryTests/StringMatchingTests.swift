import CausewayQuery
import Testing

@Suite("Matching of strings")
struct StringMatchingTests {
    private func holds(
        _ text: String, _ comparator: CausewayQuery.Comparator, _ needle: String, _ options: TextOptions = []
    ) -> Bool {
        var matcher = StringMatcher(comparator, Array(needle.utf8), options: options)
        return matcher.matches(text)
    }

    @Test("S155 LIKE: * stands for any run of characters, ? for exactly one")
    func like() {
        #expect(holds("Alex", .like, "Al?x"))
        #expect(!holds("Alx", .like, "Al?x"))
        #expect(holds("", .like, "*") && holds("abc", .like, "*") && holds("abc", .like, "**c"))
        #expect(!holds("", .like, "?") && holds("", .like, ""))
        #expect(holds("größe", .like, "gr?ße") && holds("日本", .like, "??"))
        #expect(holds("aXbXc", .like, "*X*c") && !holds("aXbXc", .like, "*X*d"))
    }

    @Test("S156 d?g matches dog, dig and dug, and not ding, dg or a dog", arguments: ["dog", "dig", "dug"])
    func likeExamples(word: String) {
        #expect(holds(word, .like, "d?g"))
        for other in ["ding", "dg", "a dog"] { #expect(!holds(other, .like, "d?g")) }
    }

    @Test("LIKE agrees with a recursive definition on every short text and pattern")
    func likeEveryCase() {
        func naive(_ text: Substring, _ pattern: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                let rest = pattern.dropFirst()
                return naive("", rest) || text.indices.contains { naive(text[$0...], rest) }
            }
            guard let letter = text.first, first == "?" || first == letter else { return false }
            return naive(text.dropFirst(), pattern.dropFirst())
        }
        func words(_ letters: [Character], _ length: Int) -> [String] {
            guard length > 0 else { return [""] }
            return words(letters, length - 1).flatMap { word in
                word.count == length - 1 ? [word] + letters.map { word + String($0) } : [word]
            }
        }
        for text in words(["a", "ä"], 4) {
            for pattern in words(["a", "ä", "*", "?"], 4) {
                #expect(holds(text, .like, pattern) == naive(text[...], pattern[...]), "'\(text)' LIKE '\(pattern)'")
            }
        }
    }

    @Test("an empty needle of BEGINSWITH, ENDSWITH and CONTAINS matches nothing")
    func emptyNeedles() {
        for comparator in [CausewayQuery.Comparator.beginsWith, .endsWith, .contains] {
            #expect(!holds("abc", comparator, "") && !holds("", comparator, ""))
            #expect(holds("abc", comparator, "abc") && !holds("ab", comparator, "abc"))
        }
        #expect(holds("a long text with needle", .endsWith, "needle") && holds("xxneedlexx", .contains, "needle"))
    }

    @Test("[c] folds the case and [d] the marks of letters")
    func folding() {
        #expect(holds("ÄRGER", .equal, "ärger", .caseInsensitive) && !holds("ÄRGER", .equal, "arger", .caseInsensitive))
        #expect(
            holds("Zoë", .equal, "Zoe", .diacriticInsensitive) && !holds("Zoë", .equal, "zoe", .diacriticInsensitive))
        #expect(holds("ŽIŽEK", .contains, "zek", [.caseInsensitive, .diacriticInsensitive]))
        #expect(holds("e\u{301}", .equal, "e", .diacriticInsensitive))
        #expect(holds("ДА", .equal, "да", .caseInsensitive) && !holds("ДА", .equal, "да"))
        #expect(holds("Άλφα", .beginsWith, "αλ", [.caseInsensitive, .diacriticInsensitive]))
        for scalar in UInt32(0)..<592 {
            guard let scalar = Unicode.Scalar(scalar), scalar.properties.lowercaseMapping.unicodeScalars.count == 1
            else {
                continue
            }
            let lower = scalar.properties.lowercaseMapping
            #expect(holds(String(scalar), .equal, lower, .caseInsensitive), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("order is the order of bytes, a prefix first")
    func order() {
        #expect(holds("Z", .less, "a") && holds("a", .less, "ab") && holds("ab", .greaterOrEqual, "ab"))
        #expect(holds("abcdefgh1", .less, "abcdefgh2") && holds("z", .less, "ä"))
    }
}
