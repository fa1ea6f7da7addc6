import CausewayQuery

/// A rule's expression: the query language, with the caller's claims as `$user.…` where a value may stand.
///
/// The text is parsed once. While it is, each mention of a claim is a name, so that the parser accepts it wherever it
/// accepts a key path. Then the names become claims (`Expression.claim`), and `predicate(for:)` puts the values in. A
/// claim without a value stays, and no schema can bind it: so a comparison with a missing claim is unknown, and permits
/// nothing.
package struct RuleTemplate: Hashable, Sendable {
    package let text: String
    /// The claims that it mentions, by position.
    let mentions: [Mention]
    let predicate: Predicate

    /// `$user.id`, `$user.email`, `$user.claims.org.role`, `$user.claims['https://example.org/role']`.
    enum Mention: Hashable, Sendable {
        case id
        case claim([String])
    }

    /// - Throws: a sentence that says what is wrong with the text.
    package init(_ text: String) throws(RuleError) {
        self.text = text
        var reader = MentionReader(text)
        let plain = try reader.read()
        mentions = reader.mentions
        let parsed: Predicate
        do {
            parsed = try Predicate.parse(plain)
        } catch {
            throw RuleError("The expression cannot be read: \(error)")
        }
        var placed = ClaimPlaces(count: mentions.count)
        predicate = placed.place(parsed)
        guard placed.isComplete else {
            throw RuleError(
                "The expression mentions $user where no value can stand. A claim stands alone on one side of a comparison, "
                    + "or in arithmetic; not in braces, not inside of a SUBQUERY, not beside two quantifiers, and nothing follows it."
            )
        }
    }

    /// The name that stands for the mention with this number while the text is parsed.
    static func name(of number: Int) -> String { "$user:\(number)" }
}

package struct RuleError: Error, Hashable, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
}

/// Finds `$user.…` outside of quotation marks.
private struct MentionReader {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var mentions: [RuleTemplate.Mention] = []

    private static let word = Array("$user".utf8)
    private static let mentionsMax = 100

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The text, with names in backticks in place of the mentions.
    mutating func read() throws(RuleError) -> String {
        var plain: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`") {
                plain += quoted()
            } else if bytes[position...].starts(with: Self.word), !isWord(at: position + Self.word.count) {
                position += Self.word.count
                let mention = try mention()
                guard mentions.count < Self.mentionsMax else {
                    throw RuleError("The expression mentions $user more than \(Self.mentionsMax) times. Split it.")
                }
                plain += Array("`\(RuleTemplate.name(of: mentions.count))`".utf8)
                mentions.append(mention)
            } else {
                plain.append(byte)
                position += 1
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    /// A quoted text with its quotation marks. If it never ends, the parser refuses it.
    private mutating func quoted() -> ArraySlice<UInt8> {
        let start = position
        let mark = bytes[position]
        position += 1
        while position < bytes.count, bytes[position] != mark {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, bytes.count)
        return bytes[start..<position]
    }

    private mutating func mention() throws(RuleError) -> RuleTemplate.Mention {
        let names = try names()
        switch names.first {
        case "id" where names.count == 1: return .id
        case "email" where names.count == 1: return .claim(["email"])
        case "claims" where names.count > 1: return .claim(Array(names.dropFirst()))
        default:
            throw RuleError(
                "“$user\(names.map { "." + $0.prefix(80) }.joined())” says nothing about the caller. Write $user.id, "
                    + "$user.email, $user.claims.NAME or $user.claims['NAME'].")
        }
    }

    /// `.name` and `['name']`, as many as follow.
    private mutating func names() throws(RuleError) -> [String] {
        var names: [String] = []
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "."), isWord(at: position + 1) {
                let start = position + 1
                position = start
                while isWord(at: position) { position += 1 }
                names.append(String(decoding: bytes[start..<position], as: UTF8.self))
            } else if bytes[position] == UInt8(ascii: "["), names.first == "claims" {
                names.append(try bracketed())
            } else {
                break
            }
        }
        return names
    }

    private mutating func bracketed() throws(RuleError) -> String {
        position += 1
        let inner = position < bytes.count ? quoted() : []
        let mark = inner.first
        guard inner.count >= 2, mark == UInt8(ascii: "'") || mark == UInt8(ascii: "\""), inner.last == mark,
            position < bytes.count, bytes[position] == UInt8(ascii: "]"), !inner.contains(UInt8(ascii: "\\"))
        else { throw RuleError("The name of a claim in brackets stands in quotation marks: $user.claims['NAME'].") }
        position += 1
        return String(decoding: inner.dropFirst().dropLast(), as: UTF8.self)
    }

    private func isWord(at index: Int) -> Bool {
        guard index < bytes.count else { return false }
        let byte = bytes[index]
        return UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
