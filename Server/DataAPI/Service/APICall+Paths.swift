package import CausewayOpenAPI

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

    /// The statuses that an error of this call may have, ascending.
    package var errorStatuses: [Int] {
        // A GET with a body is refused as too large.
        let codes = namesDatabase ? APICall.commonErrors + errors + [.bodyTooLarge] : [.requestInvalid, .bodyTooLarge]
        return Set(codes.map(\.status)).sorted()
    }

    /// As the document has it.
    package var described: DescribedCall {
        var described = DescribedCall(
            name.rawValue, method: method, path: pathText, summary: summary,
            answers: answer.statuses.map { status in
                let headers = name == .readObject ? [Self.etag] : []
                return DescribedCall.Answer(status, schema: answer.schema, headers: headers)
            })
        described.needsToken = namesDatabase
        described.parameters = parameters
        described.headers = headers
        described.body = body?.rawValue
        described.errorStatuses = errorStatuses
        return described
    }

    private static let etag = DescribedCall.Answer.Header("ETag", "The state of the object, for If-Match.")
}
