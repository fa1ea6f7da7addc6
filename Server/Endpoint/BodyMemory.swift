import CausewayModel
import Synchronization

/// Counts the bytes of request bodies that have arrived and are kept.
final class BodyMemory: Sendable {
    private struct State {
        var bytes = 0
        var ofOwner: ExactDictionary<Int> = [:]
    }

    private let state = Mutex(State())
    private let limitBytes: Int
    private let limitBytesOfOwner: Int

    init(limitBytes: Int, limitBytesOfOwner: Int) {
        self.limitBytes = limitBytes
        self.limitBytesOfOwner = limitBytesOfOwner
    }

    /// Counts bytes that are about to be kept; false when there are too many already, of all owners or of this one.
    func hold(_ bytes: Int, of owner: String) -> Bool {
        state.withLock { state in
            let ofOwner = state.ofOwner[owner, default: 0] + bytes
            guard state.bytes + bytes <= limitBytes, ofOwner <= limitBytesOfOwner else { return false }
            state.bytes += bytes
            state.ofOwner[owner] = ofOwner
            return true
        }
    }

    func release(_ bytes: Int, of owner: String) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.bytes -= bytes
            let left = state.ofOwner[owner, default: bytes] - bytes
            state.ofOwner[owner] = left > 0 ? left : nil
        }
    }
}
