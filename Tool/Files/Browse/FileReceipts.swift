import Synchronization

/// What became of changes that bear an `Idempotency-Key`, for as long as the file is browsed: one that is sent again, because its answer
/// did not come, takes effect once.
final class FileReceipts: Sendable {
    private struct State {
        var keys: [String: [UInt8]] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// The oldest one is forgotten beyond these.
    static let countMax = 1_000
    static let keyBytesMax = 128

    /// The key of the object that a change has made.
    subscript(key: String) -> [UInt8]? { state.withLock { $0.keys[key] } }

    func keep(_ made: [UInt8], for key: String) {
        state.withLock { state in
            guard state.keys.updateValue(made, forKey: key) == nil else { return }
            state.order.append(key)
            if state.order.count > Self.countMax { state.keys[state.order.removeFirst()] = nil }
        }
    }
}
