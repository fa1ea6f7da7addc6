import CausewayModel
import CausewayQuery
public import Foundation

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try checkText(Base.Output.self, Other.Output.self, "contains")
        return try translation.operand(base).searched(.contains, for: translation.operand(other))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try checkText(Base.Output.self, Prefix.Output.self, "starts(with:)")
        return try translation.operand(base).searched(.beginsWith, for: translation.operand(prefix))
    }
}

private func checkText(_ type: Any.Type, _ part: Any.Type, _ function: String) throws {
    let isText = type == String.self && (part == String.self || part == Substring.self)
    guard isText || type == Data.self && part == Data.self else {
        throw PredicateRefusal(
            "'\(function)' searches '\(type)' for '\(part)', and a query searches a String for a String or Data for Data",
            remedy: "Ask for single elements with contains, or filter the results with a closure.")
    }
}

// MARK: - localizedStandardContains

// Foundation on Linux has no expression for `localizedStandardContains`. The macro asks for a function of this name, so
// here it is. The expression that it makes is one of Foundation's own, a key path to a subscript: the description of a
// predicate with an expression of any other library would stop the program.

extension PredicateExpressions {
    /// Makes `localizedStandardContains` of a `#Predicate`.
    ///
    /// ```swift
    /// let found = dogs.filter(#Predicate<Dog> { $0.name.localizedStandardContains("rene") })    // René, too
    /// ```
    public static func build_localizedStandardContains<Root: PredicateExpression<String>>(
        _ root: Root, _ part: Value<String>
    ) -> KeyPath<Root, Bool> {
        KeyPath(root: root, keyPath: \String.[_standardContaining: part.value])
    }
}

extension String {
    /// Whether the string contains another, ignoring case and diacritics: the CONTAINS[cd] of a format string.
    public subscript(_standardContaining part: String) -> Bool {
        KeyedRead.note(part)
        var matcher = StringMatcher(.contains, Array(part.utf8), options: [.caseInsensitive, .diacriticInsensitive])
        return matcher.matches(self)
    }
}

extension PredicateOperand {
    /// Whether a text contains another, ignoring case and diacritics. An empty text is in none, as in Foundation.
    func standardContains(_ part: String) throws -> PredicateOperand {
        guard case .path(let path) = self else {
            throw PredicateRefusal("\(shown) stands where a query needs a property", remedy: "Ask a property.")
        }
        let options: CausewayQuery.TextOptions = [.caseInsensitive, .diacriticInsensitive]
        return .condition(
            PredicateTruth(
                .comparison(Comparison(.path(path.path), .contains, .value(.string(part)), options: options)),
                [path.variable]))
    }
}
