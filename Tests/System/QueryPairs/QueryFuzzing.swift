import ArgumentParser
import CausewayQueryFuzzing
import Foundation
import Synchronization

/// Tries texts on the parser until there were enough of them, a seed for every ten thousand.
struct QueryFuzzing {
    private static let textsPerSeed = 10_000
    private static let textsPerLine = 1_000_000

    let count: Int
    let firstSeed: UInt64
    let jobs: Int

    /// Ends with the first text for which the parser's promise does not hold.
    func run() async throws {
        let shared = Shared(firstSeed)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { try work(shared) } }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start).components.seconds
        let (tried, read) = (shared.tried.load(ordering: .relaxed), shared.read.load(ordering: .relaxed))
        print(
            "causeway-queries: \(tried) texts from seed \(firstSeed) on in \(seconds) s: \(read) were read, printed and "
                + "read again, \(tried - read) refused at a place in the text")
    }

    private func work(_ shared: Shared) throws {
        while shared.begun.add(Self.textsPerSeed, ordering: .relaxed).oldValue < count {
            let seed = shared.next.add(1, ordering: .relaxed).oldValue
            var fuzzer = QueryFuzzer(seed: seed)
            do {
                try fuzzer.run(count: Self.textsPerSeed)
            } catch {
                print("causeway-queries: FAILED: \(error)\n    again: deploy/test --fuzz-queries 1 --seed \(seed)")
                throw ExitCode.failure
            }
            shared.read.add(fuzzer.readCount, ordering: .relaxed)
            let tried = shared.tried.add(Self.textsPerSeed, ordering: .relaxed).newValue
            if tried.isMultiple(of: Self.textsPerLine) {
                FileHandle.standardError.write(Data("\(tried) of \(count) texts\n".utf8))
            }
        }
    }

    /// What the workers share.
    private final class Shared: Sendable {
        let begun = Atomic(0)
        let tried = Atomic(0)
        let read = Atomic(0)
        let next: Atomic<UInt64>

        init(_ seed: UInt64) {
            next = Atomic(seed)
        }
    }
}
