import CausewayEnvironment
import CausewayHTTP
import CausewayLimits
import CausewayModel
import CausewayOperations
import CausewaySession
package import CausewayWire
import Logging
import Synchronization

/// What the requests of all connections share: services, limits, and what is left of them.
final class Desk: Sendable {
    let directory: any SyncDirectory
    let authenticator: any Authenticator
    let limits: EndpointLimits
    let clock: any WallClock
    let logger: Logger
    let observer: any EndpointObserver
    let uploads: Turnstile
    let smallUploads: Turnstile
    /// Memory for the messages of uploads and batches that are not small, and for their changes.
    let messages: MemoryGate
    let changes: MemoryGate
    let accountCalls: Turnstile
    /// What addresses may do in a time.
    let rates: RateGate
    let tenures = Tenures()
    let isReady = Atomic(false)
    /// Bytes of bodies: of known callers, and of account calls.
    let bodies: BodyMemory
    let accountBodies: BodyMemory
    let work = WorkCount()
    /// Why the server ends, once it does.
    let ending = Mutex<SyncFailure?>(nil)

    init(
        directory: any SyncDirectory, authenticator: any Authenticator, limits: EndpointLimits, rates: RateGate,
        clock: any WallClock, logger: Logger, observer: any EndpointObserver
    ) {
        self.directory = directory
        self.rates = rates
        self.authenticator = authenticator
        self.limits = limits
        self.clock = clock
        self.logger = logger
        self.observer = observer
        uploads = Turnstile(places: limits.uploadsAtOnce)
        smallUploads = Turnstile(
            places: limits.smallUploadsAtOnce, placesOfCaller: max(1, limits.smallUploadsAtOnce / 2))
        messages = MemoryGate(limitBytes: limits.readMessageBytes)
        changes = MemoryGate(limitBytes: limits.readChangesBytes)
        accountCalls = Turnstile(places: limits.accountCallsAtOnce)
        bodies = BodyMemory(limitBytes: limits.heldBodyBytes, limitBytesOfOwner: limits.heldBodyBytesOfUser)
        accountBodies = BodyMemory(
            limitBytes: limits.heldAccountBytes, limitBytesOfOwner: limits.heldAccountBytesOfAddress)
    }
}

// MARK: - Before the body

extension Desk {
    /// A request whose caller and database are known.
    struct Admitted: Sendable {
        var call: Route.Call
        var database: String
        var caller: KnownCaller
        var service: any SyncService

        /// Whose share of the server's places and memory the request takes. Users of one name in two databases are two
        /// users.
        var owner: String { "\(database)/\(caller.user)" }
    }

    /// Finds the caller and the service of a request. The token is checked first: without one nobody learns which
    /// databases exist.
    func admit(
        _ call: Route.Call, database: String, authorization: String?, peer: PeerAddress
    ) throws(SyncFailure) -> Admitted {
        try takeRequest(of: peer)
        guard let token = authorization.flatMap(HTTPHead.bearerToken) else {
            throw SyncFailure(
                .tokenInvalid,
                "The request carries no token. Send it as `authorization: Bearer TOKEN`; log in again to get one.")
        }
        var caller = try authenticator.caller(for: token, database: database)
        caller.address = peer.group
        guard caller.expires > clock.now() else { throw .tokenExpired }
        guard let service = directory.service(of: database), service.knows(caller) else {
            throw .databaseUnknown(database)
        }
        do throws(LimitReached) {
            try service.admit(caller, writes: call.writes)
        } catch {
            throw SyncFailure(error)
        }
        return Admitted(call: call, database: database, caller: caller, service: service)
    }

    /// Charges a request to its address, before anything is done for it.
    private func takeRequest(of peer: PeerAddress) throws(SyncFailure) {
        do throws(LimitReached) {
            try rates.take(.init(.requestsPerSecondOfAddress, of: peer.group), from: peer.group)
        } catch {
            throw SyncFailure(error)
        }
    }

