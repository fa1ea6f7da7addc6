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

/// A callback of two values, of which one is nil, as one of a result.
func inTwo<Value>(
    _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void
) -> @Sendable (Result<Value, any Error>) -> Void {
    { result in
        switch result {
        case .success(let value): completion(value, nil)
        case .failure(let error): completion(nil, error)
        }
    }
}
