import CausewaySeeds
import Testing

@testable import CausewayStorage

/// Changes in the form in which a header carries them, beside a dictionary.
@Suite("Changes that a header carries")
struct CarriedChangesTests {
    private static let seeds = SeedList.drawn(for: "carried-changes", count: 40)

    private struct Model {
        var leaves: [LeafPlace: [UInt8]?] = [:]
        var entries: [UInt32: [[UInt8]: [UInt8]?]] = [:]

        init(_ random: inout SeededNumbers) {
            for _ in 0..<random.next() % 5 {
                let place = LeafPlace(column: UInt32(random.next() % 3), number: UInt32(random.next() % 3))
                leaves[place] = .some(random.next() % 4 == 0 ? nil : Self.bytes(&random, 200))
            }
            for _ in 0..<random.next() % 40 {
                let (tree, key) = (UInt32(random.next() % 4), Self.bytes(&random, 12))
                entries[tree, default: [:]][key] = .some(random.next() % 4 == 0 ? nil : Self.bytes(&random, 30))
            }
        }

        static func bytes(_ random: inout SeededNumbers, _ most: UInt64) -> [UInt8] {
            (0..<random.next() % (most + 1)).map { _ in UInt8(random.next() % 3) }
        }

        /// The changes as a transaction hands them over.
        func carried() -> CarriedChanges {
            let changes = WriteChanges(over: NoEntries(), path: "model")
            for (place, bytes) in leaves {
                if let bytes {
                    bytes.withUnsafeBytes { changes.replaceLeaf(column: place.column, number: place.number, $0) }
                } else {
                    changes.removeLeaf(column: place.column, number: place.number)
                }
            }
            for (tree, keys) in entries {
                for (key, value) in keys {
                    key.withUnsafeBytes { key in
                        if let value {
                            value.withUnsafeBytes { changes.put(tree: tree, key: key, value: $0) }
                        } else {
                            changes.remove(tree: tree, key: key)
                        }
                    }
                }
            }
            return CarriedChanges(CommitChanges(changes))
        }
    }

    private static func encoded(_ carried: CarriedChanges) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: carried.byteCount) { buffer, count in
            carried.encode(to: UnsafeMutableRawPointer(buffer.baseAddress!))
            count = carried.byteCount
        }
    }

    private static func decoded(_ bytes: [UInt8]) -> CarriedChanges? {
        bytes.withUnsafeBytes { CarriedChanges($0) }
    }

    @Test("they come back from their bytes, and answer as a dictionary does", arguments: seeds)
    func roundTrip(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let model = Model(&random)
        let bytes = Self.encoded(model.carried())
        let carried = try #require(Self.decoded(bytes))
        #expect(Self.encoded(carried) == bytes)
        #expect(carried.leaves.map(\.place) == model.leaves.keys.sorted())
        for (place, expected) in model.leaves {
            let leaf = try #require(carried.leaf(place))
            #expect(leaf.bytes.map { Array($0) } == expected)
            #expect(Int(bitPattern: leaf.bytes?.baseAddress) % 16 == 0)
        }
        #expect(carried.leaf(LeafPlace(column: 9, number: 9)) == nil)
        for tree in UInt32(0)..<5 {
            let keys = model.entries[tree] ?? [:]
            let asked = Array(keys.keys) + (0..<20).map { _ in Model.bytes(&random, 12) }
            for key in asked {
                let change = key.withUnsafeBytes { carried.change(tree: tree, key: $0) }
                #expect((change != nil) == (keys[key] != nil))
                #expect(change.map { $0.isRemoval ? nil : Array($0.value) } == keys[key])
            }
            let (low, high) = (Model.bytes(&random, 12), Model.bytes(&random, 12))
            for (from, upTo) in [([], nil), (low, nil), (low, high)] as [([UInt8], [UInt8]?)] {
                let expected = keys.keys.filter { key in
                    !key.lexicographicallyPrecedes(from) && upTo.map { key.lexicographicallyPrecedes($0) } ?? true
                }.sorted { $0.lexicographicallyPrecedes($1) }
                for reversed in [false, true] {
                    let found = Self.keys(carried, tree, from, upTo, reversed)
                    #expect(found == (reversed ? expected.reversed() : expected))
                }
            }
        }
    }

    private static func keys(
        _ carried: CarriedChanges, _ tree: UInt32, _ from: [UInt8], _ upTo: [UInt8]?, _ reversed: Bool
    ) -> [[UInt8]] {
        from.withUnsafeBytes { from in
            (upTo ?? []).withUnsafeBytes { end in
                var cursor = carried.cursor(tree: tree, from: from, upTo: upTo == nil ? nil : end, reversed: reversed)
                var keys: [[UInt8]] = []
                while let change = cursor?.current {
                    keys.append(Array(change.key))
                    cursor?.advance()
                }
                return keys
            }
        }
    }

    @Test("bytes that contradict themselves are refused, whatever they are", arguments: seeds)
    func damage(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let bytes = Self.encoded(Model(&random).carried())
        for count in 0..<bytes.count { #expect(Self.decoded(Array(bytes[..<count])) == nil, "\(count) bytes") }
        #expect(Self.decoded(bytes + [0]) == nil)
        for _ in 0..<2_000 {
            var other = bytes
            other[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            // Whatever is accepted is the same when it is written again.
            if let carried = Self.decoded(other) { #expect(Self.encoded(carried) == other) }
        }
    }

    @Test("two changes of one key, and keys that descend, are refused")
    func order() {
        func bytes(_ keys: [[UInt8]]) -> [UInt8] {
            var bytes: [UInt8] = [0, 0, UInt8(keys.count), 0]
            for key in keys {
                bytes += [UInt8(key.count + 4), 0, 1, 0, 0, 0, 0, 7]
                bytes += key
                bytes.append(1)
            }
            return bytes
        }
        #expect(Self.decoded(bytes([[1], [2]]))?.entries.count == 2)
        #expect(Self.decoded(bytes([[2], [1]])) == nil)
        #expect(Self.decoded(bytes([[1], [1]])) == nil)
        let leaf: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 5]
        #expect(Self.decoded([1, 0, 0, 0] + leaf)?.leaves.count == 1)
        #expect(Self.decoded([2, 0, 0, 0] + leaf + leaf) == nil)
    }
}

/// A store without content.
private final class NoEntries: StorageReader {
    var version: UInt64 { 0 }
    var damage: StorageError? { nil }
    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? { nil }
    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? { nil }
    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {}
    func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int { 0 }
}
