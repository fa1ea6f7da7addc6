import CausewayModel

extension Parser {
    /// A key path, a literal, a list in braces, or what an argument stands for.
    mutating func operand() throws(QueryError) -> Expression {
        if lexeme.token == .symbol(.openBrace) { return .values(try list()) }
        if lexeme.token == .symbol(.openParenthesis) { return try parenthesised() }
        let operand = try singleOperand()
        place += 1
        return operand
    }

    private mutating func singleOperand() throws(QueryError) -> Expression {
        switch lexeme.token {
        case .placeholder(let placeholder):
            return try substituted(placeholder)
        case .quotedName, .variable, .atWord(PropertyPath.inverseWord):
            return try pathOrType(try path())
        case .symbol(.minus), .symbol(.plus):
            throw unexpected(
                "a number", remedy: "A sign stands before a number; what is subtracted stands behind it: 0 - age.")
        case .word:
            if keyword == .subquery, lexer.peek() == UInt8(ascii: "(") { return .subquery(try subquery()) }
            if let value = try literalWord() { return .value(value) }
            guard keyword?.isReserved != true || keyword?.isOperator == true else {
                throw unexpected(
                    "a key path or a value", remedy: "A property named like a keyword stands in backticks: `any` == 1."
                )
            }
            return try pathOrType(try path())
        default:
            return .value(try literal())
        }
    }

    // MARK: - Values

    private mutating func list() throws(QueryError) -> [Value] {
        try advance()
        var values: [Value] = []
        guard try !take(.closeBrace) else { return values }
        repeat {
            guard values.count < QueryLimits.listValues else { throw QueryError.listTooLong(values.count + 1) }
            place = values.count
            values.append(try element())
        } while try take(.comma)
        guard try take(.closeBrace) else { throw unexpected("',' or '}'") }
        return values
    }

    mutating func element() throws(QueryError) -> Value {
        if case .placeholder(let placeholder) = lexeme.token {
            let start = lexeme.position
            guard case .value(let value) = try substituted(placeholder) else {
                throw failure(
                    at: start, .argument, found: "a list or a key path as an argument", expected: "a single value",
                    remedy: "Write IN %@ without braces to hand over a whole list."
                )
            }
            return value
        }
        if let value = try literalWord() { return value }
        return try literal()
    }

    private mutating func literal() throws(QueryError) -> Value {
        guard case .literal(let value) = lexeme.token else {
            throw unexpected("a key path or a value")
        }
        digits[place] = lexeme.digits
        try advance()
        return value
    }

    /// `true`, `nil`, `inf` and `link(…)`; nil when another word stands here.
    private mutating func literalWord() throws(QueryError) -> Value? {
        let value: Value
        switch keyword {
        case .true, .yes: value = .bool(true)
        case .false, .no: value = .bool(false)
        case .nil, .null: value = .null
        case .inf, .infinity: value = .double(.infinity)
        case .inff: value = .float(.infinity)
        case .nan: value = .double(.nan)
        case .nanf: value = .float(.nan)
        case .link where lexer.peek() == UInt8(ascii: "("): return try link()
        case .obj where lexer.peek() == UInt8(ascii: "("): return try object()
        case .binary, .base64:
            guard let keyword, lexer.peek() == UInt8(ascii: "(") else { return nil }
            return try dataLiteral(keyword)
        default: return nil
        }
        try advance()
        return value
    }

    /// `link('key')`, `link(oid(…))`, `link(container(client:counter))`: an object by its primary key.
    /// `link('Class', 'key')`: the same for a mixed property, which may lead to any class.
    private mutating func link() throws(QueryError) -> Value {
        try advance()
        _ = try take(.openParenthesis)
        let key: PrimaryKey
        if keyword == .container, lexer.peek() == UInt8(ascii: "(") {
            key = .container(try container())
        } else {
            let first = try primaryKey()
            if case .string(let className) = first, try take(.comma) {
                let link = ClassedLink(className, try primaryKey())
                guard try take(.closeParenthesis) else { throw unexpected("')'") }
                return .anyLink(link)
            }
            key = first
        }
        guard try take(.closeParenthesis) else { throw unexpected("')'") }
        return .link(key)
    }

    mutating func primaryKey() throws(QueryError) -> PrimaryKey {
        let start = lexeme.position
        guard let key = PrimaryKey(try element()) else {
            throw failure(at: start, found: "another value", expected: "an int, string, oid or uuid primary key")
        }
        return key
    }

