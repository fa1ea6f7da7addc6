/// A limit was met: which one, by whom, and when to come again.
package struct LimitReached: Error, Hashable, Sendable {
    package var limit: Limit
    /// What the limit allows, in the unit of its name.
    package var value: Int
    /// Who has met it: an address, a user or a client; empty where the limit is the server's or the database's.
    package var subject: String
    /// From where; empty where nobody knows.
    package var address: String
    package var waitMilliseconds: UInt64

    package init(_ limit: Limit, value: Int, subject: String = "", address: String = "", waitMilliseconds: UInt64) {
        self.limit = limit
        self.value = value
        self.subject = subject
        self.address = address
        self.waitMilliseconds = waitMilliseconds
    }

    /// Whole seconds, for headers.
    package var waitSeconds: UInt64 { (waitMilliseconds + 999) / 1_000 }

    /// What the caller is told: cause, value and remedy. It names nobody.
    package var message: String {
        let (unit, period) = (limit.form?.unit ?? "", limit.period == .hour ? "an hour" : "a second")
        let whose =
            switch limit.scope {
            case .address: "this address"
            case .user: "this user"
            case .client: "this device"
            case .database: "all devices of this database together"
            case .server: "all callers together"
            }
        return "The server takes \(value) \(unit) \(period) of \(whose), and there were more "
            + "(limits.\(limit.rawValue)). Nothing is lost: come again in \(waitSeconds) seconds."
    }
}
