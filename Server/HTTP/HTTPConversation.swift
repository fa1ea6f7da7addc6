import Logging
import NIOCore
import NIOHTTP1

/// One connection: its requests, one after the other.
struct HTTPConversation {
    private let connection: HTTPListener.Connection
    private let listener: HTTPListener
    private let streamed = StreamedWork()
    private var limits: HTTPLimits { listener.limits }

    init(_ connection: HTTPListener.Connection, _ listener: HTTPListener) {
        self.connection = connection
        self.listener = listener
        connection.channel.closeFuture.whenComplete { [streamed] _ in streamed.close() }
    }

    private typealias Outbound = NIOAsyncChannelOutboundWriter<HTTPPart<HTTPResponseHead, ByteBuffer>>
    private typealias Inbound = NIOAsyncChannelInboundStream<HTTPServerRequestPart>

    func run() async {
        do {
            try await connection.executeThenClose { inbound, outbound in
                var parts = inbound.makeAsyncIterator()
                while try await exchange(&parts, outbound) {}
            }
        } catch {
            listener.logger.debug("a connection broke", metadata: ["error": "\(error)"])
        }
    }

    /// One request and its answer.
    ///
    /// - Returns: whether another may follow.
    private func exchange(_ parts: inout Inbound.AsyncIterator, _ outbound: Outbound) async throws -> Bool {
        guard case .head(let head)? = try await part(&parts, within: limits.idleMilliseconds) else { return false }
        guard let known = HTTPHead(head, peer: PeerAddress(connection.channel.remoteAddress)) else {
            let answer = listener.service.answer(to: .targetInvalid, of: nil)
            try await send(answer, to: head, outbound, isLast: true)
            return false
        }
        switch listener.service.admit(known) {
        case .refused(let answer):
            try await send(answer, to: head, outbound, isLast: true)
            try await ignoreBody(&parts)
            return false
        case .body(let bytesMax):
            if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
                try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
            }
            guard let body = try await body(&parts, bytesMax) else {
                let answer = listener.service.answer(to: .bodyTooLarge(bytesMax: bytesMax), of: known)
                try await send(answer, to: head, outbound, isLast: true)
                try await ignoreBody(&parts)
                return false
            }
            let answer = await held(HTTPRequest(known, body: body))
            defer { listener.unread.release(answer.bytes, of: known.peer.group) }
            let isLast = !head.isKeepAlive || listener.isEnding
            try await send(answer.answer, to: head, outbound, isLast: isLast)
            return !isLast
        }
    }

    /// The answer to a request, whose bytes count as kept until it is sent.
    private func held(_ request: HTTPRequest) async -> (answer: HTTPAnswer, bytes: Int) {
        let (unread, address) = (listener.unread, request.head.peer.group)
        func refused() -> (HTTPAnswer, Int) { (listener.service.answer(to: .answersUnread, of: request.head), 0) }
        // Before anything is done, whatever the request does.
        guard unread.hasRoom(for: address) else { return refused() }
        let answer = await listener.service.answer(request)
        guard case .whole(let body) = answer.body else { return (answer, 0) }
        if request.head.changesNothing {
            guard unread.hold(body.count, of: address) else { return refused() }
        } else {
            // It was done, so its caller is told so.
            unread.holdAnyway(body.count, of: address)
        }
        return (answer, body.count)
    }

    /// Nil when it has more bytes than it may.
    private func body(_ parts: inout Inbound.AsyncIterator, _ bytesMax: Int) async throws -> [UInt8]? {
        var body: [UInt8] = []
        // For all of its parts together.
        let watch = closing(after: limits.bodyMilliseconds)
        defer { watch.cancel() }
        while let part = try await parts.next() {
            switch part {
            case .body(let piece):
                guard body.count + piece.readableBytes <= bytesMax else { return nil }
                body.append(contentsOf: piece.readableBytesView)
            case .end: return body
            case .head: throw HTTPBroken()
            }
        }
        throw HTTPBroken()
    }

    /// A connection that closes before the client has sent its body may take the answer with it.
    private func ignoreBody(_ parts: inout Inbound.AsyncIterator) async throws {
        let watch = closing(after: limits.refusedMilliseconds)
        defer { watch.cancel() }
        var ignored = 0
        while let part = try await parts.next() {
            guard case .body(let piece) = part else { return }
            ignored += piece.readableBytes
            guard ignored <= limits.refusedBytes else { return }
        }
    }

    private func part(
        _ parts: inout Inbound.AsyncIterator, within milliseconds: Int64
    ) async throws -> HTTPServerRequestPart? {
        let watch = closing(after: milliseconds)
        defer { watch.cancel() }
        return try await parts.next()
    }

    /// Closes the connection, unless it is cancelled before.
    private func closing(after milliseconds: Int64) -> Scheduled<Void> {
        let channel = connection.channel
        return channel.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { channel.close(promise: nil) }
    }

    // MARK: - The answer

    private func send(
        _ answer: HTTPAnswer, to request: HTTPRequestHead, _ outbound: Outbound, isLast: Bool
    ) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status))
        for header in answer.headers { head.headers.add(name: header.name, value: header.value) }
        if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
        let hasBody = request.method != .HEAD
        switch answer.body {
        case .whole(let bytes):
            head.headers.replaceOrAdd(name: "content-length", value: String(bytes.count))
            try await write(.head(head), outbound)
            if hasBody { try await write(whole: bytes) }
        case .stream(let produce):
            try await write(.head(head), outbound)
            if hasBody {
                let writer = HTTPBodyWriter { bytes in try await write(.body(ByteBuffer(bytes: bytes)), outbound) }
                try await streamed.run { try await produce(writer) }
            }
        }
        try await write(.end(nil), outbound)
    }

    /// Piece by piece, each when the socket has taken the one before: so this ends when all is sent. The outbound writer would
    /// take pieces faster than the event loop notices that the socket is full.
    private func write(whole bytes: [UInt8]) async throws {
        let all = closing(after: limits.answerMilliseconds)
        defer { all.cancel() }
        for start in stride(from: 0, to: bytes.count, by: limits.pieceBytes) {
            let piece = bytes[start..<min(start + limits.pieceBytes, bytes.count)]
            let watch = closing(after: limits.stalledMilliseconds)
            defer { watch.cancel() }
            let part = HTTPPart<HTTPResponseHead, ByteBuffer>.body(ByteBuffer(bytes: piece))
            try await connection.channel.writeAndFlush(part).get()
        }
    }

    /// A client that does not read for too long loses its connection.
    private func write(_ part: HTTPPart<HTTPResponseHead, ByteBuffer>, _ outbound: Outbound) async throws {
        let watch = closing(after: limits.stalledMilliseconds)
        defer { watch.cancel() }
        try await outbound.write(part)
    }
}

/// The client broke off in the middle of a request.
private struct HTTPBroken: Error {}

extension HTTPHead {
    /// Whether a client may simply send the request again.
    fileprivate var changesNothing: Bool { method == "GET" || method == "HEAD" }

    fileprivate init?(_ head: HTTPRequestHead, peer: PeerAddress) {
        self.init(
            method: head.method.rawValue, target: head.uri,
            headers: head.headers.map { Header($0.name.lowercased(), $0.value) }, peer: peer)
    }
}
