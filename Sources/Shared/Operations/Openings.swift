/// Which openings of a device's file made which of its changesets. This tells a file that was copied, or restored from
/// a backup, from the one that went on in its place.
///
/// An *opening* of a file for writing draws an id at random, and is entered with the first changeset that it makes. The
/// server notes the ids as changesets come. Two files that were one have the same openings up to the copy, and
/// different ones after it. One-way entries have numbers of their own, and so a list of their own.
///
///     file    ──opening a──▶ 4 ──opening b──▶ 7            copied at 5 and opened as c:
///     copy    ──opening a──▶ 4 ──opening b──▶ 5 ──opening c──▶ 9        6 and 7 of the copy are not those of the server
package struct Openings: Hashable, Sendable {
    package struct Run: Hashable, Sendable {
        package var id: UInt64
        /// The first changeset of the run.
        package var first: UInt64

        package init(id: UInt64, first: UInt64) {
            self.id = id
            self.first = first
        }
    }

    /// In order. The opening of changesets before the first run, or in a run with id zero, is unknown.
    package private(set) var runs: [Run] = []

    /// The most runs that a server remembers of a client; it drops the oldest first. A device's state holds as many.
    /// Its file holds the older ones that its logs still need.
    package static let countMax = 16
    /// A message with more is refused.
    package static let countTold = 1_000

    package init() {}

    /// - Returns: nil if the runs are not in order.
    package init?(_ runs: [Run]) {
        guard zip(runs, runs.dropFirst()).allSatisfy({ $0.first < $1.first }) else { return nil }
        self.runs = runs
    }

    package var isEmpty: Bool { runs.isEmpty }

    /// The opening that made a changeset; nil if unknown.
    package func id(of sequence: UInt64) -> UInt64? {
        runs.last { $0.first <= sequence }.flatMap { $0.id == 0 ? nil : $0.id }
    }

    /// Whether another opening made any of these changesets, or may have made it because it is not remembered any more.
    /// Changesets from before openings were noted are no other's.
    package func mayIncludeOther(than id: UInt64, in numbers: ClosedRange<UInt64>) -> Bool {
        guard id != 0, let oldest = runs.first else { return false }
        if runs.count == Self.countMax, numbers.lowerBound < oldest.first { return true }
        return runs.indices.contains { index in
            let isOther = runs[index].id != 0 && runs[index].id != id
            return isOther && runs[index].first <= numbers.upperBound && last(of: index) >= numbers.lowerBound
        }
    }

    /// Notes that the changesets from `sequence` on are of this opening.
    ///
    /// - Returns: the runs that are not remembered any more, the oldest first.
    @discardableResult
    package mutating func note(_ id: UInt64, from sequence: UInt64) -> [Run] {
        guard runs.last?.id != id else { return [] }
        // A run that made nothing is forgotten.
        if runs.last?.first == sequence { runs.removeLast() }
        if runs.last?.id != id { runs.append(Run(id: id, first: sequence)) }
        defer { runs.removeFirst(max(runs.count - Self.countMax, 0)) }
        return Array(runs.dropLast(Self.countMax))
    }

    /// Forgets the runs older than the one that made a changeset.
    package mutating func forget(before sequence: UInt64) {
        let count = runs.indices.prefix { $0 + 1 < runs.count && runs[$0 + 1].first <= sequence }.count
        runs.removeFirst(count)
    }

    /// Lowers the numbers of the changesets by `passed`; those up to `passed` are not counted any more.
    package mutating func lower(by passed: UInt64) {
        var lowered: [Run] = []
        for run in runs {
            let first = run.first > passed ? run.first - passed : 1
            if lowered.last?.first == first { lowered.removeLast() }
            lowered.append(Run(id: run.id, first: first))
        }
        runs = lowered
    }

    /// The last changeset of a run; the last run has no end.
    private func last(of index: Int) -> UInt64 { index + 1 < runs.count ? runs[index + 1].first - 1 : .max }

    /// The last changeset that a file shares with what the server has of its client; nil if the file can go on as this
    /// client.
    ///
    /// - Parameters:
    ///   - committed: the last changeset that the server has.
    ///   - acknowledged: the last one that the file knows to be there.
    ///   - logged: the last one of the file.
    package func agreement(
        with server: Openings, committed: UInt64, acknowledged: UInt64, logged: UInt64
    ) -> UInt64? {
        // A server that was restored from an older copy is refilled first.
        guard committed >= acknowledged else { return nil }
        if committed <= logged {
            guard let ours = id(of: committed), let theirs = server.id(of: committed), ours != theirs else {
                return nil
            }
        }
        return max(acknowledged, min(committed, logged, lastShared(with: server)))
    }

    /// The last changeset that both certainly have. What an opening made is in one past only, with everything before
    /// it. So the newest opening that both know decides, even if the server has forgotten which changesets it made.
    private func lastShared(with server: Openings) -> UInt64 {
        for (index, run) in runs.enumerated().reversed() where run.id != 0 {
            for (other, theirs) in server.runs.enumerated().reversed() where theirs.id == run.id {
                let end = min(last(of: index), server.last(of: other))
                if end >= run.first, theirs.first <= end { return end }
                if let oldest = server.runs.first, last(of: index) < oldest.first { return last(of: index) }
            }
        }
        return 0
    }
}

extension Openings {
    package func encode(into writer: inout ByteWriter) {
        writer.write(varint: UInt64(runs.count))
        for run in runs {
            writer.write(fixed64: run.id)
            writer.write(varint: run.first)
        }
    }

    package init(from reader: inout ByteReader) throws(EncodingError) {
        var runs: [Run] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 9)) {
            runs.append(Run(id: try reader.readFixed64(), first: try reader.readVarint()))
        }
        guard let openings = Openings(runs) else { throw reader.malformed("openings that are not in order") }
        self = openings
    }
}
