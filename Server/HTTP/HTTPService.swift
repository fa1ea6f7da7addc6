/// What an `HTTPListener` serves.
package protocol HTTPService: Sendable {
    /// Says, before the body of a request is read, whether to read it. Called for every request: must be quick and must
    /// not block.
    func admit(_ head: HTTPHead) -> HTTPAdmission
    /// Answers a request that was admitted.
    func answer(_ request: HTTPRequest) async -> HTTPAnswer
    /// Words what the listener refuses. The text of the refusal is the answer where a service does not say otherwise.
    ///
    /// - Parameter head: nil where it cannot be read.
    func answer(to refusal: HTTPRefusal, of head: HTTPHead?) -> HTTPAnswer
}

package enum HTTPAdmission: Sendable {
    case body(bytesMax: Int)
    /// Refused, whatever the body is. The connection ends after the answer.
    case refused(HTTPAnswer)
}

/// What the listener itself refuses. The service words it, in the form of its other answers.
package enum HTTPRefusal: Hashable, Sendable {
    /// The target of the request is no path, so nothing else is known of it.
    case targetInvalid
    case bodyTooLarge(bytesMax: Int)
    /// The caller's address, or all together, leave too many answers unread. Nothing was changed.
    case answersUnread

    package var status: Int {
        switch self {
        case .targetInvalid: 400
        case .bodyTooLarge: 413
        case .answersUnread: 503
        }
    }

    /// What happened and what to do, as a sentence.
    package var message: String {
        switch self {
        case .targetInvalid: "The request's target is not a path. Send one with valid percent escapes."
        case .bodyTooLarge(let bytesMax): "The body has more than \(bytesMax) bytes, and that is the most here."
        case .answersUnread:
            "Too many bytes of answers wait for their readers. Read the answers on your other connections, and send the "
                + "request again."
        }
    }
}

extension HTTPService {
    package func answer(to refusal: HTTPRefusal, of head: HTTPHead?) -> HTTPAnswer {
        .text(refusal.message + "\n", status: refusal.status)
    }
}
