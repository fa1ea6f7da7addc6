import CausewayModel

// The canonical text: what a subscription sends. It holds every value as a literal, one space between words,
// keywords in capitals, and parses back to the same predicate.

extension Predicate: CustomStringConvertible {
    package var description: String { text(from: "") }

    /// - Parameter start: what stands before every path: nothing, or the variable of a SUBQUERY and a dot.
    fileprivate func text(from start: String) -> String {
        switch self {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts) where parts.isEmpty: return Predicate.constant(true).description
        case .or(let parts) where parts.isEmpty: return Predicate.constant(false).description
        case .and(let parts):
            guard parts.count > 1 else { return parts[0].text(from: start) }
            return parts.map { $0.text(from: start, inParentheses: $0.isCompound) }.joined(separator: " AND ")
        case .or(let parts):
            guard parts.count > 1 else { return parts[0].text(from: start) }
            return parts.map { $0.text(from: start, inParentheses: $0.isDisjunction) }.joined(separator: " OR ")
        case .not(let part):
            return "NOT " + part.text(from: start, inParentheses: part.isCompound)
        case .comparison(let comparison):
            return comparison.text(from: start)
        case .geoWithin(let within):
            return within.text(from: start)
        }
    }

    private func text(from start: String, inParentheses: Bool) -> String {
        inParentheses ? "(\(text(from: start)))" : text(from: start)
    }

    // Parentheses stand only where the text would otherwise be read as another predicate: printing never nests deeper
    // than the text that was read, so what passed the nesting limit once passes it again.

    private var isCompound: Bool {
        switch self {
        case .and, .or: true
        case .constant, .not, .comparison, .geoWithin: false
        }
    }

    private var isDisjunction: Bool {
        if case .or = self { true } else { false }
    }
}

extension Comparison: CustomStringConvertible {
    package var description: String { text(from: "") }

    fileprivate func text(from start: String) -> String {
        let left = left.text(from: start, digits.left)
        let right = right.text(from: start, digits.right)
        // A list has a quantifier of its own; the comparison's stands before the path then.
        guard case .quantified = self.left else {
            return "\(quantifier.text)\(left) \(operatorText) \(rightQuantifier.text)\(right)"
        }
        return "\(left) \(operatorText) \(quantifier.text)\(right)"
    }

    /// The operator with its letters: `CONTAINS[c]`.
    package var operatorText: String {
        let letters =
            (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? comparator.text : "\(comparator.text)[\(letters)]"
    }
}

extension Quantifier {
    /// As it stands before a comparison.
    package var text: String {
        switch self {
        case .implied: ""
        case .any: "ANY "
        case .all: "ALL "
        case .none: "NONE "
        }
    }
}

extension GeoWithin {
    fileprivate func text(from start: String) -> String {
        "\(quantifier.text)\(start)\(path.text) GEOWITHIN \(shape.text)"
    }
}

extension Expression {
    /// - Parameter digits: of its numbers, see `WrittenDigits`.
    fileprivate func text(from start: String, _ digits: [Int: DecimalNumber]) -> String {
        switch self {
        case .path(let path): start + path.text
        case .subquery(let subquery): subquery.text(from: start)
        case .value(let value): digits[0]?.description ?? value.literalText
        case .values(let values): Self.text(values, digits)
        case .arithmetic(let arithmetic): arithmetic.text(from: start, digits)
        case .quantified(let quantifier, let values): quantifier.text + Self.text(values, digits)
        case .typeOf(let path): start + path.text + ".@type"
        case .claim(let number): Self.text(ofClaim: number)
        }
    }
}

extension Expression {
    /// For fingerprints and messages. It is no word of the language: the parser does not read it.
    static func text(ofClaim number: Int) -> String { "$user:\(number)" }

    private static func text(_ values: [Value], _ digits: [Int: DecimalNumber]) -> String {
        let texts = values.enumerated().map { place, value in digits[place]?.description ?? value.literalText }
        return "{" + texts.joined(separator: ", ") + "}"
    }
}

extension Subquery {
    /// One name for the variable at every depth: a condition names only the elements of its own SUBQUERY.
    fileprivate func text(from start: String) -> String {
        "SUBQUERY(\(start)\(collection.text), $x, \(condition.text(from: "$x."))).@count"
    }
}

extension PropertyPath {
    /// `dogs.@count`, `dogs.@avg.age`, `scores.@max`: the operator before the last name where RealmSwift writes it.
    package var text: String {
        var parts = names.enumerated().map { Self.text($1) + (places[$0]?.text ?? "") }
        switch part {
        case nil: break
        case .keys, .values: break
        case .value(let key): parts[parts.count - 1] += "[" + Literal.quoted(key.string, with: "'") + "]"
        }
        if !parts.isEmpty { parts[parts.count - 1] += nested.map(\.text).joined() }
        if part == .keys { parts.append("@keys") }
        if part == .values { parts.append("@values") }
        if let aggregate {
            let isLast =
                aggregate == .count || parts.count == 1 || part != nil || !nested.isEmpty
                || places[names.count - 1] != nil || names.last == Self.inverse
            parts.insert(aggregate.text, at: isLast ? parts.count : parts.count - 1)
        }
        return parts.joined(separator: ".")
    }

    /// Bare where it reads as one plain word, otherwise in backticks.
    private static func text(_ name: String) -> String {
        if name == inverse { return name }
        if let (className, property) = origin(of: name) { return "\(inverse).\(text(className)).\(text(property))" }
        let bytes = name.utf8
        let isPlain =
            bytes.first.map(Lexer.beginsWord) == true && bytes.allSatisfy(Lexer.continuesWord)
            && Keyword(name)?.isReserved != true
        // A name such as T1 or B64 is plain too: the literals of these beginnings need a colon or a quotation mark.
        return isPlain ? name : Literal.quoted(name, with: "`")
    }
}
