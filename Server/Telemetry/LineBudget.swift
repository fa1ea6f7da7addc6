/// How many lines each kind of event and each address may fill, so that a flood of requests is not a flood of lines.
///
/// What does not fit is counted, and a summary tells how many there were. A value without a clock: callers say what time
/// it is.
///
/// Invariants:
/// 1. Of one kind and address no more than `linesOfSource` pass in a window; of one kind no more than `linesOfKind`.
/// 2. What passes and what summaries count are together all events.
package struct LineBudget: Sendable {
    /// Lines of one kind and address in a window.
    package static let linesOfSource = 10
    /// Lines of one kind in a window, whatever their addresses are: a botnet has many.
    package static let linesOfKind = 100
    package static let windowMilliseconds: UInt64 = 60_000
    /// Sources that are told apart; the others share one count.
    package static let sourcesMax = 4_096

    private var sources: [Source: Count] = [:]
    private var kinds: [String: Int] = [:]
    private var windowEnd: UInt64 = 0

    private struct Source: Hashable {
        var kind: String
        var address: String
    }

    private struct Count {
        var passed = 0
        var suppressed = 0
    }

    /// What was left out of one kind.
    package struct Summary: Hashable, Sendable {
        package let kind: String
        /// Empty for those whose addresses were not told apart.
        package let address: String
        package let suppressed: Int
    }

    package init() {}

    /// Whether an event may fill a line.
    package mutating func admits(_ kind: String, from address: String) -> Bool {
        var source = Source(kind: kind, address: address)
        if sources[source] == nil, sources.count >= Self.sourcesMax { source.address = "" }
        let ofKind = kinds[kind, default: 0]
        var count = sources[source] ?? Count()
        let isAdmitted = count.passed < Self.linesOfSource && ofKind < Self.linesOfKind
        if isAdmitted {
            count.passed += 1
            kinds[kind] = ofKind + 1
        } else {
            count.suppressed += 1
        }
        sources[source] = count
        return isAdmitted
    }

    /// What was left out in the window that has ended; nil when none has.
    ///
    /// - Parameter milliseconds: now, by a clock that does not go back.
    /// - Returns: the sources with the most first, at most `summariesMax` of each kind; the rest of a kind in one.
    package mutating func ended(at milliseconds: UInt64) -> [Summary]? {
        guard milliseconds >= windowEnd else { return nil }
        return end(at: milliseconds)
    }

    /// Ends the window, whether or not its time is over.
    package mutating func end(at milliseconds: UInt64) -> [Summary] {
        defer {
            (sources, kinds) = ([:], [:])
            windowEnd = milliseconds + Self.windowMilliseconds
        }
        let left = sources.filter { $0.value.suppressed > 0 }
        var summaries: [Summary] = []
        for (kind, ofKind) in Dictionary(grouping: left, by: \.key.kind).sorted(by: { $0.key < $1.key }) {
            let sorted = ofKind.sorted {
                ($1.value.suppressed, $0.key.address) < ($0.value.suppressed, $1.key.address)
            }
            for (source, count) in sorted.prefix(Self.summariesMax) {
                summaries.append(Summary(kind: kind, address: source.address, suppressed: count.suppressed))
            }
            let rest = sorted.dropFirst(Self.summariesMax).reduce(0) { $0 + $1.value.suppressed }
            if rest > 0 { summaries.append(Summary(kind: kind, address: "", suppressed: rest)) }
        }
        return summaries
    }

    package static let summariesMax = 10
}
