import CausewayMeasuring
import CausewayMerge
import CausewayModel
import CausewayOperations
import Foundation

/// A paper as it was really typed, 259,778 edits, replayed into a text and merged.
struct MergeBenchmarks {
    static let group = "merge"

    private let patches: [Paper.Patch]
    private let expected: String?

    init(_ paper: Paper) {
        patches = paper.patches
        expected = paper.end
    }

    func run(_ report: ([Row]) -> Void) throws {
        let runs = expected == nil ? 1 : 5
        var text = TextState()
        let replay = measure(runs: runs, operations: 1) { text = self.replay(1, patches[...]).text }
        if let expected, text.string != expected { throw WrongText(description: "the replayed paper is another one") }
        report([
            .less(
                Self.group, "\(patches.count) edits of a paper into a text, by index", "ms", ours: replay.median / 1e6,
                most: 100, under: .hot(replay))
        ])

        let operations = self.replay(1, patches[...]).operations
        var joined = TextState()
        let remote = measure(runs: runs, operations: 1) {
            joined = TextState()
            for operation in operations { joined.join(operation) }
        }
        guard joined == text else { throw WrongText(description: "the joined paper is another one") }
        var runsOnly: [TextOperation] = []
        for operation in operations { runsOnly.appendRun(operation) }
        let (encoded, string) = (text.encodedRuns(), text.string)
        let memory = try bytesInMemory(ofEachOf: 100) { try TextState(runs: encoded, text: string) }
        report([
            .less(Self.group, "the same, as operations by id", "ms", ours: remote.median / 1e6, under: .hot(remote)),
            .less(
                Self.group, "the same on the wire, a run an operation", "bytes/edit",
                ours: Double(Self.bytes(runsOnly)) / Double(patches.count)),
            .less(
                Self.group, "each edit an operation of its own, in one batch", "bytes/edit",
                ours: Double(Self.bytes(operations)) / Double(operations.count), most: 30),
            .less(
                Self.group, "the runs beside the text", "bytes/character",
                ours: Double(encoded.count) / Double(max(1, text.count))),
            .less(
                Self.group, "the text and its runs in memory", "bytes/character",
                ours: memory / Double(max(1, text.count))),
        ])
        try measureBranches(runs, report)
    }

    /// Half of the paper is common; then one goes on as it was, and the other types the same from the front again.
    private func measureBranches(_ runs: Int, _ report: ([Row]) -> Void) throws {
        let half = patches.count / 2
        let common = replay(1, patches[..<half])
        let left = replay(2, patches[half...], onto: common.text)
        let right = replay(3, patches[..<half], onto: common.text)
        var merged = TextState()
        let time = measure(runs: runs, operations: 1) {
            merged = left.text
            for operation in right.operations { merged.join(operation) }
        }
        var other = right.text
        for operation in left.operations { other.join(operation) }
        guard merged == other else { throw WrongText(description: "two branches merge to different texts") }
        report([
            .less(
                Self.group, "two branches of \(half) edits each, merged", "ms", ours: time.median / 1e6,
                under: .hot(time))
        ])
    }

    private func replay(
        _ client: UInt64, _ patches: ArraySlice<Paper.Patch>, onto start: TextState = TextState()
    ) -> (text: TextState, operations: [TextOperation]) {
        var text = start
        var operations: [TextOperation] = []
        operations.reserveCapacity(patches.count)
        var counter: UInt64 = 1
        for patch in patches {
            let place = min(patch.place, text.count)
            let deleted = min(patch.deleted, text.count - place)
            if deleted > 0 { operations += text.remove(place..<place + deleted) }
            let id = ElementID(client: ClientID(client), counter: counter)
            guard let operation = text.insert(patch.text, at: place, id: id) else { continue }
            counter += UInt64(patch.text.unicodeScalars.count)
            operations.append(operation)
        }
        return (text, operations)
    }

    private static func bytes(_ operations: [TextOperation]) -> Int {
        let paper = ObjectReference("Paper", .int(1))
        return Changeset.encode([
            Changeset(
                client: ClientID(1), sequence: 1, stamp: Stamp(time: 1, client: ClientID(1)), base: .zero,
                operations: operations.map { .text(paper, property: "body", $0) })
        ]).count
    }
}
