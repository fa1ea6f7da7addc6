import CausewayModel
import CausewayQuery
import CausewaySeeds
import Testing

@Suite("Words and TEXT")
struct TextSearchTests {
    private static let seeds = SeedList.drawn(for: "malformed-words", count: 1)

    private func words(_ text: String) -> [String] {
        var words = TextWords()
        Array(text.utf8).withUnsafeBytes { words.read($0) }
        var result: [String] = []
        words.forEach { word in
            result.append(String(decoding: word, as: UTF8.self))
            return true
        }
        return result
    }

    private func holds(_ text: String, _ search: String) -> Bool {
        ValueComparison.holds(.string(text), .text, .string(search), [])
    }

    @Test("a text is cut into runs of letters and digits, without case and diacritics")
    func cutting() {
        #expect(words("The quick-brown fox, don't!") == ["the", "quick", "brown", "fox", "don", "t"])
        #expect(words("Café CAFE\u{301} größe ÅNGSTRÖM") == ["cafe", "cafe", "große", "angstrom"])
        #expect(words("2nd x86_64 3.14") == ["2nd", "x86", "64", "3", "14"])
        #expect(words("soft\u{AD}hyphen") == ["softhyphen"])
        #expect(words("日本 東京、大阪") == ["日本", "東京", "大阪"])
        #expect(words("नमस्ते दुनिया").count == 2)
        #expect(words("").isEmpty && words(" .,-*\u{0}—“”😀\u{301}").isEmpty)
    }

    @Test("a word counts with its first 64 bytes, and no character is cut")
    func longWords() {
        let long = String(repeating: "a", count: 63)
        #expect(words(long + "bcd") == [long + "b"])
        #expect(words(long + "日a x") == [long, "x"])
        #expect(holds(long + "bcd", long + "bxy"))
        #expect(holds(long + "bcd", long + "bxy*") && !holds(long + "bcd", long + "x*"))
    }

    @Test("bytes that are no UTF-8 part words")
    func malformed() {
        for bytes: [UInt8] in [[0x61, 0xFF, 0x62], [0x61, 0xC3], [0xE6, 0x97, 0x61], [0xED, 0xA0, 0x80, 0x61]] {
            var words = TextWords()
            bytes.withUnsafeBytes { words.read($0) }
            #expect(words.count <= 2)
        }
        for seed in Self.seeds {
            var numbers = SeededNumbers(seed: seed)
            for _ in 0..<2000 {
                let bytes = (0..<numbers.below(40)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
                var words = TextWords()
                bytes.withUnsafeBytes { words.read($0) }
                words.removeRepetitions()
                var last: [UInt8] = []
                words.forEach { word in
                    let word = Array(word)
                    #expect(
                        !word.isEmpty && word.count <= TextWords.longest && !word.contains(0),
                        "seed \(seed), \(bytes)")
                    #expect(last.lexicographicallyPrecedes(word), "seed \(seed), \(bytes)")
                    last = word
                    return true
                }
            }
        }
    }

    @Test("every code point is a part of words as its category says")
    func categories() {
        // Code points that later versions of Unicode gave a meaning are not in the table.
        var differences = 0
        for value in UInt32(0x80)..<0x3400 {
            guard let scalar = Unicode.Scalar(value), ![0xAD, 0x200C, 0x200D].contains(value) else { continue }
            let isPart =
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
                    .nonspacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
                    true
                default: false
                }
            if words("a\(scalar)b").count == (isPart ? 2 : 1) { differences += 1 }
        }
        #expect(differences < 40)
    }

    @Test("all words must be there, excluded ones must not, a star stands for any end")
    func searching() {
        let text = "Rex is a good dog, not a cat-person's dogma"
        #expect(holds(text, "rex") && holds(text, "DOG rex") && !holds(text, "do"))
        #expect(holds(text, "do*") && holds(text, "r* c*") && !holds(text, "x*"))
        #expect(!holds(text, "rex -cat") && holds(text, "rex -bird") && holds(text, "-bird"))
        #expect(!holds(text, "rex -do*") && !holds(text, "-bird -cat"))
        #expect(holds(text, "cat-person") && holds(text, "\"dogm*\"") && !holds(text, "d*x* rex"))
        #expect(holds(text, "*rex*") && holds(text, "rex\tdog\n"))
        #expect(!holds(text, "") && !holds(text, " - * ") && holds("", "-bird *") && !holds("", "bird"))
        #expect(!ValueComparison.holds(.null, .text, .string("-bird"), []))
        #expect(!ValueComparison.holds(.bytes([0x61]), .text, .string("a"), []))
        #expect(!ValueComparison.holds(.int(5), .text, .string("5"), []))
    }

    @Test("TEXT is read and printed, and its name is still one for properties")
    func grammar() throws {
        for text in ["name TEXT 'rex -dog'", "ANY tags TEXT 'a*'", "NOT text TEXT 'text'", "text == 'text'"] {
            let predicate = try Predicate.parse(text)
            #expect(predicate.description == text)
            #expect(try Predicate.parse(predicate.description) == predicate)
        }
        #expect(try Predicate.parse("name text %@", arguments: [.value(.string("a"))]).description == "name TEXT 'a'")
    }

    @Test("TEXT takes strings, and constants without modifiers")
    func binding() throws {
        let schema = Schema([
            ClassSchema(
                name: "Note",
                properties: [
                    Property(name: "text", type: .string), Property(name: "any", type: .mixed),
                    Property(name: "data", type: .data), Property(name: "age", type: .int),
                    Property(name: "tags", type: .string, collection: .list),
                ])
        ])
        for text in ["text TEXT 'a'", "`any` TEXT 'a'", "ANY tags TEXT 'a'", "text TEXT nil"] {
            _ = try Predicate.parse(text).bound(to: "Note", in: schema)
        }
        for text in ["data TEXT 'a'", "age TEXT 'a'", "text TEXT[c] 'a'", "text TEXT text", "text TEXT 5"] {
            #expect(throws: QueryError.self, "\(text)") {
                _ = try Predicate.parse(text).bound(to: "Note", in: schema)
            }
        }
        let many = (0...QueryLimits.searchWords).map { "w\($0)" }.joined(separator: " ")
        #expect(throws: QueryError.self) {
            _ = try Predicate.parse("text TEXT '\(many)'").bound(to: "Note", in: schema)
        }
        let packed = Predicate.comparison(
            Comparison(.path(PropertyPath(["text"])), .text, .value(.bytes(Array(many.utf8)))))
        #expect(throws: QueryError.self) { _ = try packed.bound(to: "Note", in: schema) }
        _ = try Predicate.parse("text TEXT '\(many.dropLast(5)) w1 w1'").bound(to: "Note", in: schema)
        #expect(throws: QueryError.self) { _ = try Predicate.parse("'a' TEXT text").bound(to: "Note", in: schema) }
    }
}
