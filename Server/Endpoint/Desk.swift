import CausewayEnvironment
package import CausewayWire
import Logging
import Synchronization

/// What the requests of all connections share: whom to ask, and how much is left.
final class Desk: Sendable {
    let services: [String: any SyncService]
    /// By database; those without accounts are not in it.
    let accounts: [String: any AccountService]
    let authenticator: any Authenticator
    let limits: EndpointLimits
    let clock: any WallClock
    let logger: Logger
    let uploads: Turnstile
    let accountCalls: Turnstile
    let tenures = Tenures()
    let isReady = Atomic(false)
    private let heldBodyBytes = Atomic(0)
    private let heldOfUser = Mutex<[String: Int]>([:])

    init(
        services: [String: any SyncService], accounts: [String: any AccountService], authenticator: any Authenticator,
        limits: EndpointLimits, clock: any WallClock, logger: Logger
    ) {
        self.services = services
        self.accounts = accounts
        self.authenticator = authenticator
        self.limits = limits
        self.clock = clock
        self.logger = logger
        uploads = Turnstile(places: limits.uploadsAtOnce)
        accountCalls = Turnstile(places: limits.accountCallsAtOnce)
    }

    /// Counts bytes of a body that is about to be kept; false when there are too many already, of all callers or of
    /// this one.
    ///
    /// - Parameter user: nil for a caller who is not known yet.
    func hold(_ bytes: Int, of user: String?) -> Bool {
        if let user {
            let isWithinShare = heldOfUser.withLock { held in
                let total = held[user, default: 0] + bytes
                guard total <= limits.heldBodyBytesOfUser else { return false }
                held[user] = total
                return true
            }
            guard isWithinShare else { return false }
        }
        let held = heldBodyBytes.add(bytes, ordering: .relaxed).newValue
        if held <= limits.heldBodyBytes { return true }
        release(bytes, of: user)
        return false
    }

    func release(_ bytes: Int, of user: String?) {
        heldBodyBytes.subtract(bytes, ordering: .relaxed)
        guard let user, bytes > 0 else { return }
        heldOfUser.withLock { held in
            let left = held[user, default: bytes] - bytes
            held[user] = left > 0 ? left : nil
        }
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
    }

    /// The token is looked at first: without one nobody learns which databases there are.
    func admit(
        _ call: Route.Call, database: String, authorization: String?
    ) throws(SyncFailure) -> Admitted {
        guard let token = authorization.flatMap(bearerToken) else {
            throw SyncFailure(
                .tokenInvalid,
                "The request carries no token. Send it as `authorization: Bearer TOKEN`; log in again to get one.")
        }
        let caller = try authenticator.caller(for: token, database: database)
        guard caller.expires > clock.now() else { throw .tokenExpired }
        guard let service = services[database] else {
            throw SyncFailure(
                .databaseUnknown,
                "This server has no database '\(database)'. Check the app id; the operator adds databases in the "
                    + "server's configuration.")
        }
        return Admitted(call: call, database: database, caller: caller, service: service.serving(caller))
    }

    /// An account call. Who calls is for its service to find out, for most of them come before there is a token.
    struct AccountCall: Sendable {
        var name: String
        var database: String
        var token: String?
        var peer: String
    }

    func accountCall(_ name: String, database: String, authorization: String?, peer: String?) -> AccountCall {
        AccountCall(
            name: name, database: database, token: authorization.flatMap(bearerToken), peer: peer ?? "unknown")
    }

    private func bearerToken(_ authorization: String) -> String? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    func frameLimits(for call: Route.Call) -> FrameLimits {
        switch call {
        case .upload, .ingest: limits.upload
        case .session, .subscriptions: .envelope
        case .resync: .digests
        case .download, .credit, .mark: .small
        }
    }

    /// A body of frames is at most this much longer than the message in it.
    func bodyBytesMax(for call: Route.Call) -> Int {
        frameLimits(for: call).messageBytes + 64 << 10
    }
}

extension SyncFailure {
    package static let tokenExpired = SyncFailure(
        .tokenExpired, "The token has expired. Get a new one and connect again.")
}

// MARK: - With the body

extension Desk {
    /// Answers everything but downloads.
    func answer(_ request: Admitted, body: [UInt8]) async -> Answer {
        do throws(SyncFailure) {
            return try await result(of: request, body: body)
        } catch {
            return Answer(error)
        }
    }

    func answer(_ call: AccountCall, body: [UInt8]) async -> Answer {
        // Whether there is such a database is nobody's business who has no account in it.
        guard let service = accounts[call.database] else { return .noAccounts }
        return await accountCalls.pass(for: call.peer) {
            Answer(await service.answer(call.name, body: body, token: call.token, peer: call.peer))
        }
    }

    private func result(of request: Admitted, body: [UInt8]) async throws(SyncFailure) -> Answer {
        let service = request.service
        let user = request.caller.user
        let frames = frameLimits(for: request.call)
        switch request.call {
        case .session:
            let hello = try WireCodec.decode(Hello.self, body: body, limits: frames)
            return Answer(try await service.open(hello, user: user))
        case .upload:
            return try await uploads.pass(for: user) { () throws(SyncFailure) in
                let upload = try WireCodec.decode(UploadRequest.self, body: body, limits: frames)
                tenures.extend(upload.session, request)
                return Answer(try await service.upload(upload.session, user: user, upload.changesets))
            }
        case .ingest:
            return try await uploads.pass(for: user) { () throws(SyncFailure) in
                let batch = try WireCodec.decode(IngestBatch.self, body: body, limits: frames)
                return Answer(IngestAnswer(acknowledged: try await service.ingest(batch, user: user)))
            }
        case .credit:
            let credit = try WireCodec.decode(CreditRequest.self, body: body, limits: frames)
            tenures.extend(credit.session, request)
            await service.credit(credit.session, user: user, bytes: credit.bytes)
            return Answer(Accepted())
        case .resync:
            return try await uploads.pass(for: user) { () throws(SyncFailure) in
                let digests = try WireCodec.decode(ResyncRequest.self, body: body, limits: frames)
                tenures.extend(digests.session, request)
                try await service.digests(digests, user: user)
                return Answer(Accepted())
            }
        case .subscriptions:
            let subscriptions = try WireCodec.decode(SubscriptionsRequest.self, body: body, limits: frames)
            tenures.extend(subscriptions.session, request)
            try await service.want(subscriptions.session, user: user, subscriptions.wanted)
            return Answer(Accepted())
        case .mark:
            let mark = try WireCodec.decode(MarkRequest.self, body: body, limits: frames)
            tenures.extend(mark.session, request)
            try await service.mark(mark.session, user: user, id: mark.mark)
            return Answer(Accepted())
        case .download:
            preconditionFailure("A download has no one answer: its handler begins it.")
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
                """.utf8)))
}
