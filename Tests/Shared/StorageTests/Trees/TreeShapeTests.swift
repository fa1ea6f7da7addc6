import CausewaySeeds
import Testing

@testable import CausewayStorage

/// How full pages are, and how many are touched.
struct TreeShapeTests {
    private static let seeds = SeedList.drawn(for: "tree-shapes", count: 3)

    private func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }

    private func leafCount(_ root: PagePointer, _ pages: MemoryPages) -> Int {
        var count = 0
        TreeReader(space: pages.space, root: root).walk { visit in
            if case .node(let pointer, _) = visit, pointer.level == 0 { count += 1 }
            return true
        }
        return count
    }

    @Test("entries appended behind everything leave full pages", arguments: [1, 7, 100], [UInt32(5), .max])
    func appending(batch: Int, tree: UInt32) throws {
        let pages = try MemoryPages()
        var (root, model) = (PagePointer.none, TreeModel())
        // Another tree behind it must not matter.
        var first = TreeChanges()
        if tree < .max { for number in 0..<10 { first.put(tree + 1, key(number), key(number)) } }
        root = try first.apply(to: root, &model, in: pages)
        let total = batch == 1 ? 1000 : 5000
        for start in stride(from: 0, to: total, by: batch) {
            var changes = TreeChanges()
            for number in start..<start + batch { changes.put(tree, key(number), key(number)) }
            root = try changes.apply(to: root, &model, in: pages)
        }
        pages.check(root, "batch \(batch)")
        let perPage = TreeNode.capacity / TreeField.entryCost(bodyCount: 20)
        #expect(leafCount(root, pages) <= model.entries.count / perPage + 3)
    }

    @Test("one change makes one page for each level and frees as many")
    func smallCommit() throws {
        let pages = try MemoryPages()
        var (root, model) = (PagePointer.none, TreeModel())
        var changes = TreeChanges()
        for number in 0..<20_000 { changes.put(1, key(number * 2), key(number)) }
        root = try changes.apply(to: root, &model, in: pages)
        for number in [0, 1, 19_999, 20_000, 39_998] {
            // The first may divide a full page, or find that its page is not full enough.
            for value in UInt8(0)...1 {
                var change = TreeChanges()
                change.put(1, key(number), [value])
                let before = root
                root = try change.apply(to: root, &model, in: pages)
                let height = Int(before.level) + 1
                #expect(pages.freed <= 2 * height && pages.made <= 2 * height + 1, "\(number)")
                if value == 1 { #expect(pages.freed == height && pages.made == height, "\(number)") }
                pages.check(root, "\(number)")
            }
        }
        let before = root
        var nothing = TreeChanges()
        nothing.remove(1, key(3))
        nothing.remove(9, [])
        nothing.put(1, key(4), key(2))
        root = try nothing.apply(to: root, &model, in: pages)
        #expect(root == before && pages.made == 0)
    }

    @Test("deleting most entries gives most pages back, and all of them everything", arguments: seeds)
    func deleting(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let pages = try MemoryPages()
        var (root, model) = (PagePointer.none, TreeModel())
        var changes = TreeChanges()
        for number in 0..<20_000 { changes.put(1, key(number), key(number)) }
        root = try changes.apply(to: root, &model, in: pages)
        let full = leafCount(root, pages)
        var removals = TreeChanges()
        for number in 0..<20_000 where random.number(0...9) > 0 { removals.remove(1, key(number)) }
        root = try removals.apply(to: root, &model, in: pages)
        pages.check(root, "seed \(seed)")
        #expect(leafCount(root, pages) < full / 5, "seed \(seed)")
        // One after the other, too.
        for key in model.entries.keys.sorted().dropLast(3) {
            var removal = TreeChanges()
            removal.remove(1, key.bytes)
            root = try removal.apply(to: root, &model, in: pages)
        }
        pages.check(root, "seed \(seed)")
        #expect(root.level == 0 && root.extent == 3, "seed \(seed)")
    }

    @Test("entries inserted in the middle divide a page evenly")
    func dividing() throws {
        let pages = try MemoryPages()
        var (root, model) = (PagePointer.none, TreeModel())
        var changes = TreeChanges()
        for number in 0..<120 { changes.put(1, key(number * 2), key(number)) }
        root = try changes.apply(to: root, &model, in: pages)
        var more = TreeChanges()
        for number in 20..<40 { more.put(1, key(number * 2 + 1), key(number)) }
        root = try more.apply(to: root, &model, in: pages)
        var counts: [UInt32] = []
        TreeReader(space: pages.space, root: root).walk { visit in
            if case .node(let pointer, _) = visit, pointer.level == 0 { counts.append(pointer.extent) }
            return true
        }
        #expect(counts.reduce(0, +) == 140 && counts.allSatisfy { $0 > 20 }, "\(counts)")
    }

    @Test("a copy holds the same entries in full pages", arguments: seeds)
    func copying(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let pages = try MemoryPages()
        var (root, model) = (PagePointer.none, TreeModel())
        for _ in 0..<40 {
            var changes = TreeChanges()
            for _ in 0..<50 {
                let length = [8, 16, 1500][random.number(0...20) / 10]
                let value = random.bytes([0, 8, 1200][random.number(0...2)])
                changes.put(UInt32(random.number(0...3)), random.bytes(length), value)
            }
            root = try changes.apply(to: root, &model, in: pages)
        }
        let target = try MemoryPages()
        target.begin()
        let builder = TreeBuilder(output: target)
        try builder.append(contentsOf: TreeReader(space: pages.space, root: root))
        let copy = try builder.finish()
        target.check(copy, "seed \(seed)")
        let reader = TreeReader(space: target.space, root: copy)
        for tree in UInt32(0)...3 {
            #expect(reader.entries(tree).elementsEqual(model.sorted(tree), by: ==), "seed \(seed), tree \(tree)")
        }
        var all = 0
        reader.scanAll { tree, key, value in
            all += 1
            return model.entries[.init(tree: tree, bytes: Array(key))] == Array(value)
        }
        #expect(all == model.entries.count, "seed \(seed)")
        #expect(leafCount(copy, target) < leafCount(root, pages), "seed \(seed)")
        let empty = TreeBuilder(output: target)
        #expect(try empty.finish().isNone)
    }

    @Test("keys and values of the largest sizes, and their runs")
    func largest() throws {
        let pages = try MemoryPages()
        var (root, model) = (PagePointer.none, TreeModel())
        let huge = [UInt8](repeating: 3, count: 1 << 20)
        var changes = TreeChanges()
        changes.put(1, huge, huge)
        changes.put(1, huge.dropLast() + [4], [])
        for number in UInt8(0)..<20 { changes.put(1, huge.dropLast(1000) + [4, number], [number]) }
        root = try changes.apply(to: root, &model, in: pages)
        pages.check(root, "made")
        #expect(TreeReader(space: pages.space, root: root).entries(1).elementsEqual(model.sorted(1), by: ==))
        for key in model.entries.keys.shuffled() {
            var removal = TreeChanges()
            removal.remove(1, key.bytes)
            root = try removal.apply(to: root, &model, in: pages)
            pages.check(root, "removing")
        }
        #expect(root.isNone && pages.live.isEmpty)
    }
}
