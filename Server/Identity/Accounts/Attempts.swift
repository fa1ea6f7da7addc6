import CausewayModel

/// Counts failures, and makes callers wait who fail too often. In memory: a restart forgets them.
struct Attempts {
    private struct Failures {
        var count: Int
        var since: UInt64
    }

    private var failures: [Key: Failures] = [:]
    private let max: Int
    private let anonymousMax: Int
    private let windowMilliseconds: UInt64

    /// Outsiders fill the table, so it has a bound.
    private static let entriesMax = 50_000

    init(max: Int, anonymousMax: Int, windowMilliseconds: UInt64) {
        self.max = max
        self.anonymousMax = anonymousMax
        self.windowMilliseconds = windowMilliseconds
    }

    /// What is attempted.
    enum Subject {
        /// A login as the user of a name. A machine that fails at one name waits. So does a machine that tries many
        /// names, and a name that many machines try.
        case name(ExactString)
        /// A kind of call that names nobody, or must not be made without end. Counted by machine alone.
        case kind(Kind)
    }

    enum Kind {
        case anonymous
        case key
        case function
        case register
        case message
        case messageToken
    }

    /// What is counted together.
    private enum Key: Hashable {
        case pair(name: ExactString, peer: ExactString)
        case name(ExactString)
        case peer(ExactString)
        case kind(Kind, peer: ExactString)
    }

    private func keys(_ subject: Subject, _ peer: String) -> [(key: Key, max: Int)] {
        let peer = ExactString(peer)
        switch subject {
        case .name(let name):
            return [(.pair(name: name, peer: peer), max), (.name(name), 10 * max), (.peer(peer), 10 * max)]
        case .kind(let kind):
            return [(.kind(kind, peer: peer), kind == .anonymous ? anonymousMax : 10 * max)]
        }
    }

    /// Counts an attempt before its outcome is known, so that concurrent attempts count each other.
    ///
    /// - Throws: When there were too many; this one is not counted then.
    mutating func begin(_ subject: Subject, from peer: String, at now: UInt64) throws(AccountError) {
        try check(subject, from: peer, at: now)
        for (key, _) in keys(subject, peer) {
            if let known = failures[key] {
                failures[key] = Failures(count: known.count + 1, since: known.since)
            } else {
                makeRoom(now)
                failures[key] = Failures(count: 1, since: now)
            }
        }
    }

    /// Takes an attempt back that did not fail.
    mutating func withdraw(_ subject: Subject, from peer: String) {
        for (key, _) in keys(subject, peer) {
            guard let known = failures[key] else { continue }
            failures[key] = known.count > 1 ? Failures(count: known.count - 1, since: known.since) : nil
        }
    }

    /// Throws when there were too many attempts, and drops expired counts of the subject.
    private mutating func check(_ subject: Subject, from peer: String, at now: UInt64) throws(AccountError) {
        for (key, max) in keys(subject, peer) {
            guard let known = failures[key] else { continue }
            if isOver(known, now) {
                failures[key] = nil
            } else if known.count >= max {
                let seconds = (known.since + windowMilliseconds - min(now, known.since + windowMilliseconds)) / 1_000
                throw AccountError(
                    .tooManyAttempts, "There were too many failed attempts. Try again in \(seconds + 1) seconds.",
                    retryAfterSeconds: seconds + 1)
            }
        }
    }

    /// A login succeeded: the count of the name with this caller starts anew. The counts of the caller and of the name
    /// go on.
    mutating func succeeded(_ name: ExactString, from peer: String) {
        failures[.pair(name: name, peer: ExactString(peer))] = nil
    }

    private func isOver(_ known: Failures, _ now: UInt64) -> Bool {
        now >= known.since && now - known.since >= windowMilliseconds
    }

    private mutating func makeRoom(_ now: UInt64) {
        guard failures.count >= Self.entriesMax else { return }
        failures = failures.filter { !isOver($0.value, now) }
        // Still full: those who failed least are forgotten first, so that a flood of names does not free a caller.
        guard failures.count >= Self.entriesMax else { return }
        for entry in failures.sorted(by: { $0.value.count < $1.value.count }).prefix(Self.entriesMax / 10) {
            failures[entry.key] = nil
        }
    }
}
