// The forms with a callback are the ones that suspend, run in a task of their own. Callbacks come on a thread of the
// library.

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
