import CausewaySeeds
import Testing

@testable import CausewayStorage

/// Bytes from a file never trap, whatever they are. Checksums keep damaged pages away; here they are switched off.
struct TreeDamageTests {
    private static let seeds = SeedList.drawn(for: "damaged-trees", count: 6)

    /// Takes every page as it is.
    private struct Believer: PageOpener {
        let memory: ReservedMemory

        func open(_ pointer: PagePointer, _ kind: PageKind, into base: UnsafeMutableRawPointer) -> PageReading {
            let place = Int(pointer.page) << Pages.sizeShift
            let count = pointer.pageCount(kind) << Pages.sizeShift
            (base + place).copyMemory(from: memory.base + place, byteCount: count)
            return .sound
        }

        func space(_ pageLimit: UInt32) throws -> PageSpace {
            let byteCount = Int(pageLimit) << Pages.sizeShift
            return try PageSpace(
                try DecryptedPages(opener: self, byteCount: byteCount, limitBytes: byteCount, path: "fuzz"))
        }
    }

    /// Takes pages and forgets them.
    private final class Scrap: PageOutput {
        let space: PageSpace
        let birth: UInt64 = 1 << 40
        private var nextPage: UInt32 = 1 << 30
        private let page = UnsafeMutableRawPointer.allocate(byteCount: Pages.sizeBytes, alignment: 16)

        init(_ space: PageSpace) {
            self.space = space
        }

        deinit {
            page.deallocate()
        }

        func makePage() -> UnsafeMutableRawPointer {
            page.initializeMemory(as: UInt8.self, repeating: 0, count: Pages.sizeBytes)
            return page
        }

        func finish(
            _ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32
        ) throws(StorageError) -> PagePointer {
            #expect(TreeNode.isSound(page, level: level))
            nextPage += 1
            return PagePointer(page: nextPage, extent: extent, birth: birth, level: level, check: 0, checkHigh: 0)
        }

        func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer {
            nextPage += 1
            return PagePointer(
                page: nextPage, extent: UInt32(bytes.count), birth: birth, level: 0, check: 0, checkHigh: 0)
        }

        func free(_ pointer: PagePointer, kind: PageKind) {}
    }

    @Test("a tree with changed bytes is read and written without a trap", arguments: seeds)
    func changedBytes(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let pages = try MemoryPages()
        var model = TreeModel()
        var changes = TreeChanges()
        for number in 0..<300 {
            let count = [8, 8, 8, 60, 900, 1500][random.number(0...5)]
            let key = [UInt8](repeating: UInt8(number % 5), count: count) + [UInt8(number >> 8), UInt8(number & 255)]
            changes.put(UInt32(number % 3), key, random.bytes([0, 8, 8, 300, 1200][random.number(0...4)]))
        }
        let root = try changes.apply(to: .none, &model, in: pages)
        let nodes = pages.live.filter { $0.kind == .tree }.map(\.page).sorted()
        let limit = pages.live.map(\.page).max().map { $0 + 2 } ?? 0
        for _ in 0..<400 {
            let page = pages.memory.base + Int(nodes[random.number(0...nodes.count - 1)]) << Pages.sizeShift
            let saved = Array(UnsafeRawBufferPointer(start: page, count: Pages.sizeBytes))
            for _ in 0...random.number(0...2) {
                // Most of a page is bytes of keys and values; the fields at its beginning matter more.
                let place = random.number(0...1) == 0 ? random.number(0...200) : random.number(0...Pages.sizeBytes - 1)
                page.storeBytes(of: UInt8.random(in: 0...255, using: &random), toByteOffset: place, as: UInt8.self)
            }
            let space = try Believer(memory: pages.memory).space(limit)
            use(space, root, model, &random)
            saved.withUnsafeBytes { page.copyMemory(from: $0.baseAddress!, byteCount: Pages.sizeBytes) }
        }
        pages.check(root, "seed \(seed), after everything was put back")
    }

    private func use(_ space: PageSpace, _ root: PagePointer, _ model: TreeModel, _ random: inout SeededNumbers) {
        let reader = TreeReader(space: space, root: root)
        var sum = 0
        for tree in UInt32(0)...3 {
            for reversed in [false, true] {
                let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
                reader.scan(tree: tree, from: nothing, upTo: nil, reversed: reversed) { key, value in
                    for byte in key { sum &+= Int(byte) }
                    for byte in value { sum &+= Int(byte) }
                    return true
                }
            }
            sum &+= reader.count(tree)
        }
        reader.walk { _ in true }
        let some = model.entries.keys.shuffled(using: &random).prefix(20)
        for key in some { sum &+= reader.value(key.tree, key.bytes)?.count ?? 0 }
        let overlay = TreeOverlay(tree: 1, arena: ByteArena())
        for key in some {
            key.bytes.withUnsafeBytes { bytes in
                if random.number(0...1) == 0 { overlay.remove(bytes) } else { overlay.put(bytes, bytes) }
            }
        }
        _ = try? TreeWriter(space: space, output: Scrap(space)).apply(overlay.sorted(), to: root)
        _ = try? TreeDifference.ranges(from: .none, to: root, in: space)
        #expect(sum != .min)
    }

    @Test("random pages are refused, or read without a trap", arguments: seeds)
    func randomPages(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let memory = try ReservedMemory(byteCount: 16 * Pages.sizeBytes, path: "fuzz")
        let page = memory.base + 4 * Pages.sizeBytes
        var soundCount = 0
        for _ in 0..<3000 {
            let level = UInt8(random.number(0...1))
            let count = random.number(0...12)
            for place in stride(from: 0, to: Pages.sizeBytes, by: 8) {
                page.storeBytes(of: random.next(), toByteOffset: place, as: UInt64.self)
            }
            page.storeBytes(of: UInt16(level), as: UInt16.self)
            page.storeBytes(of: UInt16(count), toByteOffset: 2, as: UInt16.self)
            page.storeBytes(of: UInt16(random.number(0...2)), toByteOffset: 4, as: UInt16.self)
            for index in 0..<count {
                // Plausible slots, so that some pages pass.
                let offset = random.number(8...Pages.sizeBytes - 1)
                page.storeBytes(of: UInt16(offset), toByteOffset: 12 + index * 8, as: UInt16.self)
                page.storeBytes(of: UInt16(random.number(0...64)), toByteOffset: 14 + index * 8, as: UInt16.self)
                if offset < Pages.sizeBytes - 2 {
                    page.storeBytes(of: UInt8(random.number(0...32)), toByteOffset: offset, as: UInt8.self)
                    page.storeBytes(of: 0, toByteOffset: offset + 1, as: UInt8.self)
                }
            }
            if TreeNode.isSound(page, level: level) { soundCount += 1 }
            let root = PagePointer(page: 4, extent: 9, birth: 1, level: level, check: 0, checkHigh: 0)
            let space = try Believer(memory: memory).space(16)
            let model = TreeModel(entries: [.init(tree: 1, bytes: [1]): [], .init(tree: 2, bytes: []): []])
            use(space, root, model, &random)
        }
        #expect(soundCount > 0, "seed \(seed)")
    }
}
