import CausewayQuery

/// A type that the string operators of a query accept: String, Data, and their optionals.
public protocol _QueryText: _QueryOrdered {}

extension Query where T: RealmCollectionValue & _QueryText {
    /// The text begins with another. Nothing begins with an empty text.
    public func starts(with prefix: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, .value(queryValue(prefix)), options: options)
    }

    /// The text begins with that of another property.
    public func starts(with prefix: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, prefix, options: options)
    }

    /// The text ends with another. Nothing ends with an empty text.
    public func ends(with suffix: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, .value(queryValue(suffix)), options: options)
    }

    /// The text ends with that of another property.
    public func ends(with suffix: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, suffix, options: options)
    }

    /// The text has another somewhere within. An empty text is in nothing.
    public func contains(_ part: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, .value(queryValue(part)), options: options)
    }

    /// The text has that of another property somewhere within.
    public func contains(_ part: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, part, options: options)
    }

    /// The text matches a pattern, in which `*` stands for any number of characters and `?` for exactly one.
    public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, .value(queryValue(pattern)), options: caseInsensitive ? .caseInsensitive : [])
    }

    /// The text matches the pattern that another property holds.
    public func like(_ pattern: Query, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, options: caseInsensitive ? .caseInsensitive : [])
    }

    /// The texts are equal under the options.
    public func equals(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, .value(queryValue(text)), options: options)
    }

    /// The text equals that of another property under the options.
    public func equals(_ text: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, text, options: options)
    }

    /// The texts differ under the options.
    public func notEquals(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, .value(queryValue(text)), options: options)
    }

    /// The text differs from that of another property under the options.
    public func notEquals(_ text: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, text, options: options)
    }
}
