import CausewayModel
import Synchronization

/// Bounds how many requests are worked on at a time, of one user and of all. One too many is refused, and does not wait:
/// a back end decides for itself what to do meanwhile.
final class RequestPlaces: Sendable {
    private struct State {
        var count = 0
        var ofUser: [ExactString: Int] = [:]
    }

    private let state = Mutex(State())
    private let countMax: Int
    private let countMaxOfUser: Int

    init(countMax: Int, countMaxOfUser: Int) {
        self.countMax = countMax
        self.countMaxOfUser = countMaxOfUser
    }

    /// - Throws: `serverBusy` or `tooManyRequests`, without running the body.
    func hold<Result>(
        for user: ExactString, _ body: () async throws(APIError) -> Result
    ) async throws(APIError) -> Result {
        try enter(user)
        defer { leave(user) }
        return try await body()
    }

    private func enter(_ user: ExactString) throws(APIError) {
        let (count, ofUser) = state.withLock { state in
            let found = (state.count, state.ofUser[user, default: 0])
            if found.0 < countMax, found.1 < countMaxOfUser {
                state.count += 1
                state.ofUser[user, default: 0] += 1
            }
            return found
        }
        guard ofUser < countMaxOfUser else {
            throw APIError(
                .tooManyRequests,
                "\(countMaxOfUser) requests of this user are worked on, and no more are at a time. Wait for one of them."
            )
        }
        guard count < countMax else {
            throw APIError(
                .serverBusy, "\(countMax) requests are worked on, and no more are at a time. Try again later.")
        }
    }

    private func leave(_ user: ExactString) {
        state.withLock { state in
            state.count -= 1
            let left = state.ofUser[user, default: 1] - 1
            state.ofUser[user] = left > 0 ? left : nil
        }
    }
}
