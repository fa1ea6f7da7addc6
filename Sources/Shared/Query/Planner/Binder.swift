package import CausewayModel

extension Predicate {
    /// Confirms every name, type and operator against a schema, and turns names into positions and constants into
    /// values of the properties' own types.
    ///
    /// What comes out obeys these rules, which the evaluators rely on:
    /// 1. `quantifier` is `implied` exactly when the path has one value an object; through a list it is `any`, `all`
    ///    or `none`.
    /// 2. A path of a comparison's `operand` has one value an object, and the types of both sides are equal or both
    ///    numbers.
    /// 3. A constant has the type of the path's result, or is null. `beginsWith`, `endsWith`, `contains` and `like`
    ///    never meet null.
    /// 4. `between` has two values, low and high, never null; `in` has any number, null among them possibly.
    /// 5. `options` are empty unless both sides are strings.
    package func bound(to className: String, in schema: Schema) throws(QueryError) -> BoundPredicate {
        let binder = Binder(schema: schema, className: className)
        _ = try binder.queriedClass()
        return try binder.bind(self, depth: 0)
    }
}

/// Binds one predicate. Holds no state between calls: the schema is all it knows.
struct Binder {
    let schema: Schema
    let className: String

    func queriedClass() throws(QueryError) -> ClassSchema {
        guard let found = schema[className] else {
            throw QueryError(
                .property, "Object type '\(className)' is not managed by the Realm",
                remedy: "Add the class to the configuration's objectTypes."
            )
        }
        return found
    }

    func bind(_ predicate: Predicate, depth: Int) throws(QueryError) -> BoundPredicate {
        guard depth <= QueryLimits.treeDepth else {
            throw QueryError(
                .limit, "The query nests deeper than \(QueryLimits.treeDepth) levels",
                remedy: "Put the parts of a long AND or OR into one flat list."
            )
        }
        switch predicate {
        case .constant(let value):
            return .constant(value)
        case .and(let parts):
            return .and(try parts.map { part throws(QueryError) in try bind(part, depth: depth + 1) })
        case .or(let parts):
            return .or(try parts.map { part throws(QueryError) in try bind(part, depth: depth + 1) })
        case .not(let part):
            return .not(try bind(part, depth: depth + 1))
        case .comparison(let comparison):
            return try bind(comparison, depth: depth)
        case .geoWithin(let within):
            return try bind(within)
        }
    }

    func bind(_ written: Comparison, depth: Int) throws(QueryError) -> BoundPredicate {
        let comparison = try settled(written)
        switch (comparison.left, comparison.right) {
        case (.claim, _), (_, .claim):
            throw Self.claim(comparison)
        case (.quantified(let left, let values), .quantified(let right, let others)):
            return try bindLists(comparison, (left, values), (right, others))
        // A claim, or a value in its place.
        case (.quantified(let left, let values), .value(let other)):
            return try bindLists(comparison, (left, values), (.any, [other]))
        case (.value(let value), .quantified(let right, let others)):
            return try bindLists(comparison, (.any, [value]), (right, others))
        case (.quantified(let quantifier, let values), _):
            return try bind(comparison, quantifier, values, isLeft: true, depth: depth)
        case (_, .quantified(let quantifier, let values)):
            return try bind(comparison, quantifier, values, isLeft: false, depth: depth)
        case (.typeOf, _), (_, .typeOf):
            return try bindType(comparison)
        case (.arithmetic, _), (_, .arithmetic):
            return try bindArithmetic(comparison, depth: depth)
        case (.subquery(let subquery), .value(let value)):
            return try bind(comparison, subquery, comparison.comparator, [value], isList: false, depth: depth)
        case (.subquery(let subquery), .values(let values)):
            return try bind(comparison, subquery, comparison.comparator, values, isList: true, depth: depth)
        case (.subquery(let subquery), .path(let path)):
            return try bind(comparison, subquery, comparison.comparator, path, depth: depth)
        case (.path(let path), .subquery(let subquery)):
            guard let exchanged = comparison.comparator.exchanged else { throw Self.constantOnLeft(comparison) }
            return try bind(comparison, subquery, exchanged, path, depth: depth)
        case (.value(let value), .subquery(let subquery)):
            guard let exchanged = comparison.comparator.exchanged else { throw Self.constantOnLeft(comparison) }
            return try bind(comparison, subquery, exchanged, [value], isList: false, depth: depth)
        case (.path(let left), .path(let right)):
            return try bind(comparison, left, right)
        case (.path(let path), .value(let value)):
            return try bind(comparison, path, comparison.comparator, [value], isList: false)
        case (.path(let path), .values(let values)):
            return try bind(comparison, path, comparison.comparator, values, isList: true)
        case (.value(let value), .path(let path)):
            return try bindExchanged(comparison, value, path)
        default:
            throw QueryError(
                .syntax,
                "Invalid predicate expressions: Predicate expressions must compare a keypath and another keypath or a "
                    + "constant value"
            )
        }
    }

