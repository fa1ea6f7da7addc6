import CausewayModel

extension Parser {
    mutating func selection() throws(QueryError) -> Selection {
        var selection = Selection(try disjunction())
        while let step = stepKeyword {
            guard selection.steps.count < QueryLimits.selectionSteps else {
                throw failure(
                    at: lexeme.position, .limit, found: "one more step",
                    expected: "at most \(QueryLimits.selectionSteps) of SORT, DISTINCT and LIMIT")
            }
            try advance()
            _ = try take(.openParenthesis)
            switch step {
            case .sort: selection.steps.append(.sort(try sortKeys()))
            case .distinct: selection.steps.append(.distinct(try distinctPaths()))
            default: selection.steps.append(.limit(try limit()))
            }
            guard try take(.closeParenthesis) else { throw unexpected(step == .limit ? "')'" : "',' or ')'") }
        }
        guard lexeme.token == .end else {
            throw unexpected(
                selection.steps.isEmpty
                    ? "AND, OR or the end of the text" : "SORT, DISTINCT, LIMIT or the end of the text")
        }
        return selection
    }

    /// SORT, DISTINCT or LIMIT, when it stands here before a parenthesis.
    var stepKeyword: Keyword? {
        guard let keyword, [.sort, .distinct, .limit].contains(keyword) else { return nil }
        var ahead = lexer
        ahead.skipBlanks()
        return ahead.peek() == UInt8(ascii: "(") ? keyword : nil
    }

    /// Refuses SORT, DISTINCT and LIMIT, for places that want a predicate alone.
    func refuseSteps() throws(QueryError) {
        guard let step = stepKeyword else { return }
        throw failure(
            at: lexeme.position, found: step.rawValue.uppercased(), expected: "a predicate alone",
            remedy: "SORT, DISTINCT and LIMIT end the text of filter(_:); subscriptions, SUBQUERY and NSPredicate "
                + "have none.")
    }

    private mutating func sortKeys() throws(QueryError) -> [SortKey] {
        var keys: [SortKey] = []
        repeat {
            try checkCount(keys.count)
            var key = SortKey(try path())
            switch keyword {
            case .asc, .ascending: try advance()
            case .desc, .descending:
                key.ascending = false
                try advance()
            default: break
            }
            keys.append(key)
        } while try take(.comma)
        return keys
    }

    private mutating func distinctPaths() throws(QueryError) -> [PropertyPath] {
        var paths: [PropertyPath] = []
        repeat {
            try checkCount(paths.count)
            paths.append(try path())
        } while try take(.comma)
        return paths
    }

    private func checkCount(_ count: Int) throws(QueryError) {
        guard count < QueryLimits.sortKeys else {
            throw failure(
                at: lexeme.position, .limit, found: "one more key path",
                expected: "at most \(QueryLimits.sortKeys) key paths in SORT or DISTINCT")
        }
    }

    private mutating func limit() throws(QueryError) -> Int {
        guard case .literal(.int(let count)) = lexeme.token, count >= 0 else {
            throw unexpected("how many, such as LIMIT(10)")
        }
        try advance()
        return Int(count)
    }
}
