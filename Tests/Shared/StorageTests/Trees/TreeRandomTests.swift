import CausewaySeeds
import Testing

@testable import CausewayStorage

/// Random commits, compared with a dictionary.
struct TreeRandomTests {
    private static let seeds = SeedList.drawn(for: "trees", count: 4)

    /// How keys and values of one run look.
    enum Shape: CaseIterable, Sendable {
        case small, dense, mixed, long, sharedBeginnings

        func key(_ random: inout SeededNumbers) -> [UInt8] {
            switch self {
            case .small: return random.bytes(random.number(0...3))
            case .dense: return [0, 0, UInt8(random.number(0...7)), UInt8(random.number(0...255))]
            case .mixed:
                let count = [0, 8, 16, 40, 300, 999, 1000, 1001, 2000][random.number(0...8)]
                return [UInt8(random.number(0...30))] + [UInt8](repeating: UInt8(random.number(0...30)), count: count)
            case .long:
                return [UInt8](repeating: 7, count: random.number(900...5000)) + random.bytes(random.number(0...2))
            case .sharedBeginnings:
                let text = Array("a common beginning".utf8)
                return Array(text.prefix(random.number(0...18))) + [UInt8(random.number(0...3))]
                    + [UInt8](repeating: 0, count: random.number(0...6))
            }
        }

        func value(_ random: inout SeededNumbers) -> [UInt8] {
            switch self {
            case .small, .dense: random.bytes(random.number(0...10))
            case .mixed, .long: random.bytes([0, 8, 100, 999, 1000, 1001, 5000][random.number(0...6)])
            case .sharedBeginnings: random.bytes(random.number(0...300))
            }
        }
    }

    @Test("trees hold what a dictionary holds", arguments: Shape.allCases, seeds)
    func agreesWithDictionary(shape: Shape, seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let pages = try MemoryPages()
        let trees: [UInt32] = [0, 1, 2, 255, 256, .max - 1, .max]
        var root = PagePointer.none
        var model = TreeModel()
        for commit in 0..<30 {
            let hint = "\(shape), seed \(seed), commit \(commit)"
            var changes = TreeChanges()
            // Phases of growing and of shrinking, in commits of all sizes.
            let isGrowing = commit % 10 < 6
            let known = model.entries.keys.sorted()
            for _ in 0..<[1, 2, 10, 100, 600][random.number(0...4)] {
                let tree = trees[random.number(0...trees.count - 1)]
                let isPut = random.number(0...9) < (isGrowing ? 8 : 1)
                if let old = known.randomElement(using: &random), random.number(0...9) < (isGrowing ? 3 : 9) {
                    if isPut {
                        changes.put(old.tree, old.bytes, shape.value(&random))
                    } else {
                        changes.remove(old.tree, old.bytes)
                    }
                } else if isPut {
                    changes.put(tree, shape.key(&random), shape.value(&random))
                } else {
                    changes.remove(tree, shape.key(&random))
                }
            }
            if commit % 10 == 9 {
                for key in known where random.number(0...20) > 0 { changes.remove(key.tree, key.bytes) }
            }
            let before = (root, model)
            root = try changes.apply(to: root, &model, in: pages)
            pages.check(root, hint)
            compare(root, model, pages, &random, trees, hint)
            try compareRanges(before.0, before.1, root, model, pages, hint)
            compare(before.0, before.1, pages, &random, [trees[random.number(0...6)]], "\(hint), the state before")
        }
        var changes = TreeChanges()
        for key in model.entries.keys { changes.remove(key.tree, key.bytes) }
        root = try changes.apply(to: root, &model, in: pages)
        #expect(root.isNone, "\(shape), seed \(seed)")
        pages.check(root, "emptied, \(shape), seed \(seed)")
    }

    private func compare(
        _ root: PagePointer, _ model: TreeModel, _ pages: MemoryPages, _ random: inout SeededNumbers, _ trees: [UInt32],
        _ hint: String
    ) {
        let reader = TreeReader(space: pages.space, root: root)
        #expect(reader.entryCount == model.entries.count, "\(hint)")
        for tree in trees {
            let expected = model.sorted(tree)
            #expect(reader.entries(tree).elementsEqual(expected, by: ==), "\(hint), tree \(tree)")
            #expect(
                reader.entries(tree, reversed: true).elementsEqual(expected.reversed(), by: ==),
                "\(hint), tree \(tree)")
            #expect(reader.count(tree) == expected.count, "\(hint), tree \(tree)")
            for _ in 0..<3 where !expected.isEmpty {
                let lower = expected[random.number(0...expected.count - 1)].key
                var upper = expected[random.number(0...expected.count - 1)].key
                if random.number(0...1) == 0 { upper.append(0) }
                let range = expected.filter {
                    !$0.key.isBefore(lower) && $0.key.isBefore(upper)
                }
                #expect(reader.entries(tree, from: lower, upTo: upper).elementsEqual(range, by: ==), "\(hint)")
                #expect(
                    reader.entries(tree, from: lower, upTo: upper, reversed: true, limit: 5)
                        .elementsEqual(range.reversed().prefix(5), by: ==), "\(hint)")
                #expect(reader.count(tree, from: lower, upTo: upper) == range.count, "\(hint)")
                #expect(reader.value(tree, lower) == model.entries[.init(tree: tree, bytes: lower)], "\(hint)")
                #expect(reader.value(tree, upper) == model.entries[.init(tree: tree, bytes: upper)], "\(hint)")
            }
        }
    }

    private func compareRanges(
        _ oldRoot: PagePointer, _ old: TreeModel, _ newRoot: PagePointer, _ new: TreeModel, _ pages: MemoryPages,
        _ hint: String
    ) throws {
        let ranges = try TreeDifference.ranges(from: oldRoot, to: newRoot, in: pages.space)
        func isHeld(_ key: TreeModel.Key) -> Bool {
            ranges.contains { range in
                range.tree == key.tree && !key.bytes.isBefore(range.lower)
                    && range.upper.map { key.bytes.isBefore($0) } ?? true
            }
        }
        for (key, value) in old.entries where new.entries[key] != value {
            #expect(isHeld(key), "\(hint): \(key) changed or went")
        }
        for key in new.entries.keys where old.entries[key] == nil { #expect(isHeld(key), "\(hint): \(key) came") }
        // Long values that were written anew count as changed; nothing else does.
        let hasLongValues = new.entries.values.contains { $0.count > TreeNode.inlineValueMaximum }
        if old.entries == new.entries, !hasLongValues { #expect(ranges.isEmpty, "\(hint)") }
        if !hasLongValues {
            for range in ranges {
                let lower = TreeModel.Key(tree: range.tree, bytes: range.lower)
                #expect(old.entries[lower] != new.entries[lower], "\(hint): a range begins at what did not change")
            }
        }
    }
}
