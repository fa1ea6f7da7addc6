import Foundation

/// The seeds that a run of one check takes: so many in a row, from another place each time.
///
/// `CAUSEWAY_<CHECK>_SEED` names the first instead, and `CAUSEWAY_<CHECK>_COUNT` says how many; `CAUSEWAY_SEED_TIMES=20` has
/// all checks try twenty times as many as they usually do.
package struct DrawnSeeds: Sendable {
    package let first: UInt64
    package let count: Int
    /// Whether first and count are named: then nothing else is tried, and so one seed can be looked at alone.
    package let isAlone: Bool
    /// What makes the same run again.
    package let command: String

    /// - Parameters:
    ///   - check: the name of the variables and of the list of seeds that failed once, such as `long-keys`.
    ///   - suite: the suite that takes these seeds, or the file that is named as it is.
    package init(
        _ check: String, count: Int, environment: [String: String] = ProcessInfo.processInfo.environment,
        suite: String = #fileID
    ) {
        let prefix = "CAUSEWAY_" + check.uppercased().split(separator: "-").joined(separator: "_")
        let named = environment[prefix + "_SEED"].flatMap { UInt64($0) }
        let counted = environment[prefix + "_COUNT"].flatMap { Int($0) }.map { max(1, $0) }
        first = named ?? SeedList.drawn()
        let times = environment["CAUSEWAY_SEED_TIMES"].flatMap { Int($0) }.map { max(1, $0) } ?? 1
        self.count = counted ?? count * times
        isAlone = named != nil && counted != nil
        let name = suite.split(separator: "/").last?.prefix { $0 != "." } ?? ""
        let words =
            ["\(prefix)_SEED=\(first)"] + (counted == nil && times == 1 ? [] : ["\(prefix)_COUNT=\(self.count)"])
        command = "\(words.joined(separator: " ")) deploy/test --filter \(name)"
    }

    /// The seeds themselves.
    package var row: [UInt64] { (0..<UInt64(count)).map { first &+ $0 } }

    package func tell() { SeedList.tell(command) }
}

extension SeedList {
    /// Says how to make a run again. It goes to the other end at once, so that a trap or a hang leaves it behind.
    package static func tell(_ command: String) {
        FileHandle.standardOutput.write(Data("again: \(command)\n".utf8))
    }

    /// The seeds of a check: those of its list that failed once, and then so many that are drawn. The command that makes
    /// the run again is said before any of them is tried.
    ///
    /// All cases of a run share them where they are a constant of the suite:
    ///
    ///     private static let seeds = SeedList.drawn(for: "convergence", count: 300)
    package static func drawn(for check: String, count: Int, suite: String = #fileID) -> [UInt64] {
        let seeds = DrawnSeeds(check, count: count, suite: suite)
        seeds.tell()
        return (seeds.isAlone ? [] : failedOnce(check)) + seeds.row
    }

    /// The seeds of a list of numbers; none where nothing ever failed and there is no list.
    package static func failedOnce(_ check: String) -> [UInt64] {
        guard FileManager.default.fileExists(atPath: path(of: check)) else { return [] }
        do {
            return try SeedList(check).numbers()
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

extension [UInt64] {
    /// One of so many parts, from 0, with some of every stretch: for cases of a test that share the work.
    package func part(_ number: Int, of parts: Int) -> [UInt64] {
        stride(from: number, to: count, by: parts).map { self[$0] }
    }
}
