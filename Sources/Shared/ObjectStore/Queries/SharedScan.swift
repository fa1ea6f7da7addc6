import Dispatch
import Synchronization

/// A scan of a whole table on two threads: the caller's begins at the first leaf, a helper's at the last, and they end
/// where they meet.
///
/// The caller never waits. When all leaves are taken, it also reads those that the helper is still reading, and the
/// first of the two delivers them. A helper that never ran costs nothing but the request.
package final class SharedScan<Found: Sendable>: Sendable {
    /// Adds the results of some leaves. The caller's reader notes damage where it reads; the helper's throws it.
    package typealias Reader = (Range<Int>, inout Found) -> Void
    package typealias ThrowingReader = (Range<Int>, inout Found) throws(StoreError) -> Void

    private struct State {
        /// The leaves that nobody has taken.
        var open: Range<Int>
        /// The leaves that the helper reads now.
        var helpersLeaves: Range<Int>?
        /// What the helper found, the last leaves first.
        var pieces: [Found] = []
        var failure: StoreError?

        mutating func takeFirst(_ most: Int) -> Range<Int>? {
            if open.isEmpty { return nil }
            let taken = open.prefix(most)
            open = taken.upperBound..<open.upperBound
            return taken
        }

        mutating func takeLast(_ most: Int) -> Range<Int>? {
            if open.isEmpty { return nil }
            let taken = open.suffix(most)
            open = open.lowerBound..<taken.lowerBound
            helpersLeaves = taken
            return taken
        }
    }

    /// What was found, in pieces of ascending leaves.
    package struct Outcome {
        package let pieces: [Found]
        /// The error that the helper met; nil for none.
        package let failure: StoreError?
        /// Whether the helper may still be reading leaves that nobody waits for.
        package let isHelperAtWork: Bool
    }

    private let state: Mutex<State>
    private let empty: Found
    /// The leaves that a side takes at a time: enough to be worth the lock, and few enough that both end together.
    private let leavesAtOnce: Int

    private init(leafCount: Int, startingWith empty: Found) {
        self.empty = empty
        leavesAtOnce = min(max(leafCount / 16, 1), 16)
        state = Mutex(State(open: 0..<leafCount))
    }

    /// - Parameter helper: makes the helper's reader, on its thread.
    package static func run(
        leafCount: Int, startingWith empty: Found, on this: Reader,
        helper: @escaping @Sendable () -> ThrowingReader
    ) -> Outcome {
        let scan = SharedScan(leafCount: leafCount, startingWith: empty)
        DispatchQueue.global(qos: .userInitiated).async { scan.assist(helper) }
        var found = empty
        while let leaves = scan.state.withLock({ $0.takeFirst(scan.leavesAtOnce) }) { this(leaves, &found) }
        return scan.settle(after: found, this)
    }

    private func settle(after found: Found, _ this: Reader) -> Outcome {
        var last: [Found] = []
        if let leaves = state.withLock({ $0.helpersLeaves }) {
            var piece = empty
            for number in leaves where state.withLock({ $0.helpersLeaves }) != nil {
                this(number..<number + 1, &piece)
            }
            last = [piece]
        }
        return state.withLock { state in
            // A helper that was first delivered that piece itself.
            let isHelperAtWork = state.helpersLeaves != nil
            return Outcome(
                pieces: [found] + (isHelperAtWork ? last : []) + state.pieces.reversed(), failure: state.failure,
                isHelperAtWork: isHelperAtWork)
        }
    }

    private func assist(_ helper: () -> ThrowingReader) {
        var known: ThrowingReader?
        while let leaves = state.withLock({ $0.takeLast(leavesAtOnce) }) {
            let read = known ?? helper()
            known = read
            var found = empty
            var failure: StoreError?
            do { try read(leaves, &found) } catch { failure = error }
            state.withLock { state in
                state.pieces.append(found)
                state.failure = state.failure ?? failure
                state.helpersLeaves = nil
            }
        }
    }
}
