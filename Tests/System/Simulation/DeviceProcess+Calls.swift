import CausewayOperations
import CausewaySync
import CausewaySyncedFile
import CausewayWire

// A device's calls on their way to its server.

extension DeviceProcess {
    func send(_ call: OutgoingCall) throws {
        switch call.request {
        case .hello(let greeting):
            connect()
            countHello()
            let sent = world.now
            ask(call, .session, greeting.hello) { [self] (welcome: Welcome) in
                file.observe(welcome, localTime: wallTime, roundTrip: world.now - sent)
                return .welcome(welcome)
            }
        case .download(let session): openDownload(call, session)
        case .upload(let request): ask(call, .upload, told(request)) { .upload($0) }
        case .ingest(let batch): ask(call, .ingest, batch) { .ingest($0) }
        case .queries(let request): ask(call, .subscriptions, request, taken)
        case .mark(let request): ask(call, .mark, request, taken)
        case .credit(let request): ask(call, .credit, request, taken)
        case .digests(let request): ask(call, .resync, request, taken)
        }
    }

    private func taken(_: Accepted) -> OutgoingCall.Answer { .taken }

    private func ask<Answer: WireMessage>(
        _ call: OutgoingCall, _ route: Route, _ request: some WireMessage,
        _ read: @escaping (Answer) -> OutgoingCall.Answer
    ) {
        world.call(route, request, of: self, over: connection) { [self] (result: Result<Answer, TransportFailure>) in
            switch result {
            case .success(let answer): if let event = call.event(read(answer)) { try handle(event) }
            case .failure(let failure): try handle(call.failed(failure))
            }
        }
    }

    private func openDownload(_ call: OutgoingCall, _ session: UInt64) {
        let stream = DownloadStream(world, self, connection) { [unowned self] event in
            switch event {
            case .message(let message, let bytes): try handle(.received(call.attempt, message, bytes: bytes))
            case .closed: if let event = call.event(.closed) { try handle(event) }
            case .broken(let reason): try handle(call.failed(.unreachable(reason)))
            }
        }
        self.stream = stream
        world.after(world.latency()) { [server] in server.download(session, into: stream) }
    }

    private func told(_ request: UploadRequest) -> UploadRequest {
        guard let first = request.changesets.first, let last = request.changesets.last else { return request }
        world.story.tell(.uploaded, "device \(number) sends \(first.sequence)…\(last.sequence)")
        guard world.mutation == .pendingWriteForgotten, last.sequence % 4 == 3 else { return request }
        var request = request
        request.changesets[request.changesets.count - 1].operations = []
        return request
    }
}
