/// A call of an HTTP API, as a document describes it.
package struct DescribedCall: Sendable {
    package var method: String
    /// `/databases/{database}`: parts in braces are parameters.
    package var path: String
    /// The name by which generated clients call it.
    package var name: String
    package var summary: String
    package var needsToken = true
    /// Of the query.
    package var parameters: [DescribedParameter] = []
    package var headers: [DescribedParameter] = []
    /// The name of the body's schema; nil without a body.
    package var body: String?
    /// Whether a request may leave its body out.
    package var isBodyOptional = false
    package var answers: [Answer]
    /// The statuses that an error may have, ascending.
    package var errorStatuses: [Int] = []

    package struct Answer: Hashable, Sendable {
        package var status: Int
        /// The name of its schema; nil for a document in YAML, and for a stream.
        package var schema: String?
        /// Whether it is a stream of server-sent events.
        package var isEventStream: Bool
        package var headers: [Header] = []

        package struct Header: Hashable, Sendable {
            package var name: String
            package var summary: String

            package init(_ name: String, _ summary: String) {
                self.name = name
                self.summary = summary
            }
        }

        package init(_ status: Int, schema: String?, isEventStream: Bool = false, headers: [Header] = []) {
            self.status = status
            self.isEventStream = isEventStream
            self.schema = schema
            self.headers = headers
        }
    }

    package init(_ name: String, method: String, path: String, summary: String, answers: [Answer]) {
        self.name = name
        self.method = method
        self.path = path
        self.summary = summary
        self.answers = answers
    }

    /// The names in braces, in their order.
    package var pathParameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
            .map { String($0.dropFirst().dropLast()) }
    }
}
