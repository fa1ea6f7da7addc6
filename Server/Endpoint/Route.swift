import CausewayHTTP

/// What a request's method and path ask for.
enum Route: Hashable, Sendable {
    case health
    case readiness
    case call(Call, database: String)
    /// A call of the account endpoints, by its name.
    case account(String, database: String)

    enum Call: String, CaseIterable, Hashable, Sendable {
        case session
        case upload
        case download
        case credit
        case resync
        case subscriptions
        case mark
        case ingest

        /// Whether what comes is kept in the database.
        var writes: Bool { self == .upload || self == .ingest }
    }

    init?(method: String, path: String) {
        let path = path.prefix { $0 != "?" }
        switch (method, path) {
        case ("GET", "/healthz"): self = .health
        case ("GET", "/readyz"): self = .readiness
        default:
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard method == "POST", (4...5).contains(parts.count), parts[0].isEmpty, parts[1] == "v1",
                let database = PercentEncoding.decoded(parts[2]), !database.isEmpty
            else { return nil }
            if parts.count == 5 {
                guard parts[3] == "auth", !parts[4].isEmpty, parts[4].utf8.count <= 40 else { return nil }
                self = .account(String(parts[4]), database: database)
            } else {
                guard let call = Call(rawValue: String(parts[3])) else { return nil }
                self = .call(call, database: database)
            }
        }
    }
}