    /// An account call. Its service finds out who calls, because most calls come before there is a token.
    struct AccountCall: Sendable {
        var name: String
        var database: String
        var token: String?
        var peer: PeerAddress
        var bodyBytesMax: Int
        var service: any AccountService
    }

    /// Finds the service of an account call. Databases that do not exist and those without accounts are answered alike,
    /// so that nobody learns which databases exist.
    func accountCall(
        _ name: String, database: String, authorization: String?, peer: PeerAddress
    ) throws(RefusedCall) -> AccountCall {
        do throws(SyncFailure) {
            try takeRequest(of: peer)
        } catch {
            throw RefusedCall(answer: .busy(error))
        }
        guard let service = directory.accounts(of: database) else { throw RefusedCall(answer: .noAccounts) }
        let token = authorization.flatMap(HTTPHead.bearerToken)
        switch service.admit(name, token: token) {
        case .refused(let answer): throw RefusedCall(answer: Answer(answer))
        case .body(let bytesMax):
            return AccountCall(
                name: name, database: database, token: token, peer: peer,
                bodyBytesMax: min(bytesMax, limits.accountBytes), service: service)
        }
    }

    /// An account call whose body is not taken.
    struct RefusedCall: Error {
        var answer: Answer
    }

    func frameLimits(for call: Route.Call) -> FrameLimits {
        switch call {
        case .upload, .ingest: limits.upload
        case .session, .subscriptions: .envelope
        case .resync: .digests
        case .download, .credit, .mark: .small
        }
    }

    /// The largest body of a call: its message, and what frames add to it.
    func bodyBytesMax(for call: Route.Call) -> Int {
        frameLimits(for: call).messageBytes + 64 << 10
    }
}

extension SyncFailure {
    package static func databaseUnknown(_ name: String) -> SyncFailure {
        SyncFailure(
            .databaseUnknown,
            "This server has no database '\(name.prefix(80))'. Check the app id; the operator adds databases in the server's "
                + "configuration.")
    }

    package static let tokenExpired = SyncFailure(
        .tokenExpired, "The token has expired. Get a new one and connect again.")
}

// MARK: - With the body

extension Desk {
    /// Whether a body is so small that reading it costs less than a change of threads. Both its size and the size that
    /// its frames claim to decompress to count. A run has no more than two operations for each of its bytes, so these
    /// are few too. A body that claims more than is accepted is refused before any of it is read.
    func isReadAtOnce(_ body: [UInt8], of call: Route.Call) -> Bool {
        guard body.count <= limits.bytesReadAtOnce else { return false }
        do throws(SyncFailure) {
            let messageBytes = try FrameReader.messageBytes(claimedBy: body, limits: frameLimits(for: call))
            return messageBytes <= limits.bytesReadAtOnce
        } catch {
            return true
        }
    }

    /// Answers everything but downloads.
    func answer(_ request: Admitted, body: [UInt8]) async -> Answer {
        do throws(SyncFailure) {
            return try await result(of: request, body: body)
        } catch {
            // The sessions end first: a request that was on its way to them is late, not wrong.
            if error.code == .sessionUnknown, let ending = ending.withLock({ $0 }) { return Answer(ending) }
            return Answer(error)
        }
    }

    func answer(_ call: AccountCall, body: [UInt8]) async -> Answer {
        guard accountCalls.waitingCount < limits.accountCallsWaiting else { return .busy }
        return await accountCalls.pass(for: call.peer.group) {
            Answer(await call.service.answer(call.name, body: body, token: call.token, peer: call.peer.group))
        }
    }

