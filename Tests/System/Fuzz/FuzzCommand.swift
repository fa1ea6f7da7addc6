#if !GUIDED
    import ArgumentParser
    import CausewayDecoderFuzzing
    import Foundation
    import Synchronization

    /// Gives decoders of outside bytes inputs that they do not expect, drawn from seeds.
    @main
    struct FuzzCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "causeway-fuzz")

        @Option(help: "How many inputs.") var count = 1_000_000
        @Option(help: "The seed of the first ten thousand; the next ones follow it.") var firstSeed: UInt64 = 1
        @Option(help: "Only this decoder.") var target: FuzzTarget?
        @Option(help: "How many run side by side.") var jobs = 2

        func validate() throws {
            guard count > 0, (1...64).contains(jobs) else {
                throw ValidationError("Take at least one input and one job.")
            }
        }

        func run() async throws {
            let start = ContinuousClock.now
            let targets = target.map { [$0] } ?? FuzzTarget.allCases
            let shared = Shared(firstSeed)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<jobs { group.addTask { try shared.work(count, targets) } }
                try await group.waitForAll()
            }
            let (tried, read) = (shared.tried.load(ordering: .relaxed), shared.read.load(ordering: .relaxed))
            print(
                "causeway-fuzz: \(tried) inputs from seed \(firstSeed) on for \(targets.count) decoders in "
                    + "\((ContinuousClock.now - start).components.seconds) s: \(read) were read, written and read again, "
                    + "\(tried - read) refused")
        }

        /// What the workers share.
        private final class Shared: Sendable {
            static let inputsPerSeed = 10_000
            let begun = Atomic(0)
            let tried = Atomic(0)
            let read = Atomic(0)
            let next: Atomic<UInt64>

            init(_ seed: UInt64) {
                next = Atomic(seed)
            }

            func work(_ count: Int, _ targets: [FuzzTarget]) throws {
                while begun.add(Self.inputsPerSeed, ordering: .relaxed).oldValue < count {
                    let seed = next.add(1, ordering: .relaxed).oldValue
                    var fuzzer = DecoderFuzzer(seed: seed, targets: targets)
                    do {
                        try fuzzer.run(count: Self.inputsPerSeed)
                    } catch {
                        print("seed \(seed)")
                        throw error
                    }
                    read.add(fuzzer.readCount, ordering: .relaxed)
                    tried.add(Self.inputsPerSeed, ordering: .relaxed)
                }
            }
        }
    }

    extension FuzzTarget: ExpressibleByArgument {}
#endif
