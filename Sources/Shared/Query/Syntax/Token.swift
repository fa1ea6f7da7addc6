import CausewayModel

/// The smallest pieces of a predicate's text.
enum Token: Equatable {
    case end
    /// Letters, digits and underscores: a name or, in any letter case, a keyword.
    case word(String)
    /// `` `any name` `` or `#name`: never a keyword.
    case quotedName(String)
    /// `@count`: the word after the at sign.
    case atWord(String)
    case literal(Value)
    case placeholder(Placeholder)
    /// `$task`: the element in question inside of a SUBQUERY.
    case variable(String)
    case symbol(Symbol)

    enum Symbol: String {
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBrace = "{"
        case closeBrace = "}"
        case openBracket = "["
        case closeBracket = "]"
        case comma = ","
        case dot = "."
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case ampersands = "&&"
        case bars = "||"
        case exclamation = "!"
        case plus = "+"
        case minus = "-"
        case star = "*"
        case slash = "/"

        /// The symbol of one character. "&" and "|" alone are none.
        init?(single byte: UInt8) {
            switch byte {
            case UInt8(ascii: "("): self = .openParenthesis
            case UInt8(ascii: ")"): self = .closeParenthesis
            case UInt8(ascii: "{"): self = .openBrace
            case UInt8(ascii: "}"): self = .closeBrace
            case UInt8(ascii: "["): self = .openBracket
            case UInt8(ascii: "]"): self = .closeBracket
            case UInt8(ascii: ","): self = .comma
            case UInt8(ascii: "."): self = .dot
            case UInt8(ascii: "="): self = .equal
            case UInt8(ascii: "<"): self = .less
            case UInt8(ascii: ">"): self = .greater
            case UInt8(ascii: "!"): self = .exclamation
            case UInt8(ascii: "+"): self = .plus
            case UInt8(ascii: "-"): self = .minus
            case UInt8(ascii: "*"): self = .star
            case UInt8(ascii: "/"): self = .slash
            default: return nil
            }
        }
    }

    /// How an error names it.
    var shown: String {
        switch self {
        case .end: "the end of the text"
        case .word(let word): "'\(word.prefix(QueryLimits.shownValueCharacters))'"
        case .quotedName(let name): "`\(name.prefix(QueryLimits.shownValueCharacters))`"
        case .atWord(let word): "'@\(word.prefix(QueryLimits.shownValueCharacters))'"
        case .literal(let value): value.shown
        case .placeholder(.next): "%@"
        case .placeholder(.nextNumber): "a number argument"
        case .placeholder(.nextName): "%K"
        case .placeholder(.indexed(let index)): "$\(index)"
        case .placeholder(.indexedName(let index)): "$K\(index)"
        case .variable(let name): "'$\(name.prefix(QueryLimits.shownValueCharacters))'"
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        }
    }
}

/// A token and the bytes it covers.
struct Lexeme {
    var token: Token
    var position: Int
    var end: Int
    /// Of a word that is one.
    var keyword: Keyword?
    /// All digits of a number that says more than the Double that its token holds.
    var digits: DecimalNumber?
}
