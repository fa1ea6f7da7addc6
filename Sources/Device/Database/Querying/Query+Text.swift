import CausewayModel
import CausewayQuery

extension Query where T: _QueryWords {
    /// Searches for words in the text, ignoring case and diacritics.
    ///
    /// ```swift
    /// notes.where { $0.title.fullText("rex dog* -cat") }
    /// ```
    ///
    /// finds texts with the word rex and a word that begins with dog, but without the word cat. White space separates
    /// the terms. A term after `-` must not occur. A star directly after a word matches any ending. A search without a
    /// word finds nothing, and a nil text is never found.
    ///
    /// Declare the property with `@Persisted(indexed: .fullText)`. Without that index every text is read.
    public func fullText(_ search: String) -> Query<Bool> {
        compared(.text, .value(.string(search)))
    }
}

/// A type whose words a query can search for: String, AnyRealmValue and their optionals.
public protocol _QueryWords {}

/// A type that the string operators of a query accept: String, Data, AnyRealmValue and their optionals.
public protocol _QueryText: _QueryOrdered {}

extension Query where T: RealmCollectionValue & _QueryText {
    /// The text begins with another. An empty prefix matches nothing.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.starts(with: "B") }
    /// ```
    public func starts(with prefix: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, .value(queryValue(prefix)), options: options)
    }

    /// The text begins with that of another property.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.starts(with: $0.currentCity) }
    /// ```
    public func starts(with prefix: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, prefix, options: options)
    }

    /// The text ends with another. An empty suffix matches nothing.
    ///
    /// ```swift
    /// dogs.where { $0.name.ends(with: "x") }
    /// ```
    public func ends(with suffix: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, .value(queryValue(suffix)), options: options)
    }

    /// The text ends with that of another property.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.ends(with: $0.currentCity) }
    /// ```
    public func ends(with suffix: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, suffix, options: options)
    }

    /// The text contains another. An empty text matches nothing.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.contains("ell") }
    /// ```
    public func contains(_ part: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, .value(queryValue(part)), options: options)
    }

    /// The text contains that of another property.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.contains($0.currentCity) }
    /// ```
    public func contains(_ part: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, part, options: options)
    }

    /// The text matches a pattern, in which `*` stands for any number of characters and `?` for exactly one.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.like("R?x*") }
    /// ```
    public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, .value(queryValue(pattern)), options: caseInsensitive ? .caseInsensitive : [])
    }

    /// The text matches the pattern that another property holds.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.like($0.currentCity) }
    /// ```
    public func like(_ pattern: Query, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, options: caseInsensitive ? .caseInsensitive : [])
    }

    /// The texts are equal under the options.
    ///
    /// ```swift
    /// dogs.where { $0.name.equals("rex", options: .caseInsensitive) }
    /// ```
    public func equals(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, .value(queryValue(text)), options: options)
    }

    /// The text equals that of another property under the options.
    ///
    /// ```swift
    /// let found = dogs.where { $0.name.equals($0.currentCity, options: .caseInsensitive) }
    /// ```
    public func equals(_ text: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, text, options: options)
    }

    /// The texts differ under the options.
    ///
    /// ```swift
    /// dogs.where { $0.name.notEquals("rex", options: .caseInsensitive) }
    /// ```
    public func notEquals(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, .value(queryValue(text)), options: options)
    }

    /// The text differs from that of another property under the options.
    ///
    /// ```swift
    /// let others = dogs.where { $0.name.notEquals($0.currentCity, options: .caseInsensitive) }
    /// ```
    public func notEquals(_ text: Query, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, text, options: options)
    }
}