    private mutating func container() throws(QueryError) -> ElementID {
        let start = lexeme.position
        // The two numbers are unsigned and no tokens of the grammar, so they are read from the bytes.
        _ = lexer.skip(UInt8(ascii: "("))
        let client = lexer.unsigned()
        let hasColon = lexer.skip(UInt8(ascii: ":"))
        let counter = lexer.unsigned()
        guard let client, hasColon, let counter, lexer.skip(UInt8(ascii: ")")) else {
            throw failure(at: start, found: "'container('", expected: "container(<client>:<counter>)")
        }
        try advance()
        return ElementID(client: ClientID(client), counter: counter)
    }

    // MARK: - Paths

    /// `dogs.age`, `dogs.@avg.age`, `scores.@max`, `%K`, `address.%K`.
    mutating func path() throws(QueryError) -> PropertyPath {
        try takeVariable()
        var path = PropertyPath([])
        try appendName(to: &path)
        return try continued(path)
    }

    /// What follows the names that are read: more of them, an operator on a collection, a part of a map.
    private mutating func continued(_ start: PropertyPath) throws(QueryError) -> PropertyPath {
        var path = start
        while true {
            if isBeforeType { return path }
            if path.part == nil, path.aggregate == nil, path.takesPlace, beginsListPlace {
                try takeListPlace(into: &path)
            } else if path.aggregate == nil, path.part?.isPlural != true, let step = try nestedStep() {
                try append(step, to: &path)
            } else if try take(.dot) {
                try appendPart(to: &path)
            } else {
                return path
            }
        }
    }

    /// `@keys`, `@values`, or an operator on the collection.
    private mutating func takeAtWord(into path: inout PropertyPath) throws(QueryError) {
        guard path.part == nil, path.aggregate == nil, case .atWord(let word) = lexeme.token else {
            return try takeAggregate(into: &path)
        }
        guard let part = MapPart(word: word) else { return try takeAggregate(into: &path) }
        path.part = part
        try advance()
    }

    private mutating func appendPart(to path: inout PropertyPath) throws(QueryError) {
        if case .atWord(let word) = lexeme.token, word != PropertyPath.inverseWord {
            try takeAtWord(into: &path)
        } else {
            try appendName(to: &path)
        }
    }

    private mutating func appendName(to path: inout PropertyPath) throws(QueryError) {
        path.goOnBehindPart()
        guard path.part == nil, path.nested.isEmpty else { throw unexpected("no property behind a part of a map") }
        guard path.names.count < QueryLimits.pathNames else {
            throw failure(
                at: lexeme.position, .limit, found: "one more name",
                expected: "a key path of at most \(QueryLimits.pathNames) names"
            )
        }
        if case .atWord(PropertyPath.inverseWord) = lexeme.token { return try appendInverse(to: &path) }
        path.names.append(try name("a property name"))
    }

    private mutating func name(_ wanted: String) throws(QueryError) -> String {
        switch lexeme.token {
        // A step against a link is kept as a name of this form, which no property has.
        case .quotedName(let name) where name == PropertyPath.inverse || PropertyPath.origin(of: name) != nil:
            throw unexpected(wanted, remedy: "@links stands without backticks.")
        case .word(let name), .quotedName(let name):
            try advance()
            return name
        default: throw unexpected(wanted)
        }
    }

    /// `@links.Class.property`, or `@links` before `.@count`.
    private mutating func appendInverse(to path: inout PropertyPath) throws(QueryError) {
        let rule = "Write @links.Class.property, or @links.@count."
        try advance()
        guard try take(.dot) else { throw unexpected("'.' after @links", remedy: rule) }
        if case .atWord = lexeme.token {
            path.names.append(PropertyPath.inverse)
            return try takeAggregate(into: &path)
        }
        let className = try name("a class name")
        guard try take(.dot) else { throw unexpected("'.' and the name of a property that links here", remedy: rule) }
        path.names.append(PropertyPath.inverse(className, try name("a property name")))
    }

    private mutating func takeAggregate(into path: inout PropertyPath) throws(QueryError) {
        guard case .atWord(let word) = lexeme.token, let aggregate = Aggregate(word: word) else {
            throw unexpected("@count, @min, @max, @sum or @avg")
        }
        guard path.aggregate == nil else {
            throw unexpected("only one operator on a collection in a key path")
        }
        path.aggregate = aggregate
        try advance()
    }

    // MARK: - Arguments

