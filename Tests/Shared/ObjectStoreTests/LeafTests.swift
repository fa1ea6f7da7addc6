import CausewayModel
import CausewayObjectStoreReference
import CausewaySeeds
import Testing

@testable import CausewayObjectStore

@Suite("Leaves, packed and writable")
struct LeafTests {
    private static let seeds = SeedList.drawn(for: "leaves", count: 50)

    private static let types: [PropertyType] = [
        .bool, .int, .float, .double, .string, .data, .date, .objectId, .uuid, .object, .decimal128,
    ]

    /// A leaf whose slots were set in a random order, and what each of them holds; nil where none was set.
    private struct Filled {
        var leaf: WritableLeaf
        var values: [Value]

        init(_ type: PropertyType, _ numbers: inout SeededNumbers) {
            leaf = WritableLeaf(LeafKind(type))
            values = Array(repeating: .null, count: slotsPerLeaf)
            let count = numbers.one(of: [0, 1, 15, 63, 64, 65, 200, 999, 1000])
            let nullsIn = numbers.one(of: [1, 2, 5, 1000])
            let sort = numbers.below(6)
            for slot in 0..<count {
                set(slot, numbers.once(in: nullsIn) ? .null : Self.value(type, sort, slot, &numbers))
            }
            guard count > 0, numbers.once(in: 2) else { return }
            for _ in 0..<numbers.below(300) {
                let slot = numbers.below(count)
                set(slot, numbers.once(in: nullsIn) ? .null : Self.value(type, sort, slot, &numbers))
            }
        }

        var texts: [String] { values.map { "\($0.stored)" } }

        mutating func set(_ slot: Int, _ value: Value) {
            leaf.set(slot, value)
            values[slot] = value
        }

        /// Integers and texts of every width; `sort` says which.
        private static func value(
            _ type: PropertyType, _ sort: Int, _ slot: Int, _ numbers: inout SeededNumbers
        ) -> Value {
            let widths = [1, 200, 60_000, 1 << 31, 1 << 62, 5]
            switch type {
            case .int where sort < 5: return .int(Int64(numbers.below(widths[sort])))
            case .object: return .object(ObjectKey(Int64(numbers.below(widths[sort]))))
            case .date where sort < 5:
                return .timestamp(Timestamp(seconds: -Int64(numbers.below(widths[sort])), nanoseconds: 0))
            case .string where sort == 0: return .string("value \(slot)")
            case .string where sort == 1: return .string("value \(numbers.below(300))")
            case .string where sort == 2: return .string(String(repeating: "x", count: numbers.below(400)))
            default: return RandomValues.value(of: type, &numbers)
            }
        }
    }

    @Test("what was set is read from the writable leaf, the packed one and its copy", arguments: seeds)
    func roundTrip(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let packer = LeafPacker()
        for type in Self.types {
            let filled = Filled(type, &numbers)
            let count = filled.leaf.count
            packer.pack(filled.leaf) { bytes in
                #expect(LeafCheck.isSound(bytes, filled.leaf.kind), "seed \(seed), \(type)")
                #expect(read(bytes, type) == filled.texts, "seed \(seed), packed \(type)")
                let first = Array(bytes)
                let copy = WritableLeaf(filled.leaf.kind, copying: bytes.baseAddress!)
                #expect(copy.count == count, "seed \(seed), \(type)")
                if let memory = copy.memory {
                    let writable = UnsafeRawBufferPointer(start: memory, count: 0)
                    #expect(read(writable, type) == filled.texts, "seed \(seed), copied \(type)")
                }
                for slot in 0..<slotsPerLeaf {
                    #expect(copy.isNull(slot) == (filled.values[slot] == .null), "seed \(seed), \(type) \(slot)")
                }
                LeafPacker().pack(copy) { again in
                    #expect(read(again, type) == filled.texts, "seed \(seed), packed again \(type)")
                    #expect(again.count == first.count, "seed \(seed), \(type)")
                }
            }
        }
    }

    @Test("a copy can be changed slot by slot", arguments: seeds)
    func changedCopies(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for type in Self.types {
            var filled = Filled(type, &numbers)
            for _ in 0..<3 {
                LeafPacker().pack(filled.leaf) {
                    filled.leaf = WritableLeaf(filled.leaf.kind, copying: $0.baseAddress!)
                }
                for _ in 0..<numbers.below(200) {
                    let value = numbers.once(in: 4) ? Value.null : RandomValues.value(of: type, &numbers)
                    filled.set(numbers.below(slotsPerLeaf), value)
                }
            }
            LeafPacker().pack(filled.leaf) {
                #expect(read($0, type) == filled.texts, "seed \(seed), \(type)")
            }
        }
    }

    @Test("minimum and maximum are those of the values that are not null", arguments: seeds)
    func zones(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for type in [PropertyType.int, .double, .float] {
            let filled = Filled(type, &numbers)
            LeafPacker().pack(filled.leaf) { bytes in
                let leaf = bytes.baseAddress!
                let hasZone = leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagZone != 0
                let values = filled.values.compactMap { value -> Double? in
                    switch value {
                    case .int(let value): Double(value)
                    case .double(let value): value
                    case .float(let value): Double(value)
                    default: nil
                    }
                }
                #expect(hasZone == (!values.isEmpty && !values.contains(where: \.isNaN)), "seed \(seed), \(type)")
                guard hasZone else { return }
                let minimum = leaf.leafField(LeafLayout.minimum, UInt64.self)
                let maximum = leaf.leafField(LeafLayout.maximum, UInt64.self)
                let number = { type == .int ? Double(Int64(bitPattern: $0)) : Double(bitPattern: $0) }
                #expect(number(minimum) == values.min() && number(maximum) == values.max(), "seed \(seed), \(type)")
            }
        }
    }

    @Test("few distinct texts are kept once")
    func dictionaries() {
        let leaf = WritableLeaf(.bytes)
        for slot in 0..<slotsPerLeaf { leaf.set(slot, .string("breed \(slot % 50)")) }
        LeafPacker().pack(leaf) { bytes in
            let packed = bytes.baseAddress!
            #expect(packed.leafField(LeafLayout.dictionaryCount, UInt16.self) == 50)
            #expect(StringLeaf(packed).bytes(49).elementsEqual("breed 49".utf8))
            // Slots share their text until one of them is set.
            let copy = WritableLeaf(.bytes, copying: packed)
            copy.set(49, .string("cat"))
            LeafPacker().pack(copy) { again in
                let packed = StringLeaf(again.baseAddress!)
                #expect(packed.bytes(49).elementsEqual("cat".utf8) && packed.bytes(99).elementsEqual("breed 49".utf8))
            }
        }
    }

    /// As text, in which NaN is equal to itself.
    private func read(_ bytes: UnsafeRawBufferPointer, _ type: PropertyType) -> [String] {
        (0..<slotsPerLeaf).map { "\(LeafValue.read(bytes.baseAddress!, $0, type))" }
    }
}
