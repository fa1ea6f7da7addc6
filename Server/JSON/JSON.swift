package import CausewayModel

/// A JSON value as it was written: numbers keep their digits, and objects the order of their members.
///
/// Foundation's reader takes numbers for doubles and lets a later member replace an earlier one of the same name. Both
/// would change data silently.
package indirect enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The text of the number, which the reader has checked.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package var name: ExactString
        package var value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = ExactString(name)
            self.value = value
        }
    }

    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSON {
    /// A member of an object; nil where there is none, or this is no object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.string.isSame(as: name) }?.value
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }

    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    package var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The whole number that it is; nil for a number with a point or an exponent, or beyond 64 bits.
    package var int: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

    /// What it is, in words.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
