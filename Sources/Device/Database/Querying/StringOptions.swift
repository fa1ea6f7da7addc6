import CausewayQuery

/// How the string operators of a query compare.
///
/// ```swift
/// let options: StringOptions = [.caseInsensitive, .diacriticInsensitive]
/// projects.where { $0.name.starts(with: "e", options: options) }
/// ```
///
/// Both options are defined for the Latin code points 0 to 591; every other character equals only itself.
public struct StringOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates options from their bits.
    ///
    /// ```swift
    /// StringOptions(rawValue: 3) == [.caseInsensitive, .diacriticInsensitive]    // true
    /// ```
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `e` equals `E`: the `[c]` of a format string.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// `e` equals `é`: the `[d]` of a format string.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    var syntax: CausewayQuery.TextOptions {
        var syntax: CausewayQuery.TextOptions = []
        if contains(.caseInsensitive) { syntax.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { syntax.insert(.diacriticInsensitive) }
        return syntax
    }
}
