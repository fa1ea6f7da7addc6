import CausewaySync
import CausewayWire

/// One attempt of a device at a session: what its calls and its stream belong to. Once it is closed nothing of it
/// reaches the device any more, though what the device had sent may still arrive.
final class Connection {
    private(set) var isOpen = true

    func close() { isOpen = false }
}

/// A request on its way and its answer, each as bytes. It ends once: by the answer, by a failure or by the clock.
final class Exchange {
    /// What a server says to a request: a message, or why not.
    struct Answer {
        var isRefusal: Bool
        var bytes: [UInt8]

        init(_ message: some WireMessage) {
            isRefusal = false
            bytes = WireCodec.encode(message)
        }

        init(refusal: SyncFailure) {
            isRefusal = true
            bytes = WireCodec.encode(refusal)
        }
    }

    /// In the order they were begun.
    let number: UInt64
    private let connection: Connection
    private var whenOver: ((Result<Answer, TransportFailure>) throws -> Void)?

    init(
        _ number: UInt64, over connection: Connection,
        _ whenOver: @escaping (Result<Answer, TransportFailure>) throws -> Void
    ) {
        self.number = number
        self.connection = connection
        self.whenOver = whenOver
    }

    func end(_ result: Result<Answer, TransportFailure>) throws {
        let tell = whenOver
        whenOver = nil
        if connection.isOpen { try tell?(result) }
    }
}

/// What a device asks its server for, by the path of the request.
enum Route: Hashable {
    case session, upload, subscriptions, mark, credit, resync, ingest
}