    private func result(of request: Admitted, body: [UInt8]) async throws(SyncFailure) -> Answer {
        let service = request.service
        let caller = request.caller
        let frames = frameLimits(for: request.call)
        switch request.call {
        case .session:
            let hello = try WireCodec.decode(Hello.self, body: body, limits: frames)
            return Answer(try await service.open(hello, by: caller))
        case .upload:
            return try await withChanges(UploadRequest.self, body, of: request) { upload throws(SyncFailure) in
                tenures.extend(upload.session, request)
                return Answer(
                    try await service.upload(upload.session, by: caller, upload.changesets, bytes: body.count))
            }
        case .ingest:
            return try await withChanges(IngestBatch.self, body, of: request) { batch throws(SyncFailure) in
                return Answer(
                    IngestAnswer(acknowledged: try await service.ingest(batch, by: caller, bytes: body.count)))
            }
        case .credit:
            let credit = try WireCodec.decode(CreditRequest.self, body: body, limits: frames)
            tenures.extend(credit.session, request)
            try await service.credit(credit.session, by: caller, bytes: credit.bytes)
            return Answer(Accepted())
        case .resync:
            return try await uploads.pass(for: request.owner) { () throws(SyncFailure) in
                let digests = try WireCodec.decode(ResyncRequest.self, body: body, limits: frames)
                tenures.extend(digests.session, request)
                try await service.digests(digests, by: caller)
                return Answer(Accepted())
            }
        case .subscriptions:
            let subscriptions = try WireCodec.decode(SubscriptionsRequest.self, body: body, limits: frames)
            tenures.extend(subscriptions.session, request)
            try await service.want(subscriptions.session, by: caller, subscriptions.wanted)
            return Answer(Accepted())
        case .mark:
            let mark = try WireCodec.decode(MarkRequest.self, body: body, limits: frames)
            tenures.extend(mark.session, request)
            try await service.mark(mark.session, by: caller, id: mark.mark)
            return Answer(Accepted())
        case .download:
            preconditionFailure("A download has no one answer: its handler begins it.")
        }
    }
}

// MARK: - Memory for changes

extension Desk {
    /// Reads a message of changes once there is memory for it. The memory is held until the changes are done with. A
    /// message that is too large is refused before any memory is taken. Small messages never wait for large ones.
    private func withChanges<M: ChangesMessage>(
        _ type: M.Type, _ body: [UInt8], of request: Admitted, _ use: (M) async throws(SyncFailure) -> Answer
    ) async throws(SyncFailure) -> Answer {
        let frames = frameLimits(for: request.call)
        let messageBytes = try FrameReader.messageBytes(claimedBy: body, limits: frames)
        if messageBytes <= limits.smallMessageBytes {
            let payload = try WireCodec.payload(of: body, limits: frames)
            if try OperationCounts(of: type, payload: payload, limits: frames).sizeBytes <= limits.smallUploadBytes {
                return try await smallUploads.pass(for: request.owner) { () throws(SyncFailure) in
                    try await use(try M(payload: payload, limits: frames))
                }
            }
        }
        return try await messages.pass(messageBytes, for: request.owner) { () throws(SyncFailure) in
            let payload = try WireCodec.payload(of: body, limits: frames)
            let counts = try OperationCounts(of: type, payload: payload, limits: frames)
            return try await changes.pass(counts.sizeBytes, for: request.owner) { () throws(SyncFailure) in
                try await uploads.pass(for: request.owner) { () throws(SyncFailure) in
                    try await use(try M(payload: payload, limits: frames))
                }
            }
        }
    }
}

extension Answer {
    static let noAccounts = Answer(
        AccountServiceAnswer(
            status: 404,
            body: Array(
                """
                {"code":"authProviderNotFound","message":"This server keeps no accounts for the app. Log in with a JWT, \
                or switch accounts on in the server's configuration."}
                """.utf8), code: "authProviderNotFound"))

    static let busy = Answer(
        AccountServiceAnswer(
            status: 503,
            body: Array(
                #"{"code":"maintenanceInProgress","message":"Too many logins are under way. Try again later."}"#.utf8),
            code: "maintenanceInProgress"))

    /// An account call of an address that has to wait. The message is ours, and needs no escapes in JSON.
    static func busy(_ failure: SyncFailure) -> Answer {
        var answer = Answer(
            AccountServiceAnswer(
                status: 503, body: Array(#"{"code":"maintenanceInProgress","message":"\#(failure.message)"}"#.utf8),
                code: "maintenanceInProgress"))
        answer.retryAfterSeconds = failure.retryAfterMilliseconds.map { ($0 + 999) / 1_000 }
        return answer
    }
}