    /// Numbers that were written with more digits than a Double tells apart keep them against decimals, and against ints
    /// that nothing is computed with.
    private func settled(_ comparison: Comparison) throws(QueryError) -> Comparison {
        var comparison = comparison
        if comparison.rightQuantifier != .implied, comparison.left.path == nil || comparison.right.path == nil {
            // Two quantifiers need two paths: a claim's value may have taken the place of one.
            guard comparison.quantifier == .implied else { throw Self.needsCollection }
            (comparison.quantifier, comparison.rightQuantifier) = (comparison.rightQuantifier, .implied)
        }
        let isComputed = comparison.left.isComputed || comparison.right.isComputed
        guard !comparison.digits.isEmpty || isComputed else { return comparison }
        var asDecimals = false
        for path in comparison.left.paths + comparison.right.paths {
            let type = try resolve(path).type
            if type == .decimal128 || type == .int && !isComputed { asDecimals = true }
        }
        return comparison.settled(asDecimals: asDecimals)
    }

    /// `5 < age` is `age > 5`; `'x' IN tags` is `ANY tags == 'x'`; `'x' IN name` is `name CONTAINS 'x'`.
    private func bindExchanged(
        _ comparison: Comparison, _ value: Value, _ path: PropertyPath
    ) throws(QueryError) -> BoundPredicate {
        if let exchanged = comparison.comparator.exchanged {
            return try bind(comparison, path, exchanged, [value], isList: false)
        }
        if comparison.comparator == .in {
            let resolved = try resolve(path)
            if resolved.isToMany { return try bind(comparison, path, .equal, [value], isList: false) }
            if resolved.type == .string || resolved.type == .data || resolved.type == .mixed {
                return try bind(comparison, path, .contains, [value], isList: false)
            }
        }
        throw Self.constantOnLeft(comparison)
    }

    static func claim(_ part: some CustomStringConvertible) -> QueryError {
        QueryError(.value, "Invalid value: '\(part)' waits for a claim that the caller does not have")
    }

    private static func constantOnLeft(_ comparison: Comparison) -> QueryError {
        QueryError(
            .comparator,
            "Invalid predicate: Operator '\(comparison.comparator.text)' needs a key path on its left side",
            remedy: comparison.comparator == .in ? "On the right of IN stands a list, a string or a collection." : nil
        )
    }

    // MARK: - Path and constant

    func bind(
        _ comparison: Comparison, _ path: PropertyPath, _ comparator: Comparator, _ values: [Value], isList: Bool
    ) throws(QueryError) -> BoundPredicate {
        let resolved = try resolve(path)
        let quantifier = try quantifier(comparison.quantifier, over: resolved)
        try checkShape(comparator, values, isList: isList)
        try checkOperator(comparator, resolved.type, comparison.options)
        if comparator == .text { try checkSearch(values[0]) }
        let test = ElementTest(
            quantifier: quantifier, path: resolved.bound, options: resolved.takesOptions ? comparison.options : []
        )
        switch comparator {
        case .in:
            var kept: [Value] = []
            for value in values {
                switch try convert(value, .equal, resolved) {
                case .comparison(_, let value): kept.append(value)
                case .never: break
                case .always, .notNull: preconditionFailure("Equality with a constant never holds for every value.")
                }
            }
            return test.predicate(.in, .values(kept))
        case .between:
            return try bindBetween(values[0], values[1], resolved, test)
        default:
            let converted = try convert(values[0], comparator, resolved)
            return values[0].isNull ? test.predicate(keepingPath: converted) : test.predicate(converted)
        }
    }

    func checkSearch(_ value: Value) throws(QueryError) {
        let search: [UInt8]
        switch value {
        case .string(let text): search = Array(text.utf8)
        case .bytes(let text): search = text
        default: return
        }
        guard TextSearch(search).isTooLong else { return }
        throw QueryError(
            .limit, "TEXT searches for more than \(QueryLimits.searchWords) words",
            remedy: "Search for the words that matter."
        )
    }

