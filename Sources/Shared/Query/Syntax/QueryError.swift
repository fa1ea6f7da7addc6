/// Why a query was refused: what is wrong, where, and what to write instead.
///
/// `message` is the one sentence an app developer knows from RealmSwift, where RealmSwift has one;
/// `description` adds the line of text with a caret under the place, and the remedy.
package struct QueryError: Error, Hashable, Sendable {
    package var code: Code
    package var message: String
    /// The byte of the text at which it went wrong; nil when the text is not at fault or not known.
    package var position: Int?
    /// What would have been right at that position.
    package var expected: String?
    /// Two lines: a part of the text, and a caret under the position.
    package var caret: String?
    package var remedy: String?

    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The text is not a predicate.
        package static let syntax = Code(rawValue: "syntax")
        /// A bound of `QueryLimits` is exceeded.
        package static let limit = Code(rawValue: "limit")
        /// The text and its arguments do not fit together.
        package static let argument = Code(rawValue: "argument")
        /// A name that the schema does not have, or a path that does not lead on.
        package static let property = Code(rawValue: "property")
        /// A value of a type the property cannot hold.
        package static let value = Code(rawValue: "value")
        /// An operator that the property's type does not have.
        package static let comparator = Code(rawValue: "operator")
    }

    package init(
        _ code: Code,
        _ message: String,
        position: Int? = nil,
        expected: String? = nil,
        caret: String? = nil,
        remedy: String? = nil
    ) {
        self.code = code
        self.message = message
        self.position = position
        self.expected = expected
        self.caret = caret
        self.remedy = remedy
    }
}

extension QueryError: CustomStringConvertible {
    package var description: String {
        [message, caret, remedy].compactMap { $0 }.joined(separator: "\n")
    }
}

// MARK: - Pointing at the text

extension QueryError {
    /// An error at a byte of the text, in the words NSPredicate begins with.
    static func unreadable(
        _ text: [UInt8],
        at position: Int,
        _ code: Code = .syntax,
        found: String,
        expected: String,
        remedy: String? = nil
    ) -> QueryError {
        let caret = caretLines(text, at: position)
        let shown = text.count <= QueryLimits.excerptCharacters ? " \"\(String(decoding: text, as: UTF8.self))\"" : ""
        return QueryError(
            code,
            "Unable to parse the format string\(shown): expected \(expected), found \(found) at position \(position)",
            position: position,
            expected: expected,
            caret: caret,
            remedy: remedy
        )
    }

    /// The line to show is cut to a window around the position, and control characters become spaces, so that
    /// the caret stands under the right character however long or hostile the text is.
    static func caretLines(_ text: [UInt8], at position: Int) -> String {
        let half = QueryLimits.excerptCharacters / 2
        let position = min(max(position, 0), text.count)
        // A window in bytes around the position is at least as wide as the window in characters that is shown.
        let before = String(decoding: text[max(0, position - half * 4)..<position], as: UTF8.self).unicodeScalars
        let after = String(decoding: text[position..<min(text.count, position + half * 4)], as: UTF8.self)
            .unicodeScalars
        let shownBefore = before.suffix(half)
        let shownAfter = after.prefix(half)
        let cutBefore = shownBefore.count < before.count || position > half * 4
        let cutAfter = shownAfter.count < after.count || position + half * 4 < text.count
        var line = cutBefore ? "…" : ""
        for scalar in [shownBefore, shownAfter].joined() {
            line.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        let indent = String(repeating: " ", count: shownBefore.count + (cutBefore ? 1 : 0))
        return line + (cutAfter ? "…" : "") + "\n" + indent + "^"
    }
}
