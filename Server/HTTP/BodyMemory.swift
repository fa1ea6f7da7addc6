import CausewayModel
import Synchronization

/// Counts the bytes of bodies that are kept: of requests until they are worked on, of answers until their clients have
/// read them.
package final class BodyMemory: Sendable {
    private struct State {
        var bytes = 0
        var ofOwner: ExactDictionary<Int> = [:]

        mutating func add(_ bytes: Int, of owner: String) {
            self.bytes += bytes
            ofOwner[owner] = ofOwner[owner, default: 0] + bytes
        }
    }

    private let state = Mutex(State())
    private let limitBytes: Int
    private let limitBytesOfOwner: Int

    package init(limitBytes: Int, limitBytesOfOwner: Int) {
        self.limitBytes = limitBytes
        self.limitBytesOfOwner = limitBytesOfOwner
    }

    package var heldBytes: Int { state.withLock { $0.bytes } }

    /// Whether less is kept than may be, of all owners and of this one.
    package func hasRoom(for owner: String) -> Bool {
        state.withLock { $0.bytes < limitBytes && $0.ofOwner[owner, default: 0] < limitBytesOfOwner }
    }

    /// Counts bytes that are about to be kept; false when there are too many already, of all owners or of this one.
    package func hold(_ bytes: Int, of owner: String) -> Bool {
        state.withLock { state in
            guard state.bytes + bytes <= limitBytes, state.ofOwner[owner, default: 0] + bytes <= limitBytesOfOwner
            else { return false }
            state.add(bytes, of: owner)
            return true
        }
    }

    /// Counts bytes that are kept in any case, also where that is too many.
    package func holdAnyway(_ bytes: Int, of owner: String) {
        state.withLock { $0.add(bytes, of: owner) }
    }

    package func release(_ bytes: Int, of owner: String) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.bytes -= bytes
            let left = state.ofOwner[owner, default: bytes] - bytes
            state.ofOwner[owner] = left > 0 ? left : nil
        }
    }
}
