import CausewayHTTP
import CausewayModel
import CausewaySession
import CausewayWire
import Logging
import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// One request: a plain handler on one HTTP/2 stream.
///
/// ```
///           head is fine          body is whole           answered
/// .head ────────────────▶ .body ───────────────▶ .working ─────────▶ .done
///    │                      │                        ▲
///    └──────── refused ─────┴──▶ .draining ──────────┘ the rest of the body has come, or the moment is over
/// ```
///
/// A stream closes by itself when both ends have said that they are done. Closing it before the client is done resets
/// it, even after a whole answer, and clients may then drop the answer. So the client of a refused request gets a
/// moment to read it. What the client sends meanwhile is ignored, up to a limit. A client that is done sending and does
/// not read the answer gets longer, and then its stream is reset too.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    enum Phase {
        case head
        case body(Incoming)
        case draining
        case working(Incoming)
        case done
    }

    /// A request whose body is awaited.
    enum Incoming {
        case call(Desk.Admitted)
        case account(Desk.AccountCall)

        /// Counts bytes of the body for its caller; false when there are too many.
        func hold(_ bytes: Int, _ desk: Desk) -> Bool {
            switch self {
            case .call(let admitted): desk.bodies.hold(bytes, of: admitted.owner)
            // The caller is not known yet: those of one address share.
            case .account(let call): desk.accountBodies.hold(bytes, of: call.peer.group)
            }
        }

        func release(_ bytes: Int, _ desk: Desk) {
            switch self {
            case .call(let admitted): desk.bodies.release(bytes, of: admitted.owner)
            case .account(let call): desk.accountBodies.release(bytes, of: call.peer.group)
            }
        }
    }

    let desk: Desk
    private let unread: UnreadAnswers
    private let watch: ClientWatch
    var phase: Phase = .head
    /// Nil when the stream is gone.
    var context: ChannelHandlerContext?
    private var body: [UInt8] = []
    /// How much of a refused request's body was ignored.
    private var passedOverBytes = 0
    private var bodyDeadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    /// What is known of the request.
    var facts = RequestFacts(address: "")
    private var isAccountCall = false
    /// The download this request is, while it runs.
    var download: OpenDownload?

    init(desk: Desk, unread: UnreadAnswers, watch: ClientWatch) {
        self.desk = desk
        self.unread = unread
        self.watch = watch
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        // A request that is being worked on keeps its body until the work is done.
        if case .working = phase {} else { forgetBody() }
        phase = .done
        timer?.cancel()
        downloadLost()
        self.context = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        desk.logger.debug("a request broke off", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { downloadIsWritable() }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let head):
            if case .head = phase { headReceived(head.headers) }
            if head.endStream { bodyEnded() }
        case .data(let piece):
            if case .byteBuffer(let bytes) = piece.data { bodyReceived(bytes) }
            if piece.endStream { bodyEnded() }
        default:
            break
        }
    }

    // MARK: - What comes in

    private func headReceived(_ head: HPACKHeaders) {
        let method = head.first(name: ":method") ?? ""
        let path = head.first(name: ":path") ?? ""
        let peer = PeerAddress(context?.channel.parent?.remoteAddress)
        facts.address = peer.group
        switch Route(method: method, path: path) {
        case .health:
            refuse(Answer(status: 200, text: "the server lives\n"))
        case .readiness:
            let isReady = desk.isReady.load(ordering: .relaxed) && desk.directory.services.allSatisfy(\.isAnswering)
            refuse(Answer(status: isReady ? 200 : 503, text: isReady ? "ready\n" : "not ready\n"))
        case .call(let call, let database):
            (facts.call, facts.database) = (call.rawValue, database)
            do throws(SyncFailure) {
                let admitted = try desk.admit(
                    call, database: database, authorization: head.first(name: "authorization"), peer: peer)
                facts.user = admitted.caller.user.string
                watch.callerIsKnown()
                expectBody(of: .call(admitted), head)
            } catch {
                refuse(error)
            }
        case .account(let name, let database):
            (facts.call, facts.database, isAccountCall) = (name, database, true)
            do throws(Desk.RefusedCall) {
                let call = try desk.accountCall(
                    name, database: database, authorization: head.first(name: "authorization"),
                    peer: peer)
                expectBody(of: .account(call), head)
            } catch {
                noteAccountAnswer(error.answer)
                refuse(error.answer)
            }
        case nil:
            refuse(
                SyncFailure(
                    .requestUnknown,
                    "This server does not know \(method) \(path.prefix(200)). Check the base URL, and that the device "
                        + "and the server are of the same version."))
        }
    }

    private func expectBody(of incoming: Incoming, _ head: HPACKHeaders) {
        if let size = head.first(name: "content-length").flatMap({ Int($0) }) {
            do throws(SyncFailure) {
                try checkBody(sizeBytes: size, incoming)
            } catch {
                return refuse(error)
            }
        }
        phase = .body(incoming)
        let time =
            switch incoming {
            case .call: desk.limits.bodyMilliseconds
            case .account: desk.limits.accountBodyMilliseconds
            }
        bodyDeadline = .now() + .milliseconds(time)
        expectMore()
    }

    private func bodyReceived(_ bytes: ByteBuffer) {
        switch phase {
        case .body(let incoming):
            do throws(SyncFailure) {
                try keep(bytes, incoming)
            } catch {
                refuse(error)
            }
        case .draining:
            passedOverBytes += bytes.readableBytes
            if passedOverBytes > desk.limits.refusedBytes { context?.close(promise: nil) }
        case .head, .working, .done:
            break
        }
    }

    private func keep(_ bytes: ByteBuffer, _ incoming: Incoming) throws(SyncFailure) {
        try checkBody(sizeBytes: body.count + bytes.readableBytes, incoming)
        guard incoming.hold(bytes.readableBytes, desk) else {
            throw SyncFailure(
                .serverBusy, "The server is taking in as much as it has memory for. Try again later.",
                retryAfterMilliseconds: 2_000)
        }
        body.append(contentsOf: bytes.readableBytesView)
        expectMore()
    }

    private func checkBody(sizeBytes: Int, _ incoming: Incoming) throws(SyncFailure) {
        let limitBytes =
            switch incoming {
            case .call(let admitted): desk.bodyBytesMax(for: admitted.call)
            case .account(let call): call.bodyBytesMax
            }
        guard sizeBytes <= limitBytes else {
            throw SyncFailure(
                .frameTooLarge,
                "A request of \(sizeBytes) bytes is larger than the \(limitBytes) taken here. Write smaller "
                    + "transactions, or raise the limit on the server.")
        }
    }

    private func bodyEnded() {
        timer?.cancel()
        switch phase {
        case .body(.account(let call)):
            phase = .working(.account(call))
            work(call)
        case .body(.call(let admitted)):
            if admitted.call == .download {
                let body = body
                forgetBody()
                phase = .working(.call(admitted))
                beginDownload(admitted, body: body)
            } else {
                phase = .working(.call(admitted))
                work(admitted)
            }
        case .draining:
            phase = .done
            expectEnd()
        case .head, .working, .done:
            break
        }
    }

    private func forgetBody() {
        switch phase {
        case .body(let incoming), .working(let incoming): forgetBody(of: incoming)
        case .head, .draining, .done: break
        }
    }

    private func forgetBody(of incoming: Incoming) {
        incoming.release(body.count, desk)
        body = []
    }

    // MARK: - Time

    /// Refuses a request whose body does not come in time, so that others get its place.
    private func expectMore() {
        timer?.cancel()
        let pause = NIODeadline.now() + .milliseconds(desk.limits.bodyIdleMilliseconds)
        after(min(pause, bodyDeadline)) { handler in
            handler.refuse(
                SyncFailure(
                    .serverBusy, "The rest of the request did not come in time. Try again on a better connection."))
        }
    }

    /// Closes the stream of a client that does not read its answer. A stream ends when its client has read all of the
    /// answer: a window that stays closed would keep the stream, and its connection, for ever.
    private func expectEnd() {
        after(.now() + .milliseconds(desk.limits.unreadAnswerMilliseconds)) { handler in
            handler.desk.logger.debug("a client does not read its answer: its stream is closed")
            handler.context?.close(promise: nil)
        }
    }

    func after(_ deadline: NIODeadline, _ body: @escaping @Sendable (RequestHandler) -> Void) {
        guard let context else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: deadline) { body(handler.value) }
    }

    // MARK: - What goes out

    private func work(_ admitted: Desk.Admitted) {
        let staysHere = desk.isReadAtOnce(body, of: admitted.call)
        work(on: staysHere ? context.map { EventLoopExecutor($0.eventLoop) } : nil) {
            await $0.answer(admitted, body: $1)
        } then: {
            $0.worked(admitted, $1)
        }
    }

    private func work(_ call: Desk.AccountCall) {
        work(on: nil) {
            await $0.answer(call, body: $1)
        } then: {
            $0.worked(call, $1)
        }
    }

    /// Makes the answer in a task, and returns to the event loop.
    ///
    /// - Parameter executor: nil for a task outside of the event loop.
    private func work(
        on executor: EventLoopExecutor?,
        _ makeAnswer: @escaping @Sendable (Desk, [UInt8]) async -> Answer,
        then done: @escaping @Sendable (RequestHandler, Answer) -> Void
    ) {
        guard let context else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let desk = desk
        let body = body
        // Not cancelled when the client goes away: an upload that has begun is best finished.
        desk.work.begin()
        Task(executorPreference: executor) {
            let answer = await makeAnswer(desk, body)
            desk.work.end()
            eventLoop.execute { done(handler.value, answer) }
        }
    }

    private func worked(_ admitted: Desk.Admitted, _ answer: Answer) {
        noteAnswer(answer.failure)
        worked(.call(admitted), answer, admitted.call.rawValue, admitted.database, ["user": "\(admitted.caller.user)"])
    }

    private func worked(_ call: Desk.AccountCall, _ answer: Answer) {
        noteAccountAnswer(answer)
        worked(.account(call), answer, "auth/\(call.name)", call.database, ["peer": "\(call.peer.group)"])
    }

    private func worked(
        _ incoming: Incoming, _ answer: Answer, _ call: String, _ database: String, _ caller: Logger.Metadata
    ) {
        desk.logger.debug(
            "answered",
            metadata: [
                "call": "\(call)", "database": "\(database)", "status": .stringConvertible(answer.status),
                "bytes": .stringConvertible(body.count),
            ].merging(caller) { $1 })
        forgetBody(of: incoming)
        guard case .working = phase else { return }
        phase = .done
        write(answer)
        expectEnd()
    }

    func refuse(_ failure: SyncFailure) {
        desk.logger.debug("refused", metadata: ["code": "\(failure.code.rawValue)", "message": "\(failure.message)"])
        noteAnswer(failure)
        refuse(Answer(failure))
    }

    func noteAnswer(_ failure: SyncFailure?) {
        if isAccountCall, let failure { return noteAccountAnswer(Answer(failure)) }
        var facts = facts
        facts.failure = failure
        desk.observer.observe(.answered(facts))
    }

    private func noteAccountAnswer(_ answer: Answer) {
        desk.observer.observe(
            .accountAnswered(
                AccountFacts(
                    call: facts.call, database: facts.database, address: facts.address, status: answer.status,
                    code: answer.code, user: answer.user)))
    }

    /// Answers before the request is whole.
    private func refuse(_ answer: Answer) {
        timer?.cancel()
        forgetBody()
        phase = .draining
        write(answer)
        after(.now() + .milliseconds(desk.limits.refusedMilliseconds)) { handler in
            if case .draining = handler.phase { handler.context?.close(promise: nil) }
        }
    }

    private func write(_ answer: Answer) {
        guard let context else { return }
        writeHead(
            status: answer.status, contentType: answer.contentType, sizeBytes: answer.body.count,
            retryAfterSeconds: answer.retryAfterSeconds)
        let data = HTTP2Frame.FramePayload.Data(
            data: .byteBuffer(context.channel.allocator.buffer(bytes: answer.body)), endStream: true)
        context.writeAndFlush(wrapOutboundOut(.data(data)), promise: unread.next())
    }

    func writeHead(status: Int, contentType: String, sizeBytes: Int?, retryAfterSeconds: UInt64? = nil) {
        var head = HPACKHeaders([(":status", "\(status)"), ("content-type", contentType)])
        if let sizeBytes { head.add(name: "content-length", value: "\(sizeBytes)") }
        if let retryAfterSeconds { head.add(name: "retry-after", value: "\(retryAfterSeconds)") }
        context?.write(wrapOutboundOut(.headers(.init(headers: head))), promise: nil)
    }
}
