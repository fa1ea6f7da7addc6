/// Which openings of a device's file made which of its changesets: what tells a file that was copied, or restored from a
/// backup, from the one that went on in its place.
///
/// An *opening* of a file for writing draws an id at random, and is entered with the first changeset that it makes. The
/// server notes the ids as changesets come. Two files that were one have the same openings up to the copy, and others
/// behind it. One-way entries have numbers of their own, and so a list of their own.
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

    /// In order. What was made before the first of them, or under the id zero, is of an opening that nobody knows.
    package private(set) var runs: [Run] = []

    /// So many are remembered; the oldest go first.
    package static let countMax = 16

    package init() {}

    /// - Returns: nil for runs that are not in order.
    package init?(_ runs: [Run]) {
        guard runs.count <= Self.countMax, zip(runs, runs.dropFirst()).allSatisfy({ $0.first < $1.first }) else {
            return nil
        }
        self.runs = runs
    }

    package var isEmpty: Bool { runs.isEmpty }

    /// The opening that made a changeset; nil when nobody knows.
    package func id(of sequence: UInt64) -> UInt64? {
        runs.last { $0.first <= sequence }.flatMap { $0.id == 0 ? nil : $0.id }
    }

    /// Whether another opening made any of these. What nobody knows the maker of is nobody else's.
    package func includeOther(than id: UInt64, in numbers: ClosedRange<UInt64>) -> Bool {
        guard id != 0 else { return false }
        return runs.indices.contains { index in
            let next = index + 1 < runs.count ? runs[index + 1].first : .max
            return ![0, id].contains(runs[index].id) && runs[index].first <= numbers.upperBound
                && next > numbers.lowerBound
        }
    }

    /// From a changeset on they are of this opening.
    package mutating func note(_ id: UInt64, from sequence: UInt64) {
        guard runs.last?.id != id else { return }
        // One that made nothing is forgotten.
        if runs.last?.first == sequence { runs.removeLast() }
        if runs.last?.id != id { runs.append(Run(id: id, first: sequence)) }
        if runs.count > Self.countMax { runs.removeFirst() }
    }

    /// Forgets what is older than the opening that made a changeset.
    package mutating func forget(before sequence: UInt64) {
        let count = runs.indices.prefix { $0 + 1 < runs.count && runs[$0 + 1].first <= sequence }.count
        runs.removeFirst(count)
    }

    private func last(behind sequence: UInt64) -> UInt64 {
        runs.first { $0.first > sequence }.map { $0.first - 1 } ?? .max
    }

    /// Up to which changeset a file shares its past with what the server has of its client; nil when it goes on from there.
    ///
    /// - Parameters:
    ///   - committed: the last changeset that the server has.
    ///   - acknowledged: the last one that the file knows to be there.
    ///   - logged: the last one of the file.
    package func agreement(
        with server: Openings, committed: UInt64, acknowledged: UInt64, logged: UInt64
    ) -> UInt64? {
        // A server that was restored from an older copy is filled again first.
        guard committed >= acknowledged else { return nil }
        if committed <= logged {
            guard let ours = id(of: committed), let theirs = server.id(of: committed), ours != theirs else {
                return nil
            }
        }
        var agreed = acknowledged
        let end = min(committed, logged)
        while agreed < end, let ours = id(of: agreed + 1), ours == server.id(of: agreed + 1) {
            agreed = min(end, last(behind: agreed + 1), server.last(behind: agreed + 1))
        }
        return agreed
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
