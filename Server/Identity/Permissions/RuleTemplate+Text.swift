// How rules are shown: with the claims as their author wrote them.

extension RuleTemplate.Mention {
    /// `$user.id`, `$user.claims.org.role`, `$user.claims['https://example.org/role']`.
    var text: String {
        switch self {
        case .id: "$user.id"
        case .claim(let path): "$user.claims" + path.map(Self.member).joined()
        }
    }

    private static func member(_ name: String) -> String {
        let isWord =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "_") || byte >= 0x80
            }
        return isWord ? "." + name : "['\(name)']"
    }
}

extension RuleTemplate {
    /// A printed part of the rule, with its claims by name in place of their numbers.
    func named(_ printed: String) -> String {
        guard !mentions.isEmpty else { return printed }
        var result: [UInt8] = []
        var rest = Array(printed.utf8)[...]
        while let byte = rest.first {
            if [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`")].contains(byte) {
                result += Self.takeQuoted(byte, from: &rest)
            } else if let number = Self.takeMention(from: &rest), mentions.indices.contains(number) {
                result += mentions[number].text.utf8
            } else {
                result.append(byte)
                rest.removeFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func takeQuoted(_ mark: UInt8, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = rest.startIndex + 1
        while end < rest.endIndex, rest[end] != mark { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
        end = min(end + 1, rest.endIndex)
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    /// The number in `$user:12`.
    private static func takeMention(from rest: inout ArraySlice<UInt8>) -> Int? {
        let start = Array("$user:".utf8)
        guard rest.starts(with: start) else { return nil }
        let digits = rest.dropFirst(start.count).prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        rest = rest[(rest.startIndex + start.count + digits.count)...]
        return number
    }
}
