/// What a reload has done, part by part.
struct ReloadReport: Hashable, Sendable {
    struct Line: Hashable, Sendable {
        /// `certificate`, `databases.flights`, `limits.sessions`.
        var part: String
        var outcome: Outcome
        /// Why it is refused, or what it waits for.
        var reason: String?
    }

    enum Outcome: String, CaseIterable, Sendable {
        /// It counts from now on.
        case applied
        /// There was nothing new.
        case unchanged
        /// It stays as it was, for what was read has a problem.
        case refused
        /// It counts from the next start.
        case waits
    }

    private(set) var lines: [Line] = []

    mutating func note(_ part: String, _ outcome: Outcome, _ reason: String? = nil) {
        lines.append(Line(part: part, outcome: outcome, reason: reason))
    }

    /// What became of a part; nil where there was nothing to say.
    subscript(part: String) -> Line? { lines.first { $0.part == part } }

    /// In a line: what is not `unchanged`.
    var words: String {
        lines.filter { $0.outcome != .unchanged }.map { "\($0.part) \($0.outcome.rawValue)" }.joined(separator: ", ")
    }

    var isRefused: Bool { lines.contains { $0.outcome == .refused } }
}
