import CausewayQuery
import Foundation
import Testing

@Suite("Case and diacritics of all of Unicode")
struct FoldingTests {
    private func folded(_ text: String, _ options: CausewayQuery.TextOptions) -> String {
        Array(text.utf8).withUnsafeBytes { String(decoding: StringFolding.folded($0, options), as: UTF8.self) }
    }

    /// Those beyond ASCII that the tables' version of Unicode knows.
    private var scalars: [Unicode.Scalar] {
        (0x80...0x10FFFF).compactMap { Unicode.Scalar($0 as UInt32) }.filter { scalar in
            guard let age = scalar.properties.age else { return false }
            return age.major <= 14
        }
    }

    @Test("[d] leaves of each code point what its canonical decomposition has beside marks")
    func marks() {
        for scalar in scalars {
            let text = String(Character(scalar))
            let rest = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
                $0.properties.canonicalCombiningClass == .notReordered
            }
            let expected = rest.count > 1 ? text : String(String.UnicodeScalarView(rest))
            let found = folded(text, .diacriticInsensitive)
            guard Array(found.unicodeScalars) != Array(expected.unicodeScalars) else { continue }
            Issue.record(
                "U+\(String(scalar.value, radix: 16)): \(found.debugDescription), expected \(expected.debugDescription)"
            )
        }
    }

    @Test("[c] makes one of a letter and its lower and upper case, where each is one code point")
    func cases() {
        for scalar in scalars {
            let text = String(Character(scalar))
            let (lower, upper) = (scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping)
            if lower.unicodeScalars.count == 1 {
                #expect(
                    folded(lower, .caseInsensitive) == folded(text, .caseInsensitive),
                    "U+\(String(scalar.value, radix: 16))")
            }
            // Back and forth: a letter whose upper case has this letter as its lower case.
            let isKnown = upper.unicodeScalars.allSatisfy { ($0.properties.age?.major ?? .max) <= 14 }
            if isKnown, upper.unicodeScalars.count == 1, upper.lowercased() == text {
                #expect(
                    folded(upper, .caseInsensitive) == folded(text, .caseInsensitive),
                    "U+\(String(scalar.value, radix: 16))")
            }
        }
    }

    @Test(
        "texts that are the same to a reader",
        arguments: [
            ("ΣΊΣΥΦΟΣ", "σίσυφος", "c"), ("ΣΊΣΥΦΟΣ", "Σισυφος", "cd"), ("МОСКВА", "москва", "c"), ("Ёлка", "Елка", "d"),
            ("ԵՐԵՎԱՆ", "երեվան", "c"), ("ệ", "e", "d"), ("VIỆT", "viet", "cd"), ("が", "か", "d"), ("ẞ", "ß", "c"),
            ("שָׁלוֹם", "שלום", "d"), ("\u{2126}", "\u{3A9}", "d"), ("Ａｂ", "ａＢ", "c"), ("𐐀", "𐐨", "c"), ("Ⅷ", "ⅷ", "c"),
            ("x\u{1DC4}", "x", "d"), ("\u{17F}", "s", "c"), ("\u{212A}", "K", "c"), ("\u{B5}", "\u{39C}", "c"),
            ("İ", "I", "c"),
        ])
    func same(left: String, right: String, letters: String) {
        var options: CausewayQuery.TextOptions = []
        if letters.contains("c") { options.insert(.caseInsensitive) }
        if letters.contains("d") { options.insert(.diacriticInsensitive) }
        #expect(Array(folded(left, options).utf8) == Array(folded(right, options).utf8))
        #expect(Array(left.utf8) != Array(right.utf8))
    }

    @Test("what is no UTF-8 passes byte by byte, and what has nothing to fold stays")
    func unchanged() {
        let both: CausewayQuery.TextOptions = [.caseInsensitive, .diacriticInsensitive]
        for bytes: [UInt8] in [
            [0xCE], [0xE2, 0x84], [0xE2, 0x41, 0x80], [0xF0, 0x90, 0x90], [0xF8, 0x80], [0x80, 0xBF],
            [0xED, 0xA0, 0x80],
            [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80], Array("日本 ß ø łk 한국 😀".utf8),
        ] {
            let expected = bytes.map { $0 == 0x41 ? 0x61 : $0 }
            #expect(bytes.withUnsafeBytes { StringFolding.folded($0, both) } == expected)
        }
    }

    @Test("with [c] only, i, k and s are what something beyond ASCII folds to")
    func ascii() {
        var found: Set<String> = []
        for scalar in scalars {
            let text = folded(String(Character(scalar)), .caseInsensitive)
            if text.utf8.allSatisfy({ $0 < 0x80 }) { found.insert(text) }
        }
        #expect(found == ["i", "k", "s"])
        for letter in UInt8(ascii: "a")...UInt8(ascii: "z") {
            let isAlone = !found.contains(String(Unicode.Scalar(letter)))
            #expect(StringFolding.isFoldedFromASCIIOnly([letter], .caseInsensitive) == isAlone)
        }
    }
}
