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
    /// All digits of a number that says more than the Double that its token holds.
    var digits: DecimalNumber?
}
