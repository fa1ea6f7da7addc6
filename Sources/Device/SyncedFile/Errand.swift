package import CausewayObjectStore
package import CausewaySync
package import CausewayWire

/// What a driver does for an action of its conversation. It is decided here; the driver has the threads, the timers and
/// the connection to the server.
package enum Errand: Sendable {
    /// Ask the server, and tell the conversation `call.event(_:)` or `call.failed(_:)`.
    case call(OutgoingCall)
    /// Have the file do it (``SyncedFile/perform(_:applying:)``), behind everything it was given before.
    case file(Conversation.Action)
    /// Tell the conversation this, after all that it has just asked for.
    case tell(Conversation.Event)
    case disconnect(inDoubt: Bool)
    case renewToken
    case wake(Moment)
    case finish(Conversation.Waiter)
    case fail(Conversation.Waiter, Trouble)
    case report(Trouble)
}

/// A request to the server, of one attempt.
package struct OutgoingCall: Sendable {
    package let attempt: Conversation.Attempt
    package let request: Request

    package enum Request: Sendable {
        case hello(SyncedFile.Greeting)
        case download(session: UInt64)
        case upload(UploadRequest)
        case ingest(IngestBatch)
        case queries(SubscriptionsRequest)
        case mark(MarkRequest)
        case credit(CreditRequest)
        case digests(ResyncRequest)
    }

    /// What the server answers.
    package enum Answer: Sendable {
        case welcome(Welcome)
        case upload(UploadAnswer)
        case ingest(IngestAnswer)
        /// The server has taken what it was sent.
        case taken
        /// The download's stream was closed.
        case closed
        /// The server was not asked: what the file says may be lost with the power, and why.
        case notDurable(String)
    }

    private var name: Conversation.Call {
        switch request {
        case .hello: .hello
        case .download: .download
        case .upload: .upload
        case .ingest: .ingest
        case .queries: .queries
        case .mark(let request): .mark(request.mark)
        case .credit: .credit
        case .digests: .digests
        }
    }

    /// What the answer means to the conversation; nil if it hears of it in the download.
    package func event(_ answer: Answer) -> Conversation.Event? {
        switch (request, answer) {
        case (.hello(let greeting), .welcome(let welcome)): .welcomed(attempt, welcome, greeting.said)
        case (.download, .closed): .downloadClosed(attempt)
        case (.upload, .upload(let answer)): .uploadAnswered(attempt, answer)
        case (.ingest, .ingest(let answer)): .ingestAnswered(attempt, through: answer.acknowledged)
        case (.queries(let request), .taken): .queriesTaken(attempt, version: request.wanted.version)
        case (.credit, .taken): .creditTaken(attempt)
        case (.mark, .taken), (.digests, .taken): nil
        case (_, .notDurable(let message)): .fileUnreadable(attempt, message)
        default: failed(.unintelligible("The server answered a \(name) with something else."))
        }
    }

    package func failed(_ failure: TransportFailure) -> Conversation.Event { .failed(attempt, name, failure) }
}

extension SyncedFile {
    /// The errands for an action. Reads from the file what is to be sent.
    package func errands(for action: Conversation.Action, of conversation: Conversation) -> [Errand] {
        switch action {
        case .sendHello(let attempt):
            return asking(attempt, .hello) { [.call(OutgoingCall(attempt, .hello(try greeting())))] }
        case .openDownload(let attempt, let session):
            return [.call(OutgoingCall(attempt, .download(session: session)))]
        case .upload(let attempt, let session, let after, let alone):
            return asking(attempt, .upload) {
                let (changesets, sizeBytes) = try pending(
                    after: after, limitBytes: alone ? 0 : conversation.upload.batchBytes,
                    operationsMax: conversation.operationsMax)
                guard !changesets.isEmpty else { return [.tell(.uploadFoundNothing(attempt))] }
                let request = UploadRequest(session: session, changesets: changesets)
                return [
                    .tell(.departed(attempt, .changesets, bytes: sizeBytes)),
                    .call(OutgoingCall(attempt, .upload(request))),
                ]
            }
        case .ingest(let attempt, let after, let alone):
            return asking(attempt, .ingest) {
                let pending = try pendingOneWay(
                    after: after, limitBytes: alone ? 0 : conversation.ingest.batchBytes,
                    operationsMax: conversation.operationsMax)
                guard let (batch, sizeBytes) = pending else { return [.tell(.ingestFoundNothing(attempt))] }
                return [
                    .tell(.departed(attempt, .oneWay, bytes: sizeBytes)), .call(OutgoingCall(attempt, .ingest(batch))),
                ]
            }
        case .sendQueries(let attempt, let session):
            return asking(attempt, .queries) {
                let request = SubscriptionsRequest(session: session, wanted: try subscriptions().querySet)
                return [.call(OutgoingCall(attempt, .queries(request)))]
            }
        case .sendMark(let attempt, let session, let id):
            return [.call(OutgoingCall(attempt, .mark(MarkRequest(session: session, mark: id))))]
        case .sendCredit(let attempt, let session, let bytes):
            return [.call(OutgoingCall(attempt, .credit(CreditRequest(session: session, bytes: bytes))))]
        case .sendDigests(let attempt, let request):
            return [.call(OutgoingCall(attempt, .digests(request)))]
        case .digest, .apply, .spill, .refill, .beginAgain, .setAside, .dropOneWay, .queriesRefused:
            return [.file(action)]
        case .disconnect(_, let inDoubt): return [.disconnect(inDoubt: inDoubt)]
        case .renewToken: return [.renewToken]
        case .wake(let moment): return [.wake(moment)]
        case .finish(let waiter): return [.finish(waiter)]
        case .fail(let waiter, let trouble): return [.fail(waiter, trouble)]
        case .report(let trouble): return [.report(trouble)]
        }
    }

    private func asking(
        _ attempt: Conversation.Attempt, _ call: Conversation.Call, _ body: () throws -> [Errand]
    ) -> [Errand] {
        do {
            return try body()
        } catch let error as StoreError where error.isPassing {
            return [.tell(.fileUnreadable(attempt, error.message))]
        } catch {
            return [.tell(.failed(attempt, call, .unusable(Self.message(of: error))))]
        }
    }
}

extension StoreError {
    /// Whether the same call may succeed later without any change to the file.
    package var isPassing: Bool {
        switch code {
        case .outOfSpace, .io, .tooManyReaders, .locked, .tooManyVersions: true
        default: false
        }
    }
}

extension OutgoingCall {
    fileprivate init(_ attempt: Conversation.Attempt, _ request: Request) {
        self.attempt = attempt
        self.request = request
    }
}