    mutating func substituted(_ placeholder: Placeholder) throws(QueryError) -> Expression {
        let position = lexeme.position
        let argument = try argument(for: placeholder, at: position)
        try advance()
        switch (placeholder, argument) {
        case (.next, .value(let value)), (.indexed, .value(let value)):
            return .value(value)
        case (.next, .values(let values)), (.indexed, .values(let values)):
            return lexeme.token == .symbol(.openBracket) ? try elementOfArgument(values) : .values(values)
        case (.nextNumber, .value(let value)) where value.isNumber:
            return .value(value)
        case (.nextName, .name(let name)), (.indexedName, .name(let name)),
            (.nextName, .value(.string(let name))), (.indexedName, .value(.string(let name))):
            guard variable == nil else { throw outsideOfVariable(at: position, found: "a key path as an argument") }
            return try pathOrType(try continued(try keyPath(name, at: position)))
        default:
            throw failure(
                at: position, .argument, found: argument.shown, expected: placeholder.expectation,
                remedy: "Key paths are handed over for %K, numbers for %d and %f, everything else for %@."
            )
        }
    }

    mutating func argument(for placeholder: Placeholder, at position: Int) throws(QueryError) -> Argument {
        let index: Int
        switch placeholder {
        case .indexed(let written), .indexedName(let written): index = written
        case .next, .nextNumber, .nextName:
            index = nextArgument
            nextArgument += 1
        }
        guard index < arguments.count else {
            throw failure(
                at: position, .argument, found: "\(arguments.count) arguments",
                expected: "at least \(index + 1) arguments",
                remedy: "Hand over one argument for every placeholder in the text."
            )
        }
        return arguments[index]
    }

    private func isAggregate(_ name: Substring) -> Bool {
        name.first == "@" && Aggregate(word: String(name.dropFirst())) != nil
    }

    /// A key path handed over as text: names, dots and operators, nothing else.
    private func keyPath(_ text: String, at position: Int) throws(QueryError) -> PropertyPath {
        var names = text.split(separator: ".", omittingEmptySubsequences: false)
            .prefix(3 * QueryLimits.pathNames + 2)
        var path = PropertyPath([])
        while let name = names.popFirst() {
            if name == PropertyPath.inverse, names.count > 1, names.prefix(2).allSatisfy({ $0.first != "@" }) {
                path.names.append(PropertyPath.inverse(String(names.removeFirst()), String(names.removeFirst())))
            } else if let first = name.first, first == "@", path.aggregate == nil,
                let aggregate = Aggregate(word: String(name.dropFirst()))
            {
                path.aggregate = aggregate
            } else if name.first == "@", !path.names.isEmpty, path.part == nil,
                let part = MapPart(word: String(name.dropFirst()))
            {
                path.part = part
            } else if !name.isEmpty, name != PropertyPath.inverse || names.first.map(isAggregate) == true {
                path.names.append(String(name))
            } else {
                path.names = []
                break
            }
        }
        guard (1...QueryLimits.pathNames).contains(path.names.count) else {
            throw failure(
                at: position, .argument,
                found: "'\(text.prefix(QueryLimits.shownValueCharacters))' as an argument",
                expected: "a key path such as address.city"
            )
        }
        return path
    }
}

extension MapPart {
    /// The words of NSPredicate, and those of the query language.
    fileprivate init?(word: String) {
        switch word.lowercased() {
        case "keys", "allkeys": self = .keys
        case "values", "allvalues": self = .values
        default: return nil
        }
    }
}

extension Lexer {
    mutating func unsigned() -> UInt64? {
        let start = offset
        guard digits() > 0, offset - start <= 20 else { return nil }
        return UInt64(String(decoding: text[start..<offset], as: UTF8.self))
    }
}

extension Argument {
    fileprivate var shown: String {
        switch self {
        case .value(let value): "the value \(value.shown) as an argument"
        case .values: "a list as an argument"
        case .shape: "a shape as an argument"
        case .name(let name): "the key path \(name.prefix(QueryLimits.shownValueCharacters)) as an argument"
        }
    }
}

extension Placeholder {
    fileprivate var expectation: String {
        switch self {
        case .next, .indexed: "a value or a list of values"
        case .nextNumber: "a number"
        case .nextName, .indexedName: "a key path"
        }
    }
}

extension Value {
    /// A Bool is a number here, as it is in NSNumber.
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .float, .double, .bool: true
        case .decimal: true
        default: false
        }
    }
}

extension QueryError {
    static func listTooLong(_ count: Int) -> QueryError {
        QueryError(
            .limit,
            "The list of values is too long: \(count), and at most \(QueryLimits.listValues) are taken",
            remedy: "Query by a property that says the same, or split the list."
        )
    }
}
