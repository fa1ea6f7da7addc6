import CausewaySeeds
import Testing

@testable import CausewayStorage

@Suite("Damaged leaf directories")
struct DirectoryDamageTests {
    private static let seeds = SeedList.drawn(for: "damaged-directories", count: 30)
    private static let hostileSeeds = SeedList.drawn(for: "hostile-directories", count: 300)

    @Test("a damaged node hides its leaves, stops a writer, and is reported by a walk", arguments: seeds)
    func damagedNode(seed: UInt64) throws {
        var model = try DirectoryModel(seed: seed)
        while model.newest.leaves.count < 30 { try model.commit() }
        var nodes: [PagePointer] = []
        model.directory.walk { visit in
            if case .node(let pointer, _) = visit { nodes.append(pointer) }
            return true
        }
        let damaged = nodes[model.random.below(nodes.count)]
        let bytes = model.file.pages.page(damaged.page)
        let place = model.random.below(Pages.sizeBytes)
        let byte = bytes.load(fromByteOffset: place, as: UInt8.self)
        bytes.storeBytes(of: byte ^ 0x10, toByteOffset: place, as: UInt8.self)
        let space = try model.file.freshSpace()
        let directory = LeafDirectory(space: space, root: model.newest.root)
        var reported: [PagePointer] = []
        var missing = Set(model.newest.leaves.keys)
        directory.walk { visit in
            switch visit {
            case .unsound(let pointer, _): reported.append(pointer)
            case .leaf(let place, _): missing.remove(place)
            case .node: break
            }
            return true
        }
        #expect(reported == [damaged], "seed \(seed)")
        #expect(missing.count == Int(damaged.extent), "seed \(seed)")
        for place in model.newest.leaves.keys {
            let isFound = directory.leaf(column: place.column, number: place.number) != nil
            #expect(isFound != missing.contains(place), "seed \(seed), \(place)")
        }
        #expect(space.damage?.message.contains("Page \(damaged.page) ") == true, "seed \(seed)")
        let lost = try #require(missing.first)
        expectDamage("seed \(seed)") {
            _ = try LeafDirectory.changedLeaves(from: .none, to: model.newest.root, space: space)
        }
        file(model.file) { output in
            expectDamage("seed \(seed)") {
                _ = try LeafDirectoryWriter(space: space, output: output).apply([(lost, nil)], to: model.newest.root)
            }
        }
    }

    @Test("nodes with right checksums and any content never trap, and end", arguments: hostileSeeds)
    func hostileNodes(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let file = try MemoryFile(pageLimit: 4096)
        var pointers: [PagePointer] = [.none]
        try file.commit { output in
            pointers.append(try output.add(run: [1, 2, 3]))
            for _ in 0..<12 { pointers.append(try hostileNode(&random, pointers, output)) }
        }
        for root in pointers.suffix(6).map({ hostile(&random, $0) }) + pointers.suffix(3) {
            try use(root, &random, file)
        }
    }

    @Test("a directory that leads to the same node everywhere is refused before it takes forever")
    func everythingLeadsToOneNode() throws {
        let file = try MemoryFile(pageLimit: 4096)
        var root = PagePointer.none
        try file.commit { output in
            root = try output.add(run: [1])
            for level in 1...10 as ClosedRange<UInt8> {
                let page = output.makePage()
                // The last of five levels leads to 32 bits with 16 pointers.
                let slots = level == 5 || level == 10 ? 16 : 128
                for slot in 0..<slots { root.store(to: page + slot * PagePointer.byteCount) }
                let extent = UInt32(truncatingIfNeeded: slots * Int(root.leafCount))
                root = try output.finish(page, kind: .directory, level: level, extent: extent)
            }
        }
        var random = SeededNumbers(seed: 1)
        try use(root, &random, file)
    }

    // MARK: -

    private func hostileNode(
        _ random: inout SeededNumbers, _ pointers: [PagePointer], _ output: MemoryOutput
    ) throws -> PagePointer {
        let page = output.makePage()
        let level = UInt8(1 + random.below(11))
        var leaves: UInt32 = 0
        for _ in 0..<random.below(20) {
            let fitting = pointers.filter { $0.level + 1 == level }
            let choice = random.below(4) > 0 && !fitting.isEmpty ? fitting : pointers
            var child = choice[random.below(choice.count)]
            if random.below(12) == 0 { child = hostile(&random, child) }
            leaves &+= child.leafCount
            child.store(to: page + random.below(random.below(2) == 0 ? 4 : 128) * PagePointer.byteCount)
        }
        if random.below(3) == 0 { leaves = UInt32(truncatingIfNeeded: random.next()) }
        return try output.finish(page, kind: .directory, level: level, extent: leaves)
    }

    private func hostile(_ random: inout SeededNumbers, _ pointer: PagePointer) -> PagePointer {
        var changed = pointer
        switch random.below(4) {
        case 0: changed.level = UInt8(truncatingIfNeeded: random.next())
        case 1: changed.extent = UInt32(truncatingIfNeeded: random.next())
        case 2: changed.page = UInt32(truncatingIfNeeded: random.next())
        default: changed.level = UInt8(random.below(12))
        }
        return changed
    }

    private func use(_ root: PagePointer, _ random: inout SeededNumbers, _ memory: MemoryFile) throws {
        let directory = LeafDirectory(space: memory.space, root: root)
        var visits = 0
        directory.walk { _ in
            visits += 1
            return true
        }
        #expect(visits <= 3 * Int(memory.space.pageLimit))
        for _ in 0..<20 {
            let place = LeafPlace(
                column: UInt32(random.below(200)),
                number: UInt32(truncatingIfNeeded: random.next() >> UInt64(random.below(64))))
            _ = directory.leaf(column: place.column, number: place.number)
        }
        _ = try? LeafDirectory.changedLeaves(from: .none, to: root, space: memory.space)
        file(memory) { output in
            let writer = LeafDirectoryWriter(space: memory.space, output: output)
            let places = Set(
                (0..<4).map { _ in
                    LeafPlace(column: UInt32(random.below(5)), number: UInt32(random.below(300)))
                })
            let changes = places.sorted().map { place in
                (place: place, run: random.below(2) == 0 ? nil : try? output.add(run: [1]))
            }
            _ = try? writer.apply(changes, to: root)
        }
    }

    /// A commit that is undone.
    private func file(_ file: MemoryFile, _ body: (MemoryOutput) -> Void) {
        file.transaction += 1
        file.freeSpace.begin(transaction: file.transaction, protected: [file.transaction - 1])
        body(MemoryOutput(file))
        file.freeSpace.abort()
    }

    private func expectDamage(_ comment: Comment, _ body: () throws -> Void) {
        let error = #expect(throws: StorageError.self, comment) { try body() }
        #expect(error?.code == .damaged, comment)
    }
}
