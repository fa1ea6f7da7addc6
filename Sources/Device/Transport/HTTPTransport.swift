import AsyncHTTPClient
package import CausewaySync
import Synchronization

/// Calls a server over HTTP/2 and TLS.
///
/// All calls of a session share one connection, and so do the sessions of all Realms whose server is the same: HTTP/2
/// carries them side by side, and the socket sends small frames at once (NIO sets TCP_NODELAY on every client socket).
package final class HTTPTransport: Transport {
    package let address: ServerAddress
    /// The headers of every request, asked for each time.
    let headers: @Sendable () -> Headers
    private let terms: ConnectionTerms
    /// The connection of the download, which other calls prefer.
    private let connection = Mutex<SharedConnection?>(nil)
    private let carried = Mutex(Traffic())
    /// The bytes of the requests that have no answer yet.
    private let bytesUnderWay = Mutex(0)

    package struct Headers: Sendable {
        /// The header that carries `Bearer` and the token.
        package var authorization: String
        /// Further headers, for proxies that want them.
        package var extra: [(name: String, value: String)]

        package init(authorization: String = "authorization", extra: [(name: String, value: String)] = []) {
            self.authorization = authorization
            self.extra = extra
        }
    }

    /// Throws when the trusted authorities cannot be read.
    package init(
        _ address: ServerAddress, headers: @escaping @Sendable () -> Headers = { Headers() }
    ) throws(TransportFailure) {
        self.address = address
        self.headers = headers
        terms = try ConnectionTerms(address)
    }

    /// Makes a call on a shared connection, and holds a place on it until the call is over.
    func onConnection<Outcome>(
        _ call: ConnectionUse.Call = .short, _ body: (HTTPClient) async throws(TransportFailure) -> Outcome
    ) async throws(TransportFailure) -> Outcome {
        let known = connection.withLock { $0 }
        let present = SharedConnections.ofProcess.begin(call, on: terms, preferring: known)
        defer { present.end(call) }
        if call == .download || known == nil { connection.withLock { $0 = present } }
        return try await body(present.client)
    }

    package var traffic: Traffic { carried.withLock { $0 } }

    func count(sent: Int = 0, received: Int = 0) {
        carried.withLock { carried in
            carried.bytesSent += UInt64(sent)
            carried.bytesReceived += UInt64(received)
        }
    }

    /// Notes that a body is sent. Returns how many bytes are under way with it.
    func begin(body bytes: Int) -> Int {
        bytesUnderWay.withLock { underWay in
            underWay += bytes
            return underWay
        }
    }

    func end(body bytes: Int) {
        bytesUnderWay.withLock { $0 -= bytes }
    }

    package func disconnect(inDoubt: Bool) {
        // Cancelled calls have reset their streams already, and the connection is not ours alone.
        if inDoubt { SharedConnections.ofProcess.doubt(terms) }
    }
}
