import AsyncHTTPClient
package import CausewayOperations
package import CausewaySync
package import CausewayWire
import NIOCore
import NIOHTTP1

extension HTTPTransport {
    package func hello(_ hello: Hello, token: String) async throws(TransportFailure) -> Welcome {
        try await call("session", hello, Welcome.self, token: token)
    }

    package func upload(
        _ changesets: [Changeset], session: UInt64, token: String
    ) async throws(TransportFailure) -> UploadAnswer {
        try await call(
            "upload", UploadRequest(session: session, changesets: changesets), UploadAnswer.self, token: token)
    }

    package func credit(_ bytes: UInt64, session: UInt64, token: String) async throws(TransportFailure) {
        _ = try await call("credit", CreditRequest(session: session, bytes: bytes), Accepted.self, token: token)
    }

    package func digests(_ request: ResyncRequest, token: String) async throws(TransportFailure) {
        _ = try await call("resync", request, Accepted.self, token: token)
    }

    package func want(_ queries: QuerySet, session: UInt64, token: String) async throws(TransportFailure) {
        _ = try await call(
            "subscriptions", SubscriptionsRequest(session: session, wanted: queries), Accepted.self, token: token)
    }

    package func mark(_ id: UInt64, session: UInt64, token: String) async throws(TransportFailure) {
        _ = try await call("mark", MarkRequest(session: session, mark: id), Accepted.self, token: token)
    }

    package func ingest(_ batch: IngestBatch, token: String) async throws(TransportFailure) -> UInt64 {
        try await call("ingest", batch, IngestAnswer.self, token: token).acknowledged
    }

    package func download(
        session: UInt64, token: String, receive: @escaping @Sendable (DownloadMessage, Int) async -> Void
    ) async throws(TransportFailure) {
        try await onConnection(.download) { client throws(TransportFailure) in
            try await download(session: session, token: token, on: client, receive)
        }
    }

    private func download(
        session: UInt64, token: String, on client: HTTPClient,
        _ receive: @Sendable (DownloadMessage, Int) async -> Void
    ) async throws(TransportFailure) {
        let response = try await send("download", DownloadRequest(session: session), token: token, on: client)
        var reader = FrameReader()
        do {
            for try await buffer in response.body {
                count(received: buffer.readableBytes)
                reader.append(buffer.readableBytesView)
                while let received = try reader.next() {
                    let message = try WireCodec.decode(DownloadMessage.self, from: received.payload)
                    await receive(message, received.wireBytes)
                    if Task.isCancelled { throw TransportFailure.cancelled }
                }
            }
            try reader.finish()
        } catch let failure as SyncFailure {
            throw damaged(failure)
        } catch {
            throw failure(error)
        }
    }
}

// MARK: - Accounts

extension HTTPTransport {
    /// One account call: JSON in, and JSON out whatever the status. An answer without JSON is something between here
    /// and the server, and its status says what.
    package func account(
        _ call: String, json: [UInt8], token: String?
    ) async throws(TransportFailure) -> (status: Int, body: [UInt8]) {
        try await onConnection { client throws(TransportFailure) in
            let response = try await post(
                "auth/\(call)", json, contentType: "application/json", token: token, on: client)
            if [502, 503, 504].contains(response.status.code),
                response.headers.first(name: "content-type") != "application/json"
            {
                throw await refusal(response)
            }
            return (Int(response.status.code), try await wholeBody(of: response))
        }
    }
}

// MARK: - One request

extension HTTPTransport {
    /// The most bytes of an answer other than the download.
    private static let answerBytesMax = 1 << 20

    private func call<Request: WireMessage, Answer: WireMessage>(
        _ path: String, _ request: Request, _ answer: Answer.Type, token: String
    ) async throws(TransportFailure) -> Answer {
        let body = try await onConnection { client throws(TransportFailure) in
            try await wholeBody(of: try await send(path, request, token: token, on: client))
        }
        do throws(SyncFailure) {
            return try WireCodec.decode(Answer.self, body: body)
        } catch {
            throw damaged(error)
        }
    }

    /// Sends a request and returns the head of an answer with status 200.
    private func send(
        _ path: String, _ message: some WireMessage, token: String, on client: HTTPClient
    ) async throws(TransportFailure) -> HTTPClientResponse {
        let body = WireCodec.encode(message)
        let response = try await post(path, body, contentType: WireProtocol.mediaType, token: token, on: client)
        guard response.status == .ok else { throw await refusal(response) }
        return response
    }

    /// Sends a request and returns the head of the answer, whatever its status.
    private func post(
        _ path: String, _ body: [UInt8], contentType: String, token: String?, on client: HTTPClient
    ) async throws(TransportFailure) -> HTTPClientResponse {
        var request = HTTPClientRequest(url: address.url(path))
        request.method = .POST
        request.headers.add(name: "content-type", value: contentType)
        let headers = headers()
        if let token { request.headers.add(name: headers.authorization, value: "Bearer \(token)") }
        for header in headers.extra { request.headers.add(name: header.name, value: header.value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        count(sent: body.count)
        // Bodies sent before are in front of it and count too: a small call is not lost because a large one is slow.
        let underWay = begin(body: body.count)
        defer { end(body: body.count) }
        let milliseconds = RequestTime.milliseconds(
            bytes: underWay, answerMilliseconds: UInt64(clamping: address.answerMilliseconds))
        let limit = TimeAmount.milliseconds(Int64(clamping: milliseconds))
        do {
            do {
                return try await client.execute(request, timeout: limit)
            } catch let error as HTTPClientError where error == .cancelled && !Task.isCancelled {
                // The client reports this for a call that met a connection just ending: it was not sent, and the next
                // one finds or makes another. A client that shuts down reports the same, but has no calls then.
                return try await client.execute(request, timeout: limit)
            }
        } catch {
            throw failure(error)
        }
    }

    private func wholeBody(of response: HTTPClientResponse) async throws(TransportFailure) -> [UInt8] {
        do {
            let buffer = try await response.body.collect(upTo: Self.answerBytesMax)
            count(received: buffer.readableBytes)
            return Array(buffer.readableBytesView)
        } catch {
            throw failure(error)
        }
    }

    /// The failure in an answer with another status than 200. Our server explains itself in the body; a proxy does not.
    private func refusal(_ response: HTTPClientResponse) async -> TransportFailure {
        if let body = try? await wholeBody(of: response),
            let refusal = try? WireCodec.decode(SyncFailure.self, body: body)
        {
            return .refused(refusal)
        }
        let status = response.status
        switch status.code {
        case 502, 503, 504:
            return .unreachable(
                "\(address.base) answers \(status.code) \(status.reasonPhrase): something on the way to the server "
                    + "cannot reach it. The device tries again by itself.")
        default:
            return .unintelligible(
                "\(address.base) answers \(status.code) \(status.reasonPhrase), but not as a sync server does. "
                    + "Check that the base URL is the server's, and what proxies are on the way.")
        }
    }

    private func damaged(_ failure: SyncFailure) -> TransportFailure {
        .unintelligible(
            "An answer of \(address.base) cannot be read: \(failure.message) If this repeats, check what proxies are on "
                + "the way and that device and server are of versions that belong together.")
    }
}
