import Synchronization

/// The connections of this process to its servers: one for all who call a server on the same terms, and more of them
/// only where one cannot take another call.
final class SharedConnections: Sendable {
    static let ofProcess = SharedConnections()

    private let open = Mutex<[ConnectionTerms: [SharedConnection]]>([:])

    /// A connection with a place taken for the call; `end` gives it back.
    ///
    /// - Parameter known: where the caller's calls went until now.
    func begin(
        _ call: ConnectionUse.Call, on terms: ConnectionTerms, preferring known: SharedConnection?
    ) -> SharedConnection {
        if let known, known.begin(call) { return known }
        return open.withLock { open in
            if let free = open[terms]?.first(where: { $0.begin(call) }) { return free }
            let made = SharedConnection(terms, streamsMax: open[terms]?.last?.streamsMax) { [weak self] in
                self?.forget($0, terms)
            }
            let isTaken = made.begin(call)
            precondition(isTaken, "A new connection has a place for any call.")
            open[terms, default: []].append(made)
            return made
        }
    }

    /// A caller has waited for this server in vain: all connections to it are in doubt.
    func doubt(_ terms: ConnectionTerms) {
        for connection in open.withLock({ $0[terms] ?? [] }) { connection.doubt() }
    }

    private func forget(_ connection: SharedConnection, _ terms: ConnectionTerms) {
        open.withLock { open in
            open[terms]?.removeAll { $0 === connection }
            if open[terms]?.isEmpty == true { open[terms] = nil }
        }
    }
}
