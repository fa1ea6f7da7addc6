package import CausewayOpenAPI

/// What the OpenAPI document says of a route, and what is checked before the route is called.
package struct AdminDescription: Sendable {
    /// The name by which generated clients call it.
    package var name: String
    package var summary: String
    /// Of the query. Others are refused.
    package var parameters: [DescribedParameter]
    package var headers: [DescribedParameter]
    /// The name of the body's schema; nil without a body.
    package var body: String?
    package var isBodyOptional: Bool
    package var status: Int
    /// The name of the answer's schema; nil for the document itself.
    package var answer: String?
    package var answerHeaders: [DescribedCall.Answer.Header]
    /// Whether the answer is a stream of events.
    package var answersEvents: Bool
    /// What can go wrong, beside what can go wrong with every route.
    package var errors: [AdminError.Code]

    package init(
        _ name: String, _ summary: String, parameters: [DescribedParameter] = [], headers: [DescribedParameter] = [],
        body: String? = nil, isBodyOptional: Bool = false, status: Int = 200, answer: String? = nil,
        answerHeaders: [DescribedCall.Answer.Header] = [], answersEvents: Bool = false,
        errors: [AdminError.Code] = []
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.headers = headers
        self.body = body
        self.isBodyOptional = isBodyOptional
        self.status = status
        self.answer = answer
        self.answerHeaders = answerHeaders
        self.answersEvents = answersEvents
        self.errors = errors
    }

    /// What can go wrong with every route.
    static let commonErrors: [AdminError.Code] = [
        .requestInvalid, .tokenInvalid, .hostInvalid, .serverFault, .serverBusy,
    ]
}
