// What the document says of a call.

extension APICall {
    package var pathText: String {
        (namesDatabase ? "/{database}" : "") + "/"
            + path.map { part in
                switch part {
                case .word(let word): word
                case .className: "{class}"
                case .key: "{key}"
                }
            }
            .joined(separator: "/")
    }

    package var pathParameters: [String] {
        (namesDatabase ? ["database"] : [])
            + path.compactMap { part in
                switch part {
                case .word: nil
                case .className: "class"
                case .key: "key"
                }
            }
    }

    /// The statuses that an error of this call may have, ascending.
    package var errorStatuses: [Int] {
        // A GET with a body is refused as too large.
        let codes = namesDatabase ? APICall.commonErrors + errors + [.bodyTooLarge] : [.requestInvalid, .bodyTooLarge]
        return Set(codes.map(\.status)).sorted()
    }
}
