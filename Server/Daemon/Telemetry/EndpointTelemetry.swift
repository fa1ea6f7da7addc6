import CausewayEndpoint
import CausewayIdentity
import CausewayTelemetry
import CausewayWire
import Logging

/// Counts, logs and audits what happens at the endpoint for devices.
///
/// Names that come from outside become labels only where they are names of ours: a path is no way to make series.
final class EndpointTelemetry: EndpointObserver {
    private let telemetry: Telemetry
    private let databases: DatabaseSeries<Series>
    private let accountCalls = Set(Accounts.callNames)
    private let connectionsRefused: CounterSeries
    private let loopLag: HistogramSeries

    /// What is counted often of a database, looked up once.
    private struct Series: Sendable {
        /// By call, of what succeeds.
        let answered: [String: CounterSeries]
        let sent: CounterSeries

        init(_ registry: MetricRegistry, _ database: String) {
            answered = Dictionary(
                uniqueKeysWithValues: Endpoint.callNames.map {
                    ($0, registry.counter(MetricCatalog.requests, database, $0, "ok"))
                })
            sent = registry.counter(MetricCatalog.downloadBytes, database)
        }
    }

    init(databases: [String], telemetry: Telemetry) {
        self.telemetry = telemetry
        let registry = telemetry.registry
        connectionsRefused = registry.counter(MetricCatalog.connectionsRefused)
        loopLag = registry.histogram(MetricCatalog.loopLag)
        self.databases = DatabaseSeries(of: databases, in: registry, Series.init)
    }

    func watch(_ database: String) { databases.watch(database) }

    func forget(_ database: String) { databases.forget(database) }

    func observe(_ event: EndpointEvent) {
        switch event {
        case .connectionRefused: connectionsRefused.add()
        case .answered(let facts): note(facts)
        case .accountAnswered(let facts): note(facts)
        case .sent(let database, let bytes): databases[database]?.sent.add(bytes)
        case .stalled(let facts):
            telemetry.registry.counter(MetricCatalog.downloadsStalled, databases.label(facts.database)).add()
            telemetry.events.note(
                "a device does not read its download: its stream is closed", from: facts.address, metadata(facts))
        case .flooded(let address):
            telemetry.events.note(
                "a client floods its connection with frames that carry nothing: it is closed", from: address, [:])
        case .loopLag(let nanoseconds): loopLag.observe(nanoseconds: nanoseconds)
        }
    }

    // MARK: - Devices

    private func note(_ facts: RequestFacts) {
        guard let failure = facts.failure else {
            databases[facts.database]?.answered[facts.call]?.add()
            return
        }
        let call = Endpoint.callNames.contains(facts.call) ? facts.call : "unknown"
        telemetry.registry.counter(MetricCatalog.requests, databases.label(facts.database), call, failure.code.name)
            .add()
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
        let database = databases.label(facts.database)
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
