import CausewayModel
import CausewayQuery

// A collaborative text is compared by its content, as a string is.

extension Query where T == Text {
    /// The left side equals the right side.
    ///
    /// ```swift
    /// let empty = notes.where { $0.body == "" }
    /// ```
    public static func == (left: Query, right: String) -> Query<Bool> {
        left.compared(.equal, .value(.string(right)))
    }

    /// The left side differs from the right side.
    ///
    /// ```swift
    /// let written = notes.where { $0.body != "" }
    /// ```
    public static func != (left: Query, right: String) -> Query<Bool> {
        left.compared(.notEqual, .value(.string(right)))
    }

    /// The text is one of those given.
    ///
    /// ```swift
    /// let greetings = notes.where { $0.body.in(["Hello.", "Hi."]) }
    /// ```
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == String {
        compared(.in, .values(values.map { .string($0) }))
    }

    /// The text begins with another. An empty prefix matches nothing.
    ///
    /// ```swift
    /// let letters = notes.where { $0.body.starts(with: "Dear") }
    /// ```
    public func starts(with prefix: String, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, .value(.string(prefix)), options: options)
    }

    /// The text ends with another. An empty suffix matches nothing.
    ///
    /// ```swift
    /// let questions = notes.where { $0.body.ends(with: "?") }
    /// ```
    public func ends(with suffix: String, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, .value(.string(suffix)), options: options)
    }

    /// The text contains another. An empty text matches nothing.
    ///
    /// ```swift
    /// let aboutDogs = notes.where { $0.body.contains("dog", options: .caseInsensitive) }
    /// ```
    public func contains(_ part: String, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, .value(.string(part)), options: options)
    }

    /// The text matches a pattern, in which `*` stands for any number of characters and `?` for exactly one.
    ///
    /// ```swift
    /// let found = notes.where { $0.body.like("Dear * dog*") }
    /// ```
    public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, .value(.string(pattern)), options: caseInsensitive ? .caseInsensitive : [])
    }

    /// The texts are equal under the options.
    ///
    /// ```swift
    /// let yes = notes.where { $0.body.equals("yes", options: .caseInsensitive) }
    /// ```
    public func equals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, .value(.string(text)), options: options)
    }

    /// The texts differ under the options.
    ///
    /// ```swift
    /// let others = notes.where { $0.body.notEquals("yes", options: .caseInsensitive) }
    /// ```
    public func notEquals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, .value(.string(text)), options: options)
    }
}
