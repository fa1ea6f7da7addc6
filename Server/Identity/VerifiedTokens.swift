import Crypto
import Foundation
import Synchronization

/// The tokens verified lately, by digest, so that a connection's second request costs no signature check. No token
/// is kept.
final class VerifiedTokens: Sendable {
    typealias Digest = SHA256Digest

    private struct State {
        var callers: [Digest: Caller] = [:]
    }

    /// Guarded by itself; held for a lookup or an insert, never while verifying.
    private let state = Mutex(State())
    private let countMax: Int

    init(countMax: Int) {
        self.countMax = countMax
    }

    static func digest(_ token: String) -> Digest {
        SHA256.hash(data: Data(token.utf8))
    }

    subscript(digest: Digest) -> Caller? {
        state.withLock { $0.callers[digest] }
    }

    func remember(_ caller: Caller, as digest: Digest, now: UInt64) {
        guard countMax > 0 else { return }
        state.withLock { state in
            if state.callers.count >= countMax {
                state.callers = state.callers.filter { $0.value.expires > now }
                // Still full of living tokens: forgetting all of them costs each one signature check.
                if state.callers.count >= countMax { state.callers.removeAll() }
            }
            state.callers[digest] = caller
        }
    }
}
