import CausewayEndpoint
import CausewayIdentity
import CausewayTelemetry
import CausewayWire
import Logging

/// Counts, logs and audits what happens at the endpoint for devices.
///
/// Names that come from outside become labels only where they are names of ours: a path is no way to make series.
struct EndpointTelemetry: EndpointObserver {
    private let telemetry: Telemetry
    private let databases: Set<String>
    private let accountCalls = Set(Accounts.callNames)
    private let connectionsRefused: CounterSeries
    private let loopLag: HistogramSeries
    /// By database and call, of what succeeds.
    private let answered: [Call: CounterSeries]
    private let sent: [String: CounterSeries]

    private struct Call: Hashable {
        var database: String
        var call: String
    }

    init(databases: [String], telemetry: Telemetry) {
        self.telemetry = telemetry
        self.databases = Set(databases)
        let registry = telemetry.registry
        connectionsRefused = registry.counter(MetricCatalog.connectionsRefused)
        loopLag = registry.histogram(MetricCatalog.loopLag)
        var answered: [Call: CounterSeries] = [:]
        for database in databases {
            for call in Endpoint.callNames {
                answered[Call(database: database, call: call)] = registry.counter(
                    MetricCatalog.requests, database, call, "ok")
            }
        }
        self.answered = answered
        sent = Dictionary(
            uniqueKeysWithValues: databases.map { ($0, registry.counter(MetricCatalog.downloadBytes, $0)) })
    }

    func observe(_ event: EndpointEvent) {
        switch event {
        case .connectionRefused: connectionsRefused.add()
        case .answered(let facts): note(facts)
        case .accountAnswered(let facts): note(facts)
        case .sent(let database, let bytes): sent[database]?.add(bytes)
        case .stalled(let facts):
            telemetry.registry.counter(MetricCatalog.downloadsStalled, label(facts.database)).add()
            telemetry.events.note(
                "a device does not read its download: its stream is closed", from: facts.address, metadata(facts))
        case .flooded(let address):
            telemetry.events.note(
                "a client floods its connection with frames that carry nothing: it is closed", from: address, [:])
        case .loopLag(let nanoseconds): loopLag.observe(nanoseconds: nanoseconds)
        }
    }

    private func label(_ database: String) -> String { databases.contains(database) ? database : "unknown" }

    // MARK: - Devices

    private func note(_ facts: RequestFacts) {
        guard let failure = facts.failure else {
            answered[Call(database: facts.database, call: facts.call)]?.add()
            return
        }
        let call = Endpoint.callNames.contains(facts.call) ? facts.call : "unknown"
        telemetry.registry.counter(MetricCatalog.requests, label(facts.database), call, failure.code.name).add()
        switch failure.code {
        case .tokenInvalid, .tokenExpired:
            telemetry.tokenRefused(
                failure.code.name, failure.message, of: facts.call, database: facts.database, from: facts.address)
        case .serverEnding:
            break
        default:
            // Messages may hold primary keys.
            telemetry.events.note("request refused", from: facts.address, metadata(facts))
        }
    }

    private func metadata(_ facts: RequestFacts) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["database": .text(facts.database), "call": .text(facts.call)]
        if let user = facts.user { metadata["user"] = .text(user) }
        if let failure = facts.failure { metadata["code"] = "\(failure.code.name)" }
        return metadata
    }

    // MARK: - Accounts

    private func note(_ facts: AccountFacts) {
        let call = accountCalls.contains(facts.call) ? facts.call : "unknown"
        let outcome = facts.code ?? "ok"
        let database = label(facts.database)
        telemetry.registry.counter(MetricCatalog.accountCalls, database, call, outcome).add()
        let isLogin = call == "login"
        if isLogin { telemetry.registry.counter(MetricCatalog.logins, database, outcome).add() }
        guard isLogin || facts.code != nil || Self.changes.contains(call) else { return }
        var metadata: Logger.Metadata = ["database": .text(facts.database), "call": "\(call)"]
        if let user = facts.user { metadata["user"] = .text(user) }
        if let code = facts.code { metadata["code"] = "\(code)" }
        let message =
            isLogin
            ? (facts.code == nil ? "logged in" : "log-in refused")
            : facts.code == nil ? "account changed" : "account call refused"
        telemetry.events.note(message, from: facts.address, metadata)
        telemetry.audit(
            AuditEvent(
                Self.kind(isLogin: isLogin, isRefused: facts.code != nil), database: facts.database, user: facts.user,
                address: facts.address, subject: call, code: facts.code))
    }

    private static func kind(isLogin: Bool, isRefused: Bool) -> AuditEvent.Kind {
        switch (isLogin, isRefused) {
        case (true, false): .loginSucceeded
        case (true, true): .loginRefused
        case (false, false): .accountChanged
        case (false, true): .accountRefused
        }
    }

    /// The calls that change an account.
    private static let changes: Set<String> = [
        "register", "confirm", "reset", "callReset", "link", "delete", "createKey", "enableKey", "disableKey",
        "deleteKey",
    ]
}
