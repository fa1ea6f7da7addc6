import Testing

/// A suite that runs on every record there is: each test once on one in a file, and once on one that follows a journal.
struct EveryBackend: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var isReplicated = false

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        try await Self.$isReplicated.withValue(true) { try await function() }
    }
}

extension Trait where Self == EveryBackend {
    static var everyBackend: Self { Self() }
}
