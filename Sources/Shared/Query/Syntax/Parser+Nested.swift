import CausewayModel

extension Parser {
    /// `[0]`, `['key']`, `[*]` or `[#any]` behind a path, as a step into a mixed value; nil where no bracket follows.
    ///
    /// The first one may also be the key of a map: the schema decides.
    mutating func nestedStep() throws(QueryError) -> NestedStep? {
        guard case .symbol(.openBracket) = lexeme.token else { return nil }
        // A star is no token of the grammar, so it is read from the bytes.
        lexer.skipBlanks()
        if lexer.skip(UInt8(ascii: "*")) {
            try advance()
            guard try take(.closeBracket) else { throw unexpected(Self.subscriptRule) }
            return .any
        }
        try advance()
        let step: NestedStep
        if case .quotedName(let name) = lexeme.token, name.lowercased() == "any" {
            try advance()
            step = .any
        } else {
            step = try subscriptValue()
        }
        guard try take(.closeBracket) else { throw unexpected(Self.subscriptRule) }
        return step
    }

    private mutating func subscriptValue() throws(QueryError) -> NestedStep {
        if case .placeholder(let placeholder) = lexeme.token {
            guard case .value(let argument) = try substituted(placeholder), let step = NestedStep(argument) else {
                throw unexpected(Self.subscriptRule)
            }
            return step
        }
        guard case .literal(let literal) = lexeme.token, let step = NestedStep(literal) else {
            throw unexpected(Self.subscriptRule)
        }
        try advance()
        return step
    }

    private static let subscriptRule = "a position, a key or all of them, such as [0], ['key'] or [*]"
}

extension Parser {
    /// Appends a step. Refuses a path that goes deeper than values can.
    func append(_ step: NestedStep, to path: inout PropertyPath) throws(QueryError) {
        guard path.subscripts < NestedCollection.levelMax else {
            throw failure(
                at: lexeme.position, .limit, found: "one more subscript",
                expected: "a key path of at most \(NestedCollection.levelMax) subscripts"
            )
        }
        path.append(step)
    }
}

extension PropertyPath {
    /// How many subscripts stand behind the last name.
    fileprivate var subscripts: Int {
        let hasKey = if case .value = part { true } else { false }
        return nested.count + (hasKey || places[names.count - 1] != nil ? 1 : 0)
    }

    /// Whether a subscript would be the first one behind the last name.
    var takesPlace: Bool { nested.isEmpty && part == nil && places[names.count - 1] == nil && !names.isEmpty }

    /// Appends a step. The first one behind a name goes to `part` or `places`, because it may belong to a map or list
    /// itself.
    package mutating func append(_ step: NestedStep) {
        switch step {
        case .key(let key) where takesPlace: part = .value(key)
        case .index(let index) where takesPlace: places[names.count - 1] = .at(index)
        default: nested.append(step)
        }
    }
}

extension PropertyPath {
    /// Before one more name: a key becomes the place of its map, and all values of a map or list are what it stands for.
    mutating func goOnBehindPart() {
        switch (part, nested) {
        case (.value(let key), []):
            places[names.count - 1] = .key(key)
            part = nil
        case (.values, []) where places[names.count - 1] == nil:
            places[names.count - 1] = .each
            part = nil
        case (nil, [.any]) where places[names.count - 1] == nil:
            places[names.count - 1] = .each
            nested = []
        default: break
        }
    }
}

extension NestedStep {
    /// What stands in brackets: a position or a key.
    fileprivate init?(_ value: Value) {
        switch value {
        case .string(let key): self = .key(ExactString(key))
        case .int(let index) where index >= 0: self = .index(Int(index))
        default: return nil
        }
    }
}

extension MapPart {
    /// Whether nothing can stand behind it.
    var isPlural: Bool {
        switch self {
        case .keys, .values: true
        case .value: false
        }
    }
}

extension NestedStep {
    /// As a path shows it.
    var text: String {
        switch self {
        case .index(let index): "[\(index)]"
        case .key(let key): "[" + Literal.quoted(key.string, with: "'") + "]"
        case .any: "[*]"
        case .keys: ".@keys"
        case .count, .length: ".@count"
        }
    }
}
