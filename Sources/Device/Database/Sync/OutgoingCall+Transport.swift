import CausewayObjectStore
import CausewayOperations
import CausewaySync
import CausewaySyncedFile
import CausewayWire
import Dispatch

extension OutgoingCall {
    /// Sends the call to the server and returns the answer.
    ///
    /// - Parameter receive: called with each message of a download, until its stream is closed.
    func answer(
        over transport: any Transport, token: String,
        receive: @escaping @Sendable (Conversation.Event) async -> Void
    ) async throws(TransportFailure) -> Answer {
        switch request {
        case .hello(let greeting):
            do throws(StoreError) {
                try await greeting.file.whenDurable(greeting.fileVersion)
            } catch {
                guard error.isPassing else { throw .unusable(error.message) }
                return .notDurable(error.message)
            }
            return .welcome(try await hello(greeting, over: transport, token))
        case .download(let session):
            let attempt = attempt
            try await transport.download(session: session, token: token) { message, bytes in
                await receive(.received(attempt, message, bytes: bytes))
            }
            return .closed
        case .upload(let request):
            return .upload(
                try await transport.upload(request.changesets, session: request.session, token: token))
        case .ingest(let batch):
            return .ingest(IngestAnswer(acknowledged: try await transport.ingest(batch, token: token)))
        case .queries(let request): try await transport.want(request.wanted, session: request.session, token: token)
        case .mark(let request): try await transport.mark(request.mark, session: request.session, token: token)
        case .credit(let request): try await transport.credit(request.bytes, session: request.session, token: token)
        case .digests(let request): try await transport.digests(request, token: token)
        }
        return .taken
    }

    private func hello(
        _ greeting: SyncedFile.Greeting, over transport: any Transport, _ token: String
    ) async throws(TransportFailure) -> Welcome {
        let sent = DispatchTime.now().uptimeNanoseconds
        let welcome = try await transport.hello(greeting.hello, token: token)
        // The local time is read first and the trip is rounded up, so that the trip seems to begin before it did.
        // Clocks that agree are then not corrected, even when the trip takes less than a millisecond.
        let localTime = greeting.file.wallClock
        let roundTrip = (DispatchTime.now().uptimeNanoseconds - sent) / 1_000_000 + 1
        greeting.file.observe(welcome, localTime: localTime, roundTrip: roundTrip)
        return welcome
    }
}