    private func bindBetween(
        _ low: Value, _ high: Value, _ resolved: ResolvedPath, _ test: ElementTest
    ) throws(QueryError) -> BoundPredicate {
        if low.isNull || high.isNull {
            // The other one has to fit all the same.
            for bound in [low, high] where !bound.isNull { _ = try convert(bound, .lessOrEqual, resolved) }
            let isNull = try convert(.null, .equal, resolved)
            return test.predicate(keepingPath: low.isNull && high.isNull ? isNull : .never)
        }
        let lower = try convert(low, .greaterOrEqual, resolved)
        let upper = try convert(high, .lessOrEqual, resolved)
        switch (lower, upper) {
        case (.comparison(let lower, let low), .comparison(let upper, let high)):
            guard let low = low.closed(below: lower), let high = high.closed(above: upper) else {
                return test.predicate(.never)
            }
            return test.predicate(.between, .values([low, high]))
        case (.never, _), (_, .never): return test.predicate(.never)
        // A bound beyond every value of the property's type is no bound.
        case (.notNull, let other), (let other, .notNull), (.always, let other), (let other, .always):
            return test.predicate(other)
        }
    }

    /// Checks that IN and BETWEEN have a list and the others have none. The parser has checked text, but not predicates
    /// built by code.
    private func checkShape(_ comparator: Comparator, _ values: [Value], isList: Bool) throws(QueryError) {
        switch comparator {
        case .in where !isList:
            throw QueryError(.value, "Invalid value: IN clause requires an array of items")
        case .in where values.count > QueryLimits.listValues:
            throw QueryError.listTooLong(values.count)
        case .between where !isList || values.count != 2:
            throw QueryError(.value, "Invalid value: BETWEEN operations require an array of exactly two objects")
        case .in, .between: break
        default:
            guard !isList else {
                throw QueryError(
                    .value, "Invalid value: Operator '\(comparator.text)' compares with a single value, not with a list"
                )
            }
        }
    }

    // MARK: - Path and path

    private func bind(
        _ comparison: Comparison, _ left: PropertyPath, _ right: PropertyPath
    ) throws(QueryError) -> BoundPredicate {
        var (left, right) = (try resolve(left), try resolve(right))
        var comparator = comparison.comparator
        if comparator == .in {
            // `age IN friends.age`: one of the collection's elements equals the left side.
            guard right.isToMany else {
                throw QueryError(
                    .comparator, "Invalid predicate: IN needs a list of values or a collection on its right side",
                    remedy: "To ask whether one string is in another, write name CONTAINS other."
                )
            }
            comparator = .equal
        }
        // IN asks for any element on its right, so it says enough about both.
        let isOfPairs =
            left.isToMany && right.isToMany
            && (comparison.quantifier != .implied || comparison.rightQuantifier != .implied
                || comparison.comparator == .in)
        if comparison.comparator == .in, comparison.rightQuantifier == .all || comparison.rightQuantifier == .none {
            throw QueryError(
                .comparator, "Invalid predicate: ALL and NONE cannot stand before the collection after IN",
                remedy: "Write == in place of IN.")
        }
        var written = comparison.quantifier
        if !isOfPairs {
            // The one quantifier belongs to the collection, on whichever side it was written.
            guard written == .implied || comparison.rightQuantifier == .implied else {
                throw Self.needsCollection
            }
            if written == .implied { written = comparison.rightQuantifier }
        }
        if right.isToMany, !isOfPairs {
            guard !left.isToMany, let exchanged = comparator.exchanged else {
                throw QueryError(
                    .comparator, "Comparing two collection columns is not permitted.",
                    remedy: left.isToMany
                        ? "Write ANY, ALL or NONE before one of them, or compare an operator such as @count or @max."
                        : "Compare an operator on the collection, such as @count or @max, on one side."
                )
            }
            (left, right, comparator) = (right, left, exchanged)
        }
        let quantifier = try quantifier(written, over: left)
        guard
            left.type == right.type || left.type.isNumeric && right.type.isNumeric || left.type == .mixed
                || right.type == .mixed,
            // A link and a mixed value that holds one are stored by different keys.
            (left.type == .object) == (right.type == .object), left.type != .object || left.target == right.target
        else {
            throw QueryError(
                .value,
                "Property type mismatch: Properties of type '\(left.shownType)' and '\(right.shownType)' cannot be compared",
                remedy: "Compare properties of the same type, or two numbers."
            )
        }
        guard comparator != .text else {
            throw QueryError(
                .comparator, "Invalid predicate: TEXT searches for a constant, not for what a property holds",
                remedy: "Hand over the words with %@, or compare the properties with CONTAINS."
            )
        }
        guard comparator != .between else {
            throw QueryError(.value, "Invalid value: BETWEEN operations require an array of exactly two objects")
        }
        try checkOperator(comparator, right.type == .mixed ? .mixed : left.type, comparison.options)
        let options = left.takesOptions ? comparison.options : []
        if isOfPairs {
            return .pairs(
                BoundPairs(
                    quantifier: quantifier, path: left.bound, options: options,
                    rightQuantifier: comparison.rightQuantifier == .implied ? .any : comparison.rightQuantifier,
                    right: .path(right.bound, comparator)))
        }
        return .comparison(
            BoundComparison(
                quantifier: quantifier, path: left.bound, comparator: comparator, options: options,
                operand: .path(right.bound)
            )
        )
    }

