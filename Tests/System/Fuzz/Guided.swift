// A build with `--sanitize fuzzer -Xswiftc -DGUIDED` is a program of libFuzzer, which has the entry and the options: it
// keeps inputs that reach code no other did, and changes those. `deploy/test --fuzz` says how it is called.

#if GUIDED
    import CausewayDecoderFuzzing
    import Foundation

    /// The only decoder to try, if one is named.
    private let only = ProcessInfo.processInfo.environment["CAUSEWAY_FUZZ_TARGET"].flatMap(FuzzTarget.init)

    /// Otherwise the first byte of an input names it.
    @c(LLVMFuzzerTestOneInput)
    public func tryInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: bytes, count: count))
        guard let first = input.first else { return 0 }
        let target = only ?? FuzzTarget.allCases[Int(first) % FuzzTarget.allCases.count]
        do {
            _ = try target.check(Array(input.dropFirst()))
        } catch {
            // What libFuzzer takes for a finding: it keeps the input.
            fatalError("\(error)")
        }
        return 0
    }

    /// Writes valid inputs to begin with into a folder, if one is named.
    @c(LLVMFuzzerInitialize)
    public func beginFuzzing(
        _ count: UnsafeMutablePointer<Int32>?,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
    ) -> Int32 {
        guard let folder = ProcessInfo.processInfo.environment["CAUSEWAY_FUZZ_BEGINNINGS"] else { return 0 }
        for (number, target) in FuzzTarget.allCases.enumerated() {
            for seed in 1...40 as ClosedRange<UInt64> {
                let input = [UInt8(number)] + DecoderFuzzer.seed(seed, for: target)
                try? Data(input).write(to: URL(filePath: "\(folder)/\(target.rawValue)-\(seed)"))
            }
        }
        return 0
    }
#endif
