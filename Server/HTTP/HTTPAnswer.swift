/// The answer to a request.
package struct HTTPAnswer: Sendable {
    package var status: Int
    package var headers: [HTTPHead.Header]
    package var body: Body

    package enum Body: Sendable {
        case whole([UInt8])
        /// Written piece by piece, for as long as the client reads. A writer that throws ends the connection, so the
        /// client sees that the answer is not whole.
        case stream(@Sendable (HTTPBodyWriter) async throws -> Void)
    }

    package init(status: Int, headers: [HTTPHead.Header] = [], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func text(
        _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8"
    ) -> HTTPAnswer {
        HTTPAnswer(status: status, headers: [.init("content-type", type)], body: .whole(Array(text.utf8)))
    }

    package static func json(_ json: [UInt8], status: Int = 200) -> HTTPAnswer {
        HTTPAnswer(status: status, headers: [.init("content-type", "application/json")], body: .whole(json))
    }
}

/// Writes pieces of a streamed body.
package struct HTTPBodyWriter: Sendable {
    private let write: @Sendable ([UInt8]) async throws -> Void

    package init(_ write: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.write = write
    }

    /// Sends a piece, and waits until the client may be sent more.
    ///
    /// - Throws: when the client has gone, or does not read.
    package func write(_ bytes: [UInt8]) async throws {
        try await write(bytes)
    }
}
