import CausewayModel
import CausewayQuery
import CausewaySeeds

/// Texts that are queries, nearly queries or anything else, and what must hold of each: it is read, and then prints and
/// reads back as the same query; or it is refused at a place that lies in it.
package struct QueryFuzzer {
    /// A text for which neither holds.
    package struct Finding: Error, CustomStringConvertible {
        package let description: String
    }

    private let seed: UInt64
    private var random: RandomQueries
    /// How many texts were read; the others were refused.
    package private(set) var readCount = 0

    package init(seed: UInt64) {
        self.seed = seed
        random = RandomQueries(seed: seed)
    }

    /// Tries so many texts.
    package mutating func run(count: Int) throws(Finding) {
        for _ in 0..<count { try check(text()) }
    }

    // MARK: - Texts

    private mutating func text() -> String {
        switch random.numbers.below(10) {
        case 0: return pieces()
        case 1: return noise()
        case 2: return respelled("\(random.selection(depth: 2))")
        case 3: return truncated("\(random.selection(depth: 2))")
        case 4: return spliced("\(random.selection(depth: 2))", "\(random.selection(depth: 2))")
        case 5: return "\(random.selection(depth: 3))"
        default: return damaged("\(random.selection(depth: 2))")
        }
    }

    private static let tokens = [
        "(", ")", "{", "}", "[", "]", ",", ".", "==", "=", "!", "!=", "<", ">", "&&", "||", "&", "|", "@", "@count",
        "@avg", "@type", "@links", "%@", "%K", "%d", "%", "$0", "$K0", "$1[0]", "$2", "$", "'", "\"", "`", "#", "\\",
        "\\u", "a", "name", "any", "ANY", "ALL {", "NOT", "IN", "BETWEEN", "LIKE", "[c]", "[0]", "[FIRST]", "[SIZE]",
        "nil", "inf", "-inf", "nan", "true", "oid(", "uuid(", "link(", "obj(", "binary(", "base64(", "container(",
        "T1:", "T", "B64\"", "0x", "1e", "-", "+", "*", "/", "1", "1.5f", "2015-01-31@12:00:00", "2015-", ":",
        "TRUEPREDICATE", "SUBQUERY(", "SUBQUERY(a, $x, $x.", ").@count", "$x", "$x.", "SORT(", "ASC", "DESC",
        "DISTINCT(", "LIMIT(", "GEOWITHIN", "geoCircle([", " ", "\n", "\u{0}", "é", "😀", "\u{FEFF}",
    ]

    private mutating func pieces() -> String {
        (0..<random.numbers.below(14)).map { _ in random.numbers.one(of: Self.tokens) }
            .joined(separator: random.numbers.once(in: 2) ? "" : " ")
    }

    private mutating func noise() -> String {
        String(decoding: random.numbers.bytes(random.numbers.below(40)), as: UTF8.self)
    }

    /// The same query in other letter cases and with other blanks, where these stand outside of quotation marks.
    private mutating func respelled(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case " " where random.numbers.once(in: 3): result += random.numbers.one(of: ["  ", "\n", "\t", ""])
            case "A"..."Z" where random.numbers.once(in: 2): result += character.lowercased()
            default: result.append(character)
            }
        }
        return result
    }

    private mutating func truncated(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: bytes.prefix(random.numbers.below(bytes.count + 1)), as: UTF8.self)
    }

    private mutating func spliced(_ left: String, _ right: String) -> String {
        let (first, second) = (Array(left.utf8), Array(right.utf8))
        return String(
            decoding: first.prefix(random.numbers.below(first.count + 1))
                + second.suffix(random.numbers.below(second.count + 1)), as: UTF8.self)
    }

    private mutating func damaged(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<random.numbers.below(5) + 1 {
            let position = random.numbers.below(bytes.count + 1)
            switch random.numbers.below(4) {
            case 0: bytes.insert(random.byte(), at: position)
            case 1: bytes.removeSubrange(position..<min(bytes.count, position + random.numbers.below(8)))
            case 2: bytes.insert(contentsOf: random.numbers.one(of: Self.tokens).utf8, at: position)
            default: if position < bytes.count { bytes[position] = random.byte() }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Checks

    private static let arguments: [Argument] = [
        .name("a"), .value(.int(1)), .values([]), .values([.int(1), .string("x")]), .value(.string("b.c")),
    ]

    private mutating func check(_ text: String) throws(Finding) {
        do throws(QueryError) {
            let selection = try Selection.parse(text, arguments: Self.arguments)
            readCount += 1
            try checkPrinted(selection, text)
        } catch {
            guard let fault = Self.fault(of: error, in: text) else { return }
            throw finding(text, "\(fault): \(error)")
        }
    }

    private func checkPrinted(_ selection: Selection, _ text: String) throws(QueryError) {
        let printed = "\(selection)"
        let again = try? Selection.parse(printed)
        // NaN is the one value that does not equal itself.
        guard again != selection, again?.description != printed || !printed.contains("nan") else { return }
        throw QueryError(Self.printing, "printed as \(printed), read back as \(again.map { "\($0)" } ?? "nothing")")
    }

    private static let printing = QueryError.Code(rawValue: "printing")

    private static func fault(of error: QueryError, in text: String) -> String? {
        if error.code == printing { return "not what was read" }
        guard let position = error.position else { return error.code == .limit ? nil : "no position" }
        if !(0...text.utf8.count).contains(position) { return "the position is outside" }
        if error.expected?.isEmpty != false { return "nothing is expected" }
        if error.caret?.hasSuffix("^") != true { return "no caret" }
        return nil
    }

    private func finding(_ text: String, _ fault: String) -> Finding {
        Finding(description: "seed \(seed), text \(text.debugDescription): \(fault)")
    }
}
