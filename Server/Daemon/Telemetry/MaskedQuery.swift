/// The text of a query without the values in it, for the log: `name == ? AND age > ?`.
enum MaskedQuery {
    /// Longer texts are cut.
    static let lengthMax = 500
    /// What stands in their parentheses is a value.
    private static let valueCalls: Set<String> = [
        "oid", "uuid", "link", "obj", "container", "base64", "binary", "decimal", "date",
    ]

    static func text(_ query: String) -> String {
        var result = ""
        var rest = Substring(query).unicodeScalars
        while let scalar = rest.first, result.unicodeScalars.count < lengthMax {
            if scalar == "'" || scalar == "\"" {
                rest.removeFirst()
                skipText(&rest, endingWith: scalar)
                result += "?"
            } else if isDigit(scalar) {
                // Numbers, and what hangs on them: exponents, dates.
                rest = rest.drop { isDigit($0) || isWordPart($0) || [".", ":", "@"].contains($0) }
                result += "?"
            } else if isWordPart(scalar) {
                let word = String(String.UnicodeScalarView(rest.prefix { isWordPart($0) || isDigit($0) }))
                rest = rest.dropFirst(word.unicodeScalars.count)
                result += word
                guard valueCalls.contains(word.lowercased()), rest.first == "(" else { continue }
                skipParentheses(&rest)
                result += "(?)"
            } else {
                rest.removeFirst()
                result.unicodeScalars.append(scalar)
            }
        }
        return rest.isEmpty ? result : result + "…"
    }

    private static func skipText(_ rest: inout Substring.UnicodeScalarView, endingWith quote: Unicode.Scalar) {
        while let scalar = rest.popFirst(), scalar != quote {
            if scalar == "\\" { rest = rest.dropFirst() }
        }
    }

    private static func skipParentheses(_ rest: inout Substring.UnicodeScalarView) {
        var depth = 0
        while let scalar = rest.popFirst() {
            if scalar == "'" || scalar == "\"" { skipText(&rest, endingWith: scalar) }
            if scalar == "(" { depth += 1 }
            if scalar == ")" { depth -= 1 }
            if depth == 0 { return }
        }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic || scalar == "_" }
}
