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
    }

    init?(method: String, path: String) {
        let path = path.prefix { $0 != "?" }
        switch (method, path) {
        case ("GET", "/healthz"): self = .health
        case ("GET", "/readyz"): self = .readiness
        default:
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard method == "POST", (4...5).contains(parts.count), parts[0].isEmpty, parts[1] == "v1",
                let database = Self.unescaped(parts[2]), !database.isEmpty
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

    /// Decodes percent escapes; nil when one is malformed, or the result is not UTF-8.
    private static func unescaped(_ segment: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = segment.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
