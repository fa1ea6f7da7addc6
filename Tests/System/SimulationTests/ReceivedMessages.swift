import CausewayWire
import Synchronization

@testable import CausewaySimulation

/// What one device was sent, for tests that wait until something of it is there.
final class ReceivedMessages: Sendable {
    private let messages = Mutex<[DownloadMessage]>([])

    var all: [DownloadMessage] { messages.withLock { $0 } }

    func append(_ message: DownloadMessage) {
        messages.withLock { $0.append(message) }
    }

    /// Two minutes at most, which only a starved machine needs.
    func until(_ isWanted: (DownloadMessage) -> Bool) async throws {
        for _ in 0..<24_000 {
            if all.contains(where: isWanted) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Divergence("the message does not come")
    }
}
