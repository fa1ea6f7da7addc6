// The forms with a callback run the async forms in a task of their own. Callbacks come on a thread of Swift's
// concurrency pool.

func deliver<Value: Sendable>(
    to completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ body: @escaping @Sendable () async throws -> Value
) {
    Task {
        do {
            completion(.success(try await body()))
        } catch {
            completion(.failure(error))
        }
    }
}

func report(
    to completion: (@Sendable ((any Error)?) -> Void)?, _ body: @escaping @Sendable () async throws -> Void
) {
    Task {
        do {
            try await body()
            completion?(nil)
        } catch {
            completion?(error)
        }
    }
}
