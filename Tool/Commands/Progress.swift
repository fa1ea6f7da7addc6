import Foundation

/// Tells on standard error how far a command is, if a person sees it there.
final class Progress {
    /// How many things are counted before the clock is read.
    private static let countPerLook = 1_000
    private static let secondsPerTelling = 0.5

    private let words: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private var told = Date()
    private var hasTold = false

    private init(_ words: String) {
        self.words = words
    }

    /// Does work that tells how far it is.
    static func of<Result>(_ words: String, _ work: ((Int) -> Void) throws -> Result) rethrows -> Result {
        let progress = Progress(words)
        defer { progress.end() }
        return try work(progress.tell)
    }

    private func tell(_ count: Int) {
        guard isShown, count % Self.countPerLook == 0, -told.timeIntervalSinceNow >= Self.secondsPerTelling else {
            return
        }
        told = Date()
        hasTold = true
        FileHandle.standardError.write(Data("\r\(count) \(words)".utf8))
    }

    /// Leaves the line to what is written next.
    private func end() {
        if hasTold { FileHandle.standardError.write(Data("\n".utf8)) }
    }
}
