import NIOCore
import Synchronization

/// The connections that are open, up to a number.
final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: any Channel]>([:])
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { open.withLock { $0.count } }
    var all: [any Channel] { open.withLock { Array($0.values) } }

    /// Counts the connection until it closes; false when there are too many.
    func admit(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isAdmitted = open.withLock { open in
            guard open.count < limit else { return false }
            open[id] = channel
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { [self] _ in _ = open.withLock { $0.removeValue(forKey: id) } }
        }
        return isAdmitted
    }
}
