package import CausewayWire

/// Told what happens at an endpoint. Called on the threads of connections: must be quick and must not block.
package protocol EndpointObserver: Sendable {
    func observe(_ event: EndpointEvent)
}

package struct NoEndpointObserver: EndpointObserver {
    package init() {}
    package func observe(_ event: EndpointEvent) {}
}

package enum EndpointEvent: Hashable, Sendable {
    /// A connection was closed at once, because there were too many.
    case connectionRefused(address: String)
    /// A request of a device was answered. A download is answered when it begins, and again if it fails.
    case answered(RequestFacts)
    /// A call of accounts was answered.
    case accountAnswered(AccountFacts)
    /// Bytes of a download were handed to its connection.
    case sent(database: String, bytes: Int)
    /// A device did not read its download, which ends.
    case stalled(RequestFacts)
    /// A client has sent more frames without content than it may; its connection ends.
    case flooded(address: String)
    /// An event loop ran a timer so late.
    case loopLag(nanoseconds: UInt64)
}

package struct RequestFacts: Hashable, Sendable {
    /// The last part of the path; empty where it is no call.
    package var call = ""
    /// As the path names it; there may be none of this name.
    package var database = ""
    package var address: String
    /// Nil where no good token was shown.
    package var user: String?
    /// Nil where nothing failed.
    package var failure: SyncFailure?
}

package struct AccountFacts: Hashable, Sendable {
    package var call: String
    package var database: String
    package var address: String
    package var status: Int
    /// The name of the error; nil where nothing failed.
    package var code: String?
    /// The user that calls, or has logged in.
    package var user: String?
}
