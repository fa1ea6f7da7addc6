/// What an `HTTPListener` serves.
package protocol HTTPService: Sendable {
    /// Says, before the body of a request is read, whether to read it. Called for every request: must be quick and must
    /// not block.
    func admit(_ head: HTTPHead) -> HTTPAdmission
    /// Answers a request that was admitted.
    func answer(_ request: HTTPRequest) async -> HTTPAnswer
}

package enum HTTPAdmission: Sendable {
    case body(bytesMax: Int)
    /// Refused, whatever the body is. The connection ends after the answer.
    case refused(HTTPAnswer)
}
