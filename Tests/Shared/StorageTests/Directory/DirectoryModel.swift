import CausewaySeeds
@testable import CausewayStorage

/// A directory beside a dictionary, with every state kept and every page accounted for.
struct DirectoryModel {
    struct State {
        var root = PagePointer.none
        var leaves: [LeafPlace: PagePointer] = [:]
    }

    let file: MemoryFile
    private(set) var states: [State] = [State()]
    private var transactions: [UInt64] = [1]
    /// First pages of what the newest state consists of, kept from what was added and freed.
    private var live: Set<UInt32> = []
    var random: SeededNumbers
    /// The next number to be written as a leaf.
    private var content = 0

    init(seed: UInt64) throws {
        random = SeededNumbers(seed: seed)
        file = try MemoryFile()
    }

    var newest: State { states[states.count - 1] }
    var directory: LeafDirectory { LeafDirectory(space: file.space, root: newest.root) }

    /// Indexes around every change of height, and many small ones.
    mutating func index() -> UInt32 {
        let edges: [UInt32] = [0, 1, 127, 128, 129, 16_383, 16_384, 1 << 21, 1 << 28, .max]
        switch random.below(4) {
        case 0: return edges[random.below(edges.count)]
        case 1: return UInt32(random.below(300))
        default: return UInt32(random.below(4))
        }
    }

    /// One commit of puts and removals.
    mutating func commit() throws {
        var changes: [LeafPlace: Bool] = [:]
        let removesMuch = random.below(6) == 0
        for _ in 0..<random.below(12) {
            changes[LeafPlace(column: index(), number: index())] = random.below(4) != 0 && !removesMuch
        }
        for place in newest.leaves.keys.sorted() where random.below(removesMuch ? 2 : 12) == 0 {
            changes[place] = random.below(3) == 0
        }
        try commit(changes)
    }

    /// - Parameter changes: true writes a leaf, false removes it.
    mutating func commit(_ changes: [LeafPlace: Bool]) throws {
        var state = newest
        try file.commit(protected: transactions) { output in
            var sorted: [LeafDirectoryWriter.Change] = []
            for (place, isPut) in changes.sorted(by: { $0.key < $1.key }) {
                content += 1
                let bytes = withUnsafeBytes(of: content) { Array($0) }
                let run = isPut ? try output.add(run: bytes) : nil
                state.leaves[place] = run
                sorted.append((place, run))
            }
            state.root = try LeafDirectoryWriter(space: file.space, output: output).apply(sorted, to: state.root)
            note(output)
        }
        states.append(state)
        transactions.append(file.transaction)
    }

    private mutating func note(_ output: MemoryOutput) {
        live.formUnion(output.added.map(\.page))
        live.subtract(output.freed.map(\.page))
    }

    // MARK: - Checks

    /// Says what is wrong with the newest state.
    mutating func problems() -> [String] {
        var problems: [String] = []
        let state = newest
        var reachable: Set<UInt32> = []
        var visited: [LeafPlace] = []
        directory.walk { visit in
            switch visit {
            case .node(let pointer, _): if !reachable.insert(pointer.page).inserted { problems.append("a node twice") }
            case .leaf(let place, let run):
                visited.append(place)
                reachable.insert(run.page)
                if state.leaves[place] != run { problems.append("\(place) leads to another run") }
            case .unsound(let pointer, let first): problems.append("\(pointer) at \(first) is unsound")
            }
            return true
        }
        if visited != state.leaves.keys.sorted() { problems.append("the walk visited \(visited)") }
        if reachable != live {
            problems.append("lost \(live.subtracting(reachable)), freed \(reachable.subtracting(live))")
        }
        if state.root.leafCount != UInt32(state.leaves.count) { problems.append("counts \(state.root.leafCount)") }
        for place in visited + (0..<20).map({ _ in LeafPlace(column: index(), number: index()) })
        where directory.pointer(column: place.column, number: place.number) != state.leaves[place] {
            problems.append("\(place) is not found, or should not be")
        }
        if shape(state.root) != builtShape() { problems.append("a builder makes another directory") }
        return problems
    }

    /// Nodes by level, extent and where they begin.
    private func shape(_ root: PagePointer) -> [[UInt32]] {
        var shape: [[UInt32]] = []
        LeafDirectory(space: file.space, root: root).walk { visit in
            if case .node(let pointer, let first) = visit {
                shape.append([UInt32(pointer.level), pointer.extent, first.column, first.number])
            }
            return true
        }
        return shape
    }

    /// The shape that a builder gives the same leaves. Undone afterwards.
    private func builtShape() -> [[UInt32]] {
        file.transaction += 1
        file.freeSpace.begin(transaction: file.transaction, protected: transactions)
        defer { file.freeSpace.abort() }
        var builder = LeafDirectoryBuilder(output: MemoryOutput(file))
        do {
            for (place, run) in newest.leaves.sorted(by: { $0.key < $1.key }) { try builder.append(place, run) }
            return shape(try builder.finish())
        } catch {
            return []
        }
    }

    /// Places whose runs differ, compared one by one.
    static func difference(_ old: State, _ new: State) -> [LeafPlace] {
        Set(old.leaves.keys).union(new.leaves.keys).filter { old.leaves[$0] != new.leaves[$0] }.sorted()
    }
}
