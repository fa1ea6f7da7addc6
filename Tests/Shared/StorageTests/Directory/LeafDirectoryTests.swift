import CausewaySeeds
import Testing

@testable import CausewayStorage

@Suite("Leaf directory")
struct LeafDirectoryTests {
    private static let seeds = SeedList.drawn(for: "leaf-directories", count: 60)

    @Test("agrees with a dictionary, uses exactly the pages it can reach, and is as low as can be", arguments: seeds)
    func agreesWithDictionary(seed: UInt64) throws {
        var model = try DirectoryModel(seed: seed)
        for step in 0..<25 {
            try model.commit()
            let problems = model.problems()
            #expect(problems.isEmpty, "seed \(seed), step \(step)")
            guard problems.isEmpty else { return }
        }
    }

    @Test("tells which leaves differ between any two states", arguments: seeds)
    func tellsChanges(seed: UInt64) throws {
        var model = try DirectoryModel(seed: seed)
        for _ in 0..<20 { try model.commit() }
        for _ in 0..<40 {
            let old = model.states[model.random.below(model.states.count)]
            let new = model.states[model.random.below(model.states.count)]
            let told = try LeafDirectory.changedLeaves(from: old.root, to: new.root, space: model.file.space)
            #expect(told == DirectoryModel.difference(old, new), "seed \(seed)")
        }
    }

    @Test("removing everything leaves nothing, whatever was there", arguments: seeds)
    func removesEverything(seed: UInt64) throws {
        var model = try DirectoryModel(seed: seed)
        for _ in 0..<6 { try model.commit() }
        try model.commit(Dictionary(uniqueKeysWithValues: model.newest.leaves.keys.map { ($0, false) }))
        #expect(model.newest.root == .none, "seed \(seed)")
        #expect(model.problems().isEmpty, "seed \(seed)")
    }

    @Test("the only leaf of the first place needs no node, and higher places need as many as they must")
    func heights() throws {
        let heights: [(UInt32, Int)] = [(0, 0), (1, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (.max, 5)]
        for (column, columnHeight) in heights {
            for (number, numberHeight) in heights {
                var model = try DirectoryModel(seed: 1)
                try model.commit([LeafPlace(column: column, number: number): true])
                let level = columnHeight > 0 ? columnHeight + 5 : numberHeight
                #expect(Int(model.newest.root.level) == level, "column \(column), number \(number)")
                #expect(model.problems().isEmpty, "column \(column), number \(number)")
            }
        }
    }

    @Test("a removal of what is not there writes nothing")
    func removesNothing() throws {
        var model = try DirectoryModel(seed: 1)
        try model.commit([LeafPlace(column: 300, number: 7): true, LeafPlace(column: 2, number: 700): true])
        let root = model.newest.root
        try model.commit([
            LeafPlace(column: 0, number: 0): false, LeafPlace(column: 2, number: 1): false,
            LeafPlace(column: 2, number: .max): false, LeafPlace(column: .max, number: 3): false,
        ])
        #expect(model.newest.root == root)
    }

    @Test("a commit writes each node it touches once")
    func writesNodesOnce() throws {
        let file = try MemoryFile()
        var root = PagePointer.none
        try file.commit { output in
            root = try makeDirectory(of: 40, columns: 20, output, in: file)
            // 20 columns of one node each, and the columns' own node.
            #expect(output.nodesWritten == 21)
        }
        try file.commit { output in
            var changes: [LeafDirectoryWriter.Change] = []
            for number in 0..<40 { changes.append((LeafPlace(column: 3, number: UInt32(number)), nil)) }
            changes.append((LeafPlace(column: 5, number: 0), try output.add(run: [1])))
            changes.append((LeafPlace(column: 5, number: 9), try output.add(run: [1])))
            root = try LeafDirectoryWriter(space: file.space, output: output).apply(changes, to: root)
            #expect(output.nodesWritten == 2)
            #expect(output.freed.count == 42 + 3)
        }
        #expect(root.leafCount == 19 * 40)
    }

    @Test("a walk stops where it is told to, and hands on what its body throws")
    func walksInPart() throws {
        struct Stop: Error {}
        let file = try MemoryFile()
        var root = PagePointer.none
        try file.commit { root = try makeDirectory(of: 40, columns: 20, $0, in: file) }
        let directory = LeafDirectory(space: file.space, root: root)
        var nodes = 0
        directory.walk { visit in
            guard case .node(let pointer, _) = visit else { return true }
            nodes += 1
            return pointer.page == root.page
        }
        #expect(nodes == 21)
        #expect(throws: Stop.self) { try directory.walk { _ throws(Stop) in throw Stop() } }
    }

    private func makeDirectory(
        of numbers: Int, columns: Int, _ output: MemoryOutput, in file: MemoryFile
    ) throws -> PagePointer {
        var changes: [LeafDirectoryWriter.Change] = []
        for column in 0..<columns {
            for number in 0..<numbers {
                let place = LeafPlace(column: UInt32(column), number: UInt32(number))
                changes.append((place, try output.add(run: [UInt8(column)])))
            }
        }
        return try LeafDirectoryWriter(space: file.space, output: output).apply(changes, to: .none)
    }
}