    // MARK: - Operators

    func quantifier(_ written: Quantifier, over path: ResolvedPath) throws(QueryError) -> Quantifier {
        guard path.isToMany else {
            guard written == .implied else { throw Self.needsCollection }
            return .implied
        }
        return written == .implied ? .any : written
    }

    static let needsCollection = QueryError(
        .comparator,
        "Invalid predicate: Aggregate operations can only be used on key paths that include an collection property",
        remedy: "Remove ANY, ALL or NONE, or ask through a list."
    )

    /// Checks that a type has an operator.
    func checkOperator(
        _ comparator: Comparator, _ type: PropertyType, _ options: TextOptions
    ) throws(QueryError) {
        let isText = type == .string || type == .data || type == .mixed
        let hasOrder = type.isNumeric || type == .date || type == .objectId || type == .uuid
        let isAllowed =
            switch comparator {
            case .equal, .notEqual, .in: true
            case .less, .lessOrEqual, .greater, .greaterOrEqual: hasOrder || isText
            case .between: hasOrder || type == .mixed
            case .beginsWith, .endsWith, .contains, .like: isText
            case .text: type == .string || type == .mixed
            }
        guard isAllowed else {
            throw QueryError(
                .comparator,
                "Invalid operator type: Operator '\(comparator.text)' not supported for type '\(type.shown)'",
                remedy: "Values of type \(type.shown) take "
                    + (hasOrder
                        ? "==, !=, <, <=, >, >=, IN and BETWEEN."
                        : isText
                            ? "==, !=, <, <=, >, >=, IN, BEGINSWITH, ENDSWITH, CONTAINS and LIKE."
                            : "==, != and IN.")
            )
        }
        guard !options.isEmpty else { return }
        guard isText else {
            throw QueryError(
                .comparator, "Invalid operator type: [c] and [d] are not supported for type '\(type.shown)'",
                remedy: "Only texts have case and diacritics: remove the modifier."
            )
        }
        switch comparator {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            throw QueryError(
                .comparator,
                "Invalid operator type: Lexicographical comparison '\(comparator.text)' must be case-sensitive",
                remedy: "Remove [c] and [d]."
            )
        case .like where options.contains(.diacriticInsensitive):
            throw QueryError(
                .comparator,
                "Invalid operator type: Operator 'LIKE' not supported with diacritic-insensitive modifier.",
                remedy: "Write LIKE or LIKE[c]."
            )
        case .text:
            throw QueryError(
                .comparator, "Invalid operator type: Operator 'TEXT' not supported with modifiers",
                remedy: "TEXT never tells case and diacritics apart: remove [c] and [d]."
            )
        default: break
        }
        guard type == .string || type == .mixed else {
            throw QueryError(
                .comparator, "Invalid operator type: [c] and [d] are not supported for type '\(type.shown)'",
                remedy: "Bytes have neither case nor diacritics: remove the modifier."
            )
        }
    }
}

extension PropertyType {
    var isNumeric: Bool {
        self == .int || self == .float || self == .double || self == .decimal128
    }

    /// RealmSwift's name of the type in its errors.
    package var shown: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .objectId: "object id"
        case .uuid: "uuid"
        case .object: "object"
        case .decimal128: "decimal128"
        case .mixed: "mixed"
        }
    }
}
