import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import Testing

@Suite("Digests")
struct DigestTests {
    @Test("the hash is SipHash-2-4 with 128 bits: the first vectors of its authors")
    func vectors() {
        let hash = KeyedHash(key: 0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
        #expect(hash.digest(of: []) == Digest(low: 0xE6A8_25BA_047F_81A3, high: 0x9302_55C7_1472_F66D))
        #expect(hash.digest(of: [0]) == Digest(low: 0x44AF_996B_D8C1_87DA, high: 0x45FC_229B_1159_7634))
        // What lies behind the last whole word counts, and so does how long it is.
        let digests = (0...40).map { hash.digest(of: [UInt8](repeating: 0, count: $0)) }
        #expect(Set(digests).count == 41)
    }

    @Test("sums go around at 128 bits, and what is taken out is gone")
    func sums() {
        let one = Digest(low: 1, high: 0)
        let most = Digest(low: .max, high: .max)
        #expect(most + one == .zero)
        #expect(Digest.zero - one == most)
        #expect(Digest(low: .max, high: 3) + one == Digest(low: 0, high: 4))
        #expect((most + Digest(low: 7, high: 9)) - most == Digest(low: 7, high: 9))
    }

    @Test("the parts of a range are all of it, each object in one of them")
    func ranges() throws {
        var digester = ObjectDigester(seed: 5, schema: Schema())
        let index = DigestIndex(
            (0..<5_000 as Range<Int64>).map { number in
                let key = PrimaryKey.int(number)
                return .init(place: digester.place(of: key), key, Digest(low: UInt64(number), high: 1))
            })
        var ranges = [DigestRange("A")]
        for _ in 0..<3 {
            let parts = ranges.flatMap(\.parts)
            for range in ranges.prefix(70) {
                let sums = range.parts.map { index.digest(of: $0) }
                let total = sums.reduce(RangeDigest.empty) {
                    RangeDigest(count: $0.count + $1.count, sum: $0.sum + $1.sum)
                }
                #expect(total == index.digest(of: range))
            }
            ranges = Array(parts.filter { index.digest(of: $0).count > 0 }.prefix(200))
        }
        #expect(index.objects(in: DigestRange("A")).count == 5_000)
        let last = try #require(DigestRange("A", bits: 60, prefix: (1 << 60) - 1))
        #expect(last.parts.isEmpty)
        #expect(DigestRange("A", bits: 5, prefix: 0) == nil)
        #expect(DigestRange("A", bits: 66, prefix: 0) == nil)
        #expect(DigestRange("A", bits: 6, prefix: 64) == nil)
    }
}

@Suite("The digest of an object")
struct ObjectDigesterTests {
    private static let schema = Schema([
        ClassSchema(
            name: "A",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "name", type: .string),
                Property(name: "size", type: .double),
                Property(name: "any", type: .mixed, isOptional: true),
                Property(name: "tags", type: .string, collection: .list),
                Property(name: "labels", type: .string, collection: .set),
                Property(name: "scores", type: .int, collection: .map),
                Property(name: "body", type: .string, isText: true),
                Property(name: "part", type: .object, isOptional: true, target: "P"),
            ]),
        ClassSchema(
            name: "P", kind: .embedded,
            properties: [
                Property(name: "n", type: .int),
                Property(name: "next", type: .object, isOptional: true, target: "P"),
            ]),
    ])

    private static let object = ObjectReference("A", .int(1))
    private static let part = ObjectReference("P", .container(ElementID(client: ClientID(1), counter: 90)))
    private static let inner = ObjectReference("P", .container(ElementID(client: ClientID(1), counter: 91)))
    private static let nested = ObjectReference("#List", .container(ElementID(client: ClientID(1), counter: 92)))

    /// The object, and what is embedded in it.
    private struct World {
        var state: ObjectState
        var parts: [ObjectReference: ObjectState]
        var object = ObjectDigesterTests.object

        func digest(seed: UInt64 = 1, schema: Schema = ObjectDigesterTests.schema) -> Digest {
            var digester = ObjectDigester(seed: seed, schema: schema)
            return digester.digest(object, state) { parts[$0] }
        }

        mutating func change(_ operation: Operation, at time: UInt64) {
            let stamp = Stamp(time: time, client: ClientID(2))
            if operation.target == object {
                _ = state.join(operation, stamp: stamp)
            } else {
                _ = parts[operation.target, default: ObjectState()].join(operation, stamp: stamp)
            }
        }
    }

    private static func id(_ counter: UInt64) -> ElementID { ElementID(client: ClientID(1), counter: counter) }

    private static var world: World {
        var world = World(state: ObjectState(), parts: [:])
        let operations: [Operation] = [
            .create(object, life: 1, fields: [FieldValue("name", .string("a")), FieldValue("size", .double(0))]),
            .create(part, life: 1, fields: [FieldValue("n", .int(1)), FieldValue("next", .link(inner.key))]),
            .create(inner, life: 1, fields: [FieldValue("n", .int(2)), FieldValue("next", .null)]),
            .create(nested, life: 1, fields: []),
            .set(object, FieldValue("part", .link(part.key))),
            .set(object, FieldValue("any", .anyLink(ClassedLink("#List", nested.key)))),
            .list(nested, property: "elements", .insert(id(5), left: nil, right: nil, value: .int(5))),
            .list(object, property: "tags", .insert(id(1), left: nil, right: nil, value: .string("x"))),
            .list(object, property: "tags", .insert(id(2), left: id(1), right: nil, value: .string("y"))),
            .keyed(object, property: "labels", .put(key: .string("l"), value: .null)),
            .keyed(object, property: "scores", .put(key: .string("k"), value: .int(3))),
            .text(object, property: "body", .insert(id(10), left: nil, right: nil, text: "hello")),
        ]
        for operation in operations { world.change(operation, at: 10) }
        return world
    }

    @Test("a change of anything that an app sees or a later operation builds on changes it")
    func changes() {
        let (object, part, inner) = (Self.object, Self.part, Self.inner)
        let id = Self.id
        let changes: [(String, Operation)] = [
            ("value", .set(object, FieldValue("name", .string("b")))),
            ("−0 for 0", .set(object, FieldValue("size", .double(-0.0)))),
            ("not a number", .set(object, FieldValue("size", .double(.nan)))),
            ("composed", .set(object, FieldValue("name", .string("\u{E9}")))),
            ("decomposed", .set(object, FieldValue("name", .string("e\u{301}")))),
            ("null", .set(object, FieldValue("any", .null))),
            ("added element", .list(object, property: "tags", .insert(id(3), left: id(2), right: nil, value: .null))),
            ("removed element", .list(object, property: "tags", .delete(id(1)))),
            ("set element", .list(object, property: "tags", .set(id(1), value: .string("z")))),
            (
                "moved element",
                .list(object, property: "tags", .move(id(1), position: id(4), left: id(2), right: nil))
            ),
            ("member", .keyed(object, property: "labels", .put(key: .string("m"), value: .null))),
            ("member gone", .keyed(object, property: "labels", .remove(key: .string("l")))),
            ("map value", .keyed(object, property: "scores", .put(key: .string("k"), value: .int(4)))),
            ("map key", .keyed(object, property: "scores", .put(key: .string("j"), value: .int(3)))),
            ("text", .text(object, property: "body", .insert(id(20), left: id(14), right: nil, text: "!"))),
            ("embedded value", .set(part, FieldValue("n", .int(7)))),
            ("value two deep", .set(inner, FieldValue("n", .int(7)))),
            ("other embedded object", .set(object, FieldValue("part", .link(inner.key)))),
            (
                "collection in a mixed value",
                .list(Self.nested, property: "elements", .insert(id(6), left: id(5), right: nil, value: .int(5)))
            ),
        ]
        let before = Self.world.digest()
        var seen: Set<Digest> = [before]
        for (name, operation) in changes {
            var world = Self.world
            world.change(operation, at: 20)
            #expect(seen.insert(world.digest()).inserted == true, "\(name)")
        }
        var world = Self.world
        world.state.life = 3
        #expect(seen.insert(world.digest()).inserted == true, "life")
        world = Self.world
        world.object = ObjectReference("A", .int(2))
        #expect(seen.insert(world.digest()).inserted == true, "key")
        world = Self.world
        world.parts[inner] = nil
        #expect(seen.insert(world.digest()).inserted == true, "embedded object gone")
        #expect(seen.insert(Self.world.digest(seed: 2)).inserted == true, "seed")
    }

    @Test("the same text with other runs, the same elements with other ids, are not the same to what comes later")
    func identities() {
        var other = Self.world
        other.state.put(ObjectState.Part("tags", .list(ListState())))
        for (left, counter) in [(nil, 7), (7, 8)] as [(UInt64?, UInt64)] {
            let value = Value.string(counter == 7 ? "x" : "y")
            other.change(
                .list(
                    Self.object, property: "tags",
                    .insert(Self.id(counter), left: left.map { Self.id($0) }, right: nil, value: value)), at: 10)
        }
        #expect(other.state.list("tags")?.values == Self.world.state.list("tags")?.values)
        #expect(other.digest() != Self.world.digest())
        other = Self.world
        other.state.parts.removeAll { $0.content.kind == .text }
        other.change(
            .text(Self.object, property: "body", .insert(Self.id(50), left: nil, right: nil, text: "hello")), at: 10)
        #expect(other.digest() != Self.world.digest())
    }

    @Test("stamps, defaults, what the device has not declared and what an empty collection once held do not count")
    func ignored() {
        let before = Self.world.digest()
        var world = Self.world
        for index in world.state.fields.indices {
            world.state.fields[index].stamp = Stamp(time: 99, client: ClientID(9))
            world.state.fields[index].isDefault.toggle()
        }
        world.state.born = Stamp(time: 3, client: ClientID(3))
        #expect(world.digest() == before)
        world.change(.set(Self.object, FieldValue("colour", .string("red"))), at: 30)
        #expect(world.digest() == before)

        var empty = Self.world
        empty.state.parts.removeAll { $0.content.kind != .text }
        var emptied = Self.world
        for counter in 1...2 {
            emptied.change(.list(Self.object, property: "tags", .delete(Self.id(UInt64(counter)))), at: 30)
        }
        emptied.change(.keyed(Self.object, property: "labels", .remove(key: .string("l"))), at: 30)
        emptied.change(.keyed(Self.object, property: "scores", .remove(key: .string("k"))), at: 30)
        #expect(emptied.digest() == empty.digest())
        #expect(emptied.digest() != before)
    }

    @Test("objects that hold each other in a circle have a digest")
    func circle() {
        var world = Self.world
        world.change(.set(Self.inner, FieldValue("next", .link(Self.part.key))), at: 20)
        #expect(world.digest() != Self.world.digest())
    }
}
